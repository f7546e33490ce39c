#pragma once
// The options of `tuner check`, and its half that compiles.

#include <cstdint>
#include <string>

#include "tuner/commands/options.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"

namespace tuner {

struct CheckOptions {
  std::string study;
  Words per;  // of a T1 file
  bool json = false;
  bool list = false;
  std::uint64_t sample = 0;
  bool compile = false;
  Words archs;
  Words sizes;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t limit = 0;  // compile at most this many configurations; 0 = all
  std::string color = "auto";
  Words plugin_dirs;
};

// What a study is checked for where no architecture is asked for.
inline std::string usual_arch(const Study& study) {
  return study.kernel.language == "cuda" ? "sm_90" : study.kernel.language;
}

// The device that a study is checked for.
inline DeviceFacts facts_of(const CheckOptions& options, const Study& study) {
  return nominal_facts(options.archs.empty() ? usual_arch(study) : options.archs.front());
}

// Compiles every variant (or a random --limit of them) for each architecture, without a device, and
// prints registers, shared memory, spills and occupancy as CSV. Returns the exit status.
int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options);

}  // namespace tuner
