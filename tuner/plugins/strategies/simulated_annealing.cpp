#include "tuner/plugins/strategies/simulated_annealing.h"

#include <cmath>

namespace tuner::strategies {

SimulatedAnnealing::SimulatedAnnealing(const StrategySetup& setup)
    : Walkers(setup),
      start_(setup.options.number("start", 0, 100)),
      end_(setup.options.number("end", 1e-9, 100)),
      cooling_(setup.options.number("cooling", 0.5, 0.99999)),
      kind_(neighbourhood_option(setup)) {}

Walk SimulatedAnnealing::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index at = first.front();
  double value = co_await guide.measure(at);
  for (double temperature = start_; temperature > end_; temperature *= cooling_) {
    const auto next = moves().random_neighbour(at, kind_, rng);
    if (!next) co_return;
    const double next_value = co_await guide.measure(*next);
    const double worse = next_value - value;
    const double scale = temperature * guide.history().spread();
    if (!(worse > 0) || (scale > 0 && rng.chance(std::exp(-worse / scale)))) {
      at = *next;
      value = next_value;
    }
  }
}

}  // namespace tuner::strategies
