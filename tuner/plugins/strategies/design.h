#pragma once
// Where to begin.

#include <optional>
#include <span>
#include <vector>

#include "tuner/plugins/strategies/candidates.h"
#include "tuner/plugins/strategies/moves.h"

namespace tuner::strategies {

// How sensible it is to measure `candidate` while nothing is learned yet: numbers that are powers
// of two (most kernels are written for them), values in the middle of their range, far from what
// is `known`. Which weights do best was measured: docs/strategies.md.
double start_merit(const Moves& moves, const Positions& candidate,
                   std::span<const Positions> known);

// The most sensible of a few candidates that were not seen; empty when there is none.
std::optional<Index> sensible_start(const Moves& moves, const History& history,
                                    CandidateSource& source, std::span<const Index> known);

}  // namespace tuner::strategies
