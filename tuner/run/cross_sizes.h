#pragma once
// The winner of each size tried at the other sizes (run --cross-sizes), so that an export knows
// what one size's choice costs at another.

#include <cstddef>
#include <vector>

#include "tuner/run/device_run.h"

namespace tuner {

// `outcomes`: what this run has found on the device, one for each size. The winner of each of them,
// and of the store's other current sizes of the study on this device, is measured wherever it is
// valid and was not measured yet: an ordinary trial, but beyond the budget. A size that it changes
// is ranked anew, with a final where the old one does not stand; if that makes another
// configuration the winner, that one is tried too. Returns the positions of the outcomes that were
// replaced. Stops at an interruption, or when the device is lost (SizeOutcome::lost).
std::vector<std::size_t> cross_sizes(DeviceRun& run, std::vector<SizeOutcome>& outcomes);

}  // namespace tuner
