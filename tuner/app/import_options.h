#pragma once

#include <string>

#include "tuner/app/options.h"

namespace tuner {

struct ImportOptions {
  Words files;
  std::string results = "results";
  std::string output;  // of a study made from a T1 file or a recording
  std::string study;   // whose kernel, parameters and sizes imported results belong to
  std::string kernel;  // where a file does not say
  std::string device;
  std::string size;  // "M=1024,N=1024"
  std::string objective = "time";
};

ImportOptions parse_import(const Words& words);

}  // namespace tuner
