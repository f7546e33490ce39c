#pragma once
// Where to begin: configurations that cover the space.

#include <vector>

#include "tuner/plugins/strategies/moves.h"

namespace tuner::strategies {

// Positions such that every parameter takes its values equally often, in random combination; then
// repaired to valid configurations near by. Fewer than `count` where repairs meet. `home` is any
// valid configuration.
std::vector<Index> latin_hypercube(const Moves& moves, std::size_t count, Index home, Rng& rng);

}  // namespace tuner::strategies
