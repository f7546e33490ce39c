#pragma once
// The valid configurations that are nearest to values that somebody wishes for.

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/space/search_space.h"

namespace tuner {

// A value for each parameter; nothing: any will do.
using WishedValues = std::vector<std::optional<Value>>;

// Returns up to `most` valid configurations, all as near as the nearest one, spread over those that
// are: wishes may leave much open. The distance is a sum over the parameters: the logarithm of the
// ratio of two positive numbers to base 2, else how many values lie between them; 1 for two texts.
// In spaces of more than 262144 configurations it is one, found by descending from neighbour to
// neighbour, which may end beside the nearest. Empty where the space is.
std::vector<ConfigIndex> nearest_to(const SearchSpace& space, const WishedValues& wishes,
                                    std::size_t most);

}  // namespace tuner
