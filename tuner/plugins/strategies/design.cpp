#include "tuner/plugins/strategies/design.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {
namespace {

bool is_odd_size(double value) {
  return value > 0 && std::exp2(std::round(std::log2(value))) != value;
}

// Mean over the parameters of how far apart the values are, 0 .. 1.
double distance(const Moves& moves, const Positions& a, const Positions& b) {
  const Space& space = moves.space();
  double total = 0;
  for (const std::uint32_t p : moves.free_parameters()) {
    if (a[p] == b[p]) continue;
    const double apart = std::abs(static_cast<double>(a[p]) - static_cast<double>(b[p]));
    total += space.ordered(p) ? apart / (space.value_count(p) - 1) : 1;
  }
  return total / static_cast<double>(std::max<std::size_t>(moves.free_parameters().size(), 1));
}

}  // namespace

double start_merit(const Moves& moves, const Positions& candidate,
                   std::span<const Positions> known) {
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
  return nearest - penalty / std::max(ordered, 1.0);
}

std::optional<Index> sensible_start(const Moves& moves, const History& history,
                                    CandidateSource& source, std::span<const Index> known) {
  constexpr std::size_t kCandidates = 50;
  constexpr std::size_t kRecent = 50;  // that count as known
  std::vector<Positions> taken;
  for (const Index index : known.last(std::min(known.size(), kRecent))) {
    taken.push_back(moves.space().positions(index));
  }
  std::optional<Index> best;
  double most = -kInfinity;
  for (const Index index : source.gather(history, kCandidates)) {
    const double merit = start_merit(moves, moves.space().positions(index), taken);
    if (merit <= most) continue;
    most = merit;
    best = index;
  }
  return best ? best : history.fresh();
}

}  // namespace tuner::strategies
