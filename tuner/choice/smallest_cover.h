#pragma once
// Few configurations for many sizes, at a loss that is allowed.

#include <cstddef>
#include <vector>

namespace tuner {

// As few configurations as possible so that each row has one that loses at most `within` (0.05:
// 5 %), or, with a limit, the `limit` ones with the smallest worst loss. losses[c][r] is the loss
// of configuration c in row r (0: the best there), infinite where it is not valid. Exact for small
// problems, greedy beyond. Returns positions of configurations.
std::vector<std::size_t> smallest_cover(const std::vector<std::vector<double>>& losses,
                                        double within, std::size_t limit);

}  // namespace tuner
