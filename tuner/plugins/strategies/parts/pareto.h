#pragma once
// Comparing results by several objectives at once. All are to be minimised.

#include <cstddef>
#include <vector>

namespace tuner::strategies {

using Objectives = std::vector<double>;  // empty: failed, worse than anything

// No worse in all and better in at least one.
bool dominates(const Objectives& a, const Objectives& b);

// The number of each point's front: 0 is dominated by none, 1 only by those in 0, ...
std::vector<std::size_t> front_of(const std::vector<Objectives>& points);

// How far the neighbours of each point are within its own front; infinite at the ends.
std::vector<double> crowding(const std::vector<Objectives>& points,
                             const std::vector<std::size_t>& fronts);

}  // namespace tuner::strategies
