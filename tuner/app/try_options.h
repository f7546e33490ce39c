#pragma once
// The command line of `tuner try`.

#include <string>

#include "tuner/app/options.h"

namespace tuner {

struct TryOptions : DeviceOptions {
  std::string study;
  std::vector<std::pair<std::string, std::string>> assigned;
  Words sizes;  // none: the study's
  bool json = false;
  std::string color = "auto";
};

TryOptions parse_try(const Words& words);

}  // namespace tuner
