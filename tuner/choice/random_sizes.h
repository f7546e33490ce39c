#pragma once
// Problem sizes to try an export on.

#include <cstdint>
#include <vector>

#include "tuner/choice/tuned_table.h"

namespace tuner {

// Sizes to try an export on: each extent between a quarter of the smallest tuned one and `largest`
// (0: the largest tuned one), evenly by logarithm; every second one a multiple of 32, because
// vector accesses serve those and not the others. The same seed gives the same sizes.
std::vector<ProblemSize> random_sizes(const TunedTable& table, std::uint64_t count,
                                      std::uint64_t seed, std::int64_t largest);

}  // namespace tuner
