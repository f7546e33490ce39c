#pragma once
// Tunes a study's domain on one device: size after size, as engine/domain_plan decides.

#include <cstdint>
#include <functional>
#include <vector>

#include "tuner/run/device_run.h"

namespace tuner {

struct DomainSettings {
  Budget budget{};  // of all sizes together; target and patience of each
  std::uint64_t seed = 1;
  double spent = 0;  // of the budget's seconds, before this
};

// The study of `run` has a domain. What was measured is in the store as ordinary trials of ordinary
// sizes; `conclude` hears of each size's outcome and may throw. `now`: seconds on the wall. A size
// of which the study makes no sense is told of and passed over, but not the first. Returns the last
// outcome of each size that was tuned.
std::vector<SizeOutcome> tune_domain(DeviceRun& run, const DomainSettings& settings,
                                     const std::function<double()>& now,
                                     const std::function<void(const SizeOutcome&)>& conclude);

}  // namespace tuner
