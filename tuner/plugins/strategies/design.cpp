#include "tuner/plugins/strategies/design.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<Index> latin_hypercube(const Moves& moves, std::size_t count, Index home, Rng& rng) {
  const Space& space = moves.space();
  std::vector<Positions> points(count, space.positions(home));
  std::vector<std::size_t> strata(count);
  for (const std::uint32_t p : moves.free_parameters()) {
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    rng.shuffle(strata);
    for (std::size_t i = 0; i < count; ++i) {
      const double share = (static_cast<double>(strata[i]) + rng.uniform()) / count;
      points[i][p] = static_cast<std::uint32_t>(share * space.value_count(p));
    }
  }
  std::vector<Index> out;
  for (Positions& point : points) {
    const Index index = moves.repair(std::move(point), home, rng);
    if (std::ranges::find(out, index) == out.end()) out.push_back(index);
  }
  return out;
}

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

}  // namespace tuner::strategies
