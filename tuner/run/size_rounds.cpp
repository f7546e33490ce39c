// Deals devices among sizes.

#include "tuner/run/size_rounds.h"

#include <algorithm>

namespace tuner {

SizeRound next_round(std::size_t sizes, std::size_t devices) {
  const std::size_t groups = std::min(sizes, devices);
  SizeRound round;
  for (std::size_t i = 0; i < groups; ++i) {
    round.devices.push_back(devices / groups + (i < devices % groups ? 1 : 0));
  }
  round.sizes = sizes - sizes % groups;
  return round;
}

}  // namespace tuner
