#pragma once
// One verdict on a kernel that nobody trusts: right on inputs that it cannot know, at sizes where
// kernels go wrong, and how fast.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/run/bench.h"
#include "tuner/run/settings.h"

namespace tuner {

// One thing that was looked at.
struct JudgeCheck {
  ProblemSize size;
  bool at_the_edge = false;  // no size of the study, but one where kernels go wrong
  Trial trial;
  bool counts = true;  // false: the study's own kernel is wrong there, too
};

struct Judged {
  DeviceFacts device;
  Configuration configuration;
  std::vector<JudgeCheck> checks;  // in their order; after the first that fails there is none
  std::optional<double> reference_ms{};
  std::optional<bool> deterministic{};  // at the first size; nothing: not looked at
  bool accepted = false;
  double seconds = 0;
};

struct JudgeTask {
  Study own;     // with the study's own kernel: what it gets wrong is not asked of others
  Study judged;  // the same with the other kernel; the reference is the study's own
  std::uint64_t secret = 0;  // changes all inputs; nobody else knows it
  // What both run at a size. Throws InputError where nothing is valid.
  std::function<Configuration(const ProblemSize&, const DeviceFacts&)> configuration;
};

// Names of functions that are the host's, of which a kernel that is judged may have none.
std::vector<std::string> host_functions_in(const std::string& source);

// Sizes near this one where kernels go wrong: one element, one less and one more than a block
// covers, odd, more than twice as large. As far as the study's domain, if it has one, holds them.
std::vector<ProblemSize> sizes_at_the_edge(const Study& study, const ProblemSize& size,
                                           const LaunchGeometry& geometry);

// Throws as tune() does.
Judged judge(const DeviceSettings& settings, const JudgeTask& task, const Caller& caller);

}  // namespace tuner
