#pragma once
// What the command line of `tuner import` says.

#include <string>

#include "tuner/app/options.h"

namespace tuner {

struct ImportOptions {
  Words files;
  std::string results = "results";
  std::string output;  // of a study made from a T1 file or a recording
  bool force = false;  // whatever file has that name is replaced
  std::string study;   // whose kernel, parameters and sizes imported results belong to
  std::string kernel;  // where a file does not say
  std::string device;
  std::string size;       // "M=1024,N=1024"
  std::string objective;  // empty = the study's, else what the file says, else the time
  bool maximize = false;  // without a study: more of it is better
};

ImportOptions parse_import(const Words& words);

}  // namespace tuner
