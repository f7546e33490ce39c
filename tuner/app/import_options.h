#pragma once
// What the command line of `tuner import` says.

#include <string>

#include "tuner/app/options.h"
#include "tuner/run/imports.h"

namespace tuner {

struct ImportOptions {
  Words files;
  std::string results = "results";
  std::string output;  // of a study made from a T1 file or a recording
  bool force = false;  // whatever file has that name is replaced
  std::string study;   // whose kernel, parameters and sizes imported results belong to
  ImportAs as;
  std::string objective;  // empty = the study's, else what the file says, else the time
};

ImportOptions parse_import(const Words& words);

}  // namespace tuner
