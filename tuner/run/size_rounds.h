#pragma once
// Plans which sizes are tuned side by side: plain numbers, nothing is run.

#include <cstddef>
#include <vector>

namespace tuner {

// Groups of devices that tune sizes at the same time, each one size after the other.
struct SizeRound {
  std::vector<std::size_t> devices;  // of each group, one at least
  std::size_t sizes = 0;             // that the round takes, from the front
};

// The next round of so many sizes on so many devices, none of which is 0. Each device has a group
// of its own as long as there are sizes for all of them; what is left over, fewer sizes than
// devices, is for groups of several.
SizeRound next_round(std::size_t sizes, std::size_t devices);

}  // namespace tuner
