#pragma once
// Which configurations are worth a look: what a surrogate is asked about, and where to begin.

#include <optional>
#include <span>
#include <vector>

#include "tuner/plugins/strategies/parts/history.h"
#include "tuner/plugins/strategies/parts/moves.h"

namespace tuner::strategies {

class CandidateSource {
 public:
  CandidateSource(Space space, std::uint64_t seed) : space_(space), samples_(space.size(), seed) {}

  // Up to `count` configurations that were not seen, no two the same: all of a small space, else
  // neighbours of the best few (at most half) and random ones.
  std::vector<Index> gather(const History& history, std::size_t count);

 private:
  Space space_;
  Permutation samples_;
  Index next_ = 0;
};

// Places of up to `count` of the values, in their order: of all, or of the smallest half and others
// at random. What a model that cannot hold everything is built on.
std::vector<std::size_t> best_and_random(const std::vector<double>& values, std::size_t count,
                                         Rng& rng);

// Numbers of the `count` best entries, best first.
std::vector<std::size_t> best_entries(const History& history, std::size_t count);

// How sensible it is to measure `candidate` while nothing is learned yet: numbers that are powers
// of two (most kernels are written for them), values in the middle of their range, far from what
// is `known`. `is_sensible` false: only far from these. Which weights do best was measured:
// docs/measured/strategies.md.
double start_merit(const Moves& moves, const Positions& candidate, std::span<const Positions> known,
                   bool is_sensible = true);

// The most sensible of a few candidates that were not seen; empty when there is none.
std::optional<Index> sensible_start(const Moves& moves, const History& history,
                                    CandidateSource& source, std::span<const Index> known,
                                    bool is_sensible = true);

}  // namespace tuner::strategies
