#pragma once
// Tunes a study's domain on one device: size after size, as choice/domain_plan decides.

#include <cstdint>
#include <functional>
#include <vector>

#include "tuner/run/device_run.h"

namespace tuner {

// The study of `run` has a domain; its budget is that of all sizes together, but for target and
// patience, which are each size's. `begin`: when its seconds began. What was measured is in the
// store as ordinary trials of ordinary sizes; `conclude` hears of each size's outcome and may
// throw. `now`: seconds of the same clock. A size of which the study makes no sense is told of and
// passed over, but not the first. Returns the last outcome of each size that was tuned.
std::vector<SizeOutcome> tune_domain(DeviceRun& run, std::uint64_t seed, double begin,
                                     const std::function<double()>& now,
                                     const std::function<void(const SizeOutcome&)>& conclude);

}  // namespace tuner
