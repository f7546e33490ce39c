#pragma once
// Which extent of the problem each axis of the grid runs along.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/drafting/found_source.h"

namespace tuner {

// By axis, 'x' to 'z': "cols" for x where "c = blockIdx.x * 256 + threadIdx.x" is compared with
// cols, or is what is added to "r * cols". An axis of which neither tells is not in it.
std::map<char, std::string> extents_of_axes(Tokens body, const std::set<std::string>& extents);

// Whether only the inside of a problem is computed: an index is compared with "nx - 1" or "> 0".
bool skips_borders(Tokens body, const std::set<std::string>& extents);

// The axis of the grid that each of these expressions of the body depends on; none where it is not
// one.
std::optional<char> axis_of(const std::vector<Tokens>& expressions, Tokens body);

}  // namespace tuner
