#include "tuner/plugins/strategies/design.h"

#include <algorithm>
#include <numeric>

namespace tuner::strategies {

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

}  // namespace tuner::strategies
