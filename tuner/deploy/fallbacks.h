#pragma once
// Few configurations for many sizes: those that hold for the sizes nobody tunes for, where nothing
// that was tuned is valid, and few that lose no more than is allowed.

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

// Few configurations so that each row has one that loses at most `within` (0.05: 5 %), chosen
// greedily, or, with a limit, `limit` ones with a small worst loss. losses[c][r] is the loss of
// configuration c in row r (0: the best there), infinite where it is not valid. Returns positions
// of configurations.
std::vector<std::size_t> small_cover(const std::vector<std::vector<double>>& losses, double within,
                                     std::size_t limit);

// One after the other what lowers the sum of the rows' losses most, and by more than `least_gain`:
// at most `limit`. A row that none serves loses `most`.
std::vector<std::size_t> best_together(const std::vector<std::vector<double>>& losses,
                                       std::size_t limit, double most, double least_gain = 0);

}  // namespace tuner
