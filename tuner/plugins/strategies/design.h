#pragma once
// Where to begin.

#include <span>
#include <vector>

#include "tuner/plugins/strategies/moves.h"

namespace tuner::strategies {

// Positions such that every parameter takes its values equally often, in random combination; then
// repaired to valid configurations near by. Fewer than `count` where repairs meet. `home` is any
// valid configuration.
std::vector<Index> latin_hypercube(const Moves& moves, std::size_t count, Index home, Rng& rng);

// How sensible it is to measure `candidate` while nothing is learned yet: numbers that are powers
// of two (most kernels are written for them), values in the middle of their range, far from what
// is `known`. Which weights do best was measured: docs/strategies.md.
double start_merit(const Moves& moves, const Positions& candidate,
                   std::span<const Positions> known);

}  // namespace tuner::strategies
