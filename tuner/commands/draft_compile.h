#pragma once
// Compiles a drafted study for a usual GPU, where there is none to try it on.

#include <cstdint>
#include <string>

#include "tuner/commands/draft_trial.h"

namespace tuner {

struct DraftCompile {
  std::string arch;   // for which it was compiled; empty: there is no compiler for it, or no time
  std::string error;  // the first telling one; empty: it compiles
  std::string note;   // where that takes more than NVRTC and the source as it is
  std::int64_t registers = 0;  // of the kernel; 0: not known
};

// Compiles the present configuration, and the reference, with what a run would take. Takes twice
// the timeout at most, or a compilation more.
DraftCompile compile_draft(const DraftText& draft, const TrialSetup& setup);

}  // namespace tuner
