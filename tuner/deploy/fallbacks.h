#pragma once
// Configurations that hold for the sizes nobody tunes for, where nothing that was tuned is valid.

#include <cstddef>
#include <vector>

#include "tuner/deploy/tuned_table.h"

namespace tuner {

// Devices and sizes that a table should have an answer for: the tuned ones; beside each tuned size
// those with a dimension one less, one and two more, with all of them one more, and half plus one;
// tiny, prime and huge ones; a device with nothing beyond what every device has.
struct Probes {
  std::vector<DeviceFacts> devices;
  std::vector<ProblemSize> sizes;
};
Probes probes_for(const std::vector<DeviceFacts>& devices, const std::vector<ProblemSize>& tuned);

// Whether the constraints hold for all of them.
bool holds_for_all(const Study& study, const Configuration& configuration, const Probes& probes);

// A few of `candidates`, which come best first, so that as many probes as can be have one that may
// be launched, beside those that `have` serves already.
std::vector<Configuration> more_fallbacks(const Study& study, const Probes& probes,
                                          const std::vector<Configuration>& have,
                                          const std::vector<Configuration>& candidates);

}  // namespace tuner
