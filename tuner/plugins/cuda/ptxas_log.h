#pragma once
// A kernel's resources as ptxas reports them.

#include <string>

#include "tuner/plugin/abi.h"

namespace tuner::cuda {

struct PtxasLog {
  tuner_resources resources{-1, -1, -1, -1, -1, -1};  // of the kernel asked for
  std::string rest;                                   // what is not ptxas information
};

// Takes the verbose output of ptxas out of a compiler's log. `kernel` is the lowered name.
PtxasLog parse_ptxas_log(const std::string& log, const std::string& kernel);

}  // namespace tuner::cuda
