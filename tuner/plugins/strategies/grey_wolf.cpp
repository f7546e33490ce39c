#include "tuner/plugins/strategies/grey_wolf.h"

#include <algorithm>

namespace tuner::strategies {

GreyWolf::GreyWolf(const StrategySetup& setup)
    : Walkers(setup),
      pack_(static_cast<std::size_t>(setup.options.integer("pack", 4, 1000))),
      step_(setup.options.number("step", 0, 1)),
      patience_(static_cast<int>(setup.options.integer("patience", 1, 1000000))),
      sensible_(sensible_start_option(setup)) {}

// The three best come first in the pack.

Index GreyWolf::follow(const Population& pack, const Member& wolf, double step, Rng& rng) const {
  Positions child = wolf.positions;
  for (const std::uint32_t p : moves().free_parameters()) {
    const std::size_t leader = rng.below(4);
    if (leader < 3) child[p] = pack[leader].positions[p];
    if (rng.chance(step)) moves().step(child, p, rng);
  }
  return moves().repair(std::move(child), wolf.index, rng);
}

Walk GreyWolf::walk(Guide& guide) {
  constexpr int kTries = 8;
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.first(pack_, sensible_);
  const std::vector<double> first_values = co_await guide.measure_all(first);
  Population pack = make_population(moves().space(), first, first_values);
  int stagnant = 0;
  while (pack.size() >= 4) {
    std::ranges::stable_sort(pack, {}, &Member::value);
    const double best = pack.front().value;
    std::vector<Index> next;
    const std::size_t renewed = stagnant >= patience_ ? pack.size() / 2 : 0;
    for (std::size_t i = 0; i + renewed < pack.size(); ++i) {
      Index child = follow(pack, pack[i], step_, rng);
      for (int t = 1; t < kTries && guide.history().seen(child); ++t) {
        child = follow(pack, pack[i], std::min(1.0, step_ * (1 + 0.5 * t)), rng);
      }
      next.push_back(child);
    }
    if (renewed > 0) stagnant = 0;
    for (const Index index : guide.fresh(renewed)) next.push_back(index);
    const std::vector<double> values = co_await guide.measure_all(next);
    const Population children = make_population(moves().space(), next, values);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const bool is_new = i + renewed >= pack.size();
      if (is_new || children[i].value < pack[i].value) pack[i] = children[i];
    }
    const double now = std::ranges::min_element(pack, {}, &Member::value)->value;
    stagnant = now < best ? 0 : stagnant + 1;
  }
}

}  // namespace tuner::strategies
