#pragma once
// Which configurations are worth a look: what a surrogate is asked about, and where to begin.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "tuner/plugins/strategies/parts/history.h"
#include "tuner/plugins/strategies/parts/moves.h"

namespace tuner::strategies {

// Numbers of the `count` best entries, best first.
inline std::vector<std::size_t> best_entries(const History& history, std::size_t count) {
  const auto& entries = history.entries();
  auto order = places_by(entries.size(), [&](std::size_t i) { return entries[i].value; });
  order.resize(std::min(count, order.size()));
  return order;
}

class CandidateSource {
 public:
  CandidateSource(Space space, std::uint64_t seed) : space_(space), samples_(space.size(), seed) {}

  // Up to `count` configurations that were not seen, no two the same: all of a small space, else
  // neighbours of the best few (at most half) and random ones.
  std::vector<Index> gather(const History& history, std::size_t count) {
    constexpr std::size_t kBest = 5;
    std::vector<Index> out;
    std::unordered_set<Index, IndexHash> taken;
    const auto add = [&](Index index) {
      if (!history.seen(index) && taken.insert(index).second) out.push_back(index);
    };
    if (space_.size() <= count) {
      for (Index index = 0; index < space_.size(); ++index) add(index);
      return out;
    }
    for (const std::size_t entry : best_entries(history, kBest)) {
      for (const Index index : space_.neighbours(history.entries()[entry].index)) {
        if (out.size() < count / 2) add(index);
      }
    }
    for (std::size_t tried = 0; out.size() < count && tried < 2 * count; ++tried) {
      add(samples_.at(next_));
      next_ = next_ + 1 == space_.size() ? 0 : next_ + 1;
    }
    return out;
  }

 private:
  Space space_;
  Permutation samples_;
  Index next_ = 0;
};

// Places of up to `count` of the values, in their order: of all, or of the smallest half and others
// at random. What a model that cannot hold everything is built on.
inline std::vector<std::size_t> best_and_random(const std::vector<double>& values,
                                                std::size_t count, Rng& rng) {
  auto order = places_by(values.size(), [&](std::size_t i) { return values[i]; });
  if (order.size() > count) {
    std::vector<std::size_t> rest(order.begin() + static_cast<std::ptrdiff_t>(count / 2),
                                  order.end());
    order.resize(count / 2);
    rng.shuffle(rest);
    rest.resize(count - order.size());
    order.insert(order.end(), rest.begin(), rest.end());
  }
  std::ranges::sort(order);
  return order;
}

inline bool is_odd_size(double value) {
  return value > 0 && std::exp2(std::round(std::log2(value))) != value;
}

// Mean over the parameters of how far apart the values are, 0 .. 1.
inline double distance(const Moves& moves, const Positions& a, const Positions& b) {
  const Space& space = moves.space();
  double total = 0;
  for (const std::uint32_t p : moves.free_parameters()) {
    if (a[p] == b[p]) continue;
    const double apart = std::abs(static_cast<double>(a[p]) - static_cast<double>(b[p]));
    total += space.ordered(p) ? apart / (space.value_count(p) - 1) : 1;
  }
  return total / static_cast<double>(std::max<std::size_t>(moves.free_parameters().size(), 1));
}

// How sensible it is to measure `candidate` while nothing is learned yet: numbers that are powers
// of two (most kernels are written for them), values in the middle of their range, far from what
// is `known`. `is_sensible` false: only far from these. Which weights do best was measured:
// docs/measured/strategies.md. Differences count in shares of a parameter's range, so that long
// lists weigh no more than short ones.
inline double start_merit(const Moves& moves, const Positions& candidate,
                          std::span<const Positions> known, bool is_sensible = true) {
  const Space& space = moves.space();
  constexpr double kOddSize = 1;
  constexpr double kOffCentre = 0.5;
  double penalty = 0;
  double ordered = 0;
  for (const std::uint32_t p : moves.free_parameters()) {
    if (!space.ordered(p)) continue;
    const double last = space.value_count(p) - 1;
    ordered += 1;
    penalty += kOffCentre * std::abs(candidate[p] / last - 0.5);
    if (is_odd_size(space.value(p, candidate[p]))) penalty += kOddSize;
  }
  double nearest = known.empty() ? 0 : 1;
  for (const Positions& other : known) {
    nearest = std::min(nearest, distance(moves, candidate, other));
  }
  return is_sensible ? nearest - penalty / std::max(ordered, 1.0) : nearest;
}

// The most sensible of a few candidates that were not seen; empty when there is none.
inline std::optional<Index> sensible_start(const Moves& moves, const History& history,
                                           CandidateSource& source, std::span<const Index> known,
                                           bool is_sensible = true) {
  constexpr std::size_t kCandidates = 50;
  constexpr std::size_t kRecent = 50;  // that count as known
  std::vector<Positions> taken;
  for (const Index index : known.last(std::min(known.size(), kRecent))) {
    taken.push_back(moves.space().positions(index));
  }
  std::optional<Index> best;
  double most = -kInfinity;
  for (const Index index : source.gather(history, kCandidates)) {
    const double merit = start_merit(moves, moves.space().positions(index), taken, is_sensible);
    if (merit <= most) continue;
    most = merit;
    best = index;
  }
  return best ? best : history.fresh();
}

}  // namespace tuner::strategies
