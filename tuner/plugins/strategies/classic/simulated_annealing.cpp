// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983): one walk through neighbours.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class SimulatedAnnealing : public Walkers {
 public:
  static constexpr const char* kName = "simulated_annealing";
  static constexpr const char* kSummary =
      "one walker that accepts worse neighbours ever more rarely";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "0.1", "first temperature, in units of median minus best (0 to 100)",
       "number 0..100"},
      {"end", "0.002", "last temperature; the walk then starts anew (1e-9 to 100)",
       "number 1e-9..100"},
      {"cooling", "0.98", "factor for each step (0.5 to 0.99999)", "number 0.5..0.99999"},
      {"neighbourhood", "hamming", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;

  double start_ = option<double>("start");
  double end_ = option<double>("end");
  double cooling_ = option<double>("cooling");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

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
    if (guide.accepts(next_value - value, temperature)) {
      at = *next;
      value = next_value;
    }
  }
}

}  // namespace

extern constexpr Registration kSimulatedAnnealing = registration_of<SimulatedAnnealing>();

}  // namespace tuner::strategies
