#include "tuner/plugins/strategies/iterated_local_search.h"

namespace tuner::strategies {

IteratedLocalSearch::IteratedLocalSearch(const StrategySetup& setup)
    : Walkers(setup),
      kick_(static_cast<std::size_t>(setup.options.integer("kick", 1, 100))),
      patience_(static_cast<int>(setup.options.integer("patience", 1, 1000000))),
      kind_(neighbourhood_option(setup)) {}

Walk IteratedLocalSearch::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index at = first.front();
  double value = co_await guide.measure(at);
  Index best = at;
  double best_value = value;
  for (int failures = 0; failures < patience_; ++failures) {
    std::vector<Index> near = moves().space().neighbours(at, kind_);
    rng.shuffle(near);
    while (!near.empty()) {
      const Index next = near.back();
      near.pop_back();
      const double next_value = co_await guide.measure(next);
      if (next_value >= value) continue;
      at = next;
      value = next_value;
      near = moves().space().neighbours(at, kind_);
      rng.shuffle(near);
    }
    if (value < best_value) {
      best = at;
      best_value = value;
      failures = -1;
    }
    at = moves().kick(best, kick_, rng);
    value = co_await guide.measure(at);
  }
}

}  // namespace tuner::strategies
