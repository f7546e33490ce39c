#pragma once
// One verdict on a kernel that nobody trusts: right on inputs that it cannot know, at sizes where
// kernels go wrong, and how fast.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench.h"
#include "tuner/bench/devices.h"
#include "tuner/bench/settings.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/trust/sanitizer.h"

namespace tuner {

// One thing that was looked at.
struct JudgeCheck {
  ProblemSize size;
  bool at_the_edge = false;  // no size of the study, but one where kernels go wrong
  std::string inputs{};      // "large inputs": such in the place of random ones; empty: the study's
  std::string tool{};        // of compute-sanitizer, that looked on; empty: none
  Trial trial{};
  bool counts = true;     // false: nothing requires the kernel to be right there
  std::string why_not{};  // it does not count
  double seconds = 0;
};

struct Judged {
  DeviceFacts device;
  Configuration configuration;
  std::vector<JudgeCheck> checks;  // in their order; after the first that fails there is none
  std::optional<double> reference_ms{};
  std::string refused{};                // why it is not judged; empty: it is
  std::optional<bool> deterministic{};  // at the first size; nothing: not looked at
  std::string same_inputs{};            // as RankedResults::same_inputs: what the time does not say
  // Why the study's own kernel cannot say what is allowed, so that the reference alone does; empty:
  // it can, or was not asked.
  std::string own_fault{};
  std::vector<std::string> warnings{};  // what the study's answers are doubted for
  bool accepted = false;
};

struct JudgeTask {
  Study own;              // with the study's own kernel: what it gets wrong is not asked of others
  Study judged;           // the same with the other kernel; the reference is the study's own
  bool counters = false;  // of the device are read in the end, at the first size
  std::uint64_t secret = 0;       // changes all inputs; nobody else knows it
  std::function<void()> timed{};  // called when no more time is taken
  // Returns the configuration that both run at a size. Throws InputError where nothing is valid.
  std::function<Configuration(const ProblemSize&, const DeviceFacts&)> configuration;
};

// Sizes near this one where kernels go wrong: one element, one less and one more than a block
// covers, odd, more than twice as large. As far as the study's domain, if it has one, holds them
// and its expressions have values there.
std::vector<ProblemSize> sizes_at_the_edge(const Study& study, const ProblemSize& size,
                                           const LaunchGeometry& geometry);

// This size halved up to 16 times, the smallest first, but no extent below 512 that was not; of the
// same ones.
std::vector<ProblemSize> smaller_sizes(const Study& study, const ProblemSize& size);

// Throws as tune() does. `bench` is of task.judged, and has run nothing yet: code that nobody
// trusts can change the process, and the device's context, that it runs in, so that no two verdicts
// share one. `tools` may be used again where nothing was found; none: memory and races are not
// looked at.
Judged judge(const JudgeTask& task, Bench& bench, SanitizedWorkers& tools, const Caller& caller);

}  // namespace tuner
