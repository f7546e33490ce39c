#pragma once
// The command line of `tuner compare`.

#include <optional>
#include <string>

#include "tuner/app/options.h"

namespace tuner {

struct CompareOptions {
  std::string a, b;  // results folders, databases, ranked CSV files, or folders of these
  std::string size;
  std::string device;
  bool json = false;
  std::optional<double> fail_above;  // 0.03: fails where b is more than 3 % slower
};

CompareOptions parse_compare(const Words& words);

}  // namespace tuner
