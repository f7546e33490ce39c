// Basin hopping (Wales and Doye 1997): descents to local optima, joined by hops as in annealing.

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class BasinHopping : public Walkers {
 public:
  static constexpr const char* kName = "basin_hopping";
  static constexpr const char* kSummary =
      "descents joined by random hops that are accepted as in annealing";
  static constexpr tuner_option_info kOptions[] = {
      {"hop", "3", "parameters that a hop changes (1 to 100)", "integer 1..100"},
      {"temperature", "0.1", "in units of median minus best (0 to 100)", "number 0..100"},
      {"tries", "12", "neighbours tried before a place counts as a basin (1 to 10000)",
       "integer 1..10000"},
      {"neighbourhood", "adjacent", "adjacent or hamming", "one of adjacent, hamming"}};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;

  std::size_t hop_ = option<std::size_t>("hop");
  double temperature_ = option<double>("temperature");
  std::size_t tries_ = option<std::size_t>("tries");
  tuner_neighbourhood kind_ = neighbourhood_option(options());
};

Walk BasinHopping::walk(Guide& guide) {
  Rng& rng = guide.rng();
  const std::vector<Index> first = guide.sensible(1);
  if (first.empty()) co_return;
  Index basin = first.front();
  double basin_value = co_await guide.measure(basin);
  while (true) {
    Index at = moves().kick(basin, hop_, rng);
    double value = co_await guide.measure(at);
    std::size_t failed = 0;
    while (failed < tries_) {
      const auto next = moves().random_neighbour(at, kind_, rng);
      if (!next) break;
      const double next_value = co_await guide.measure(*next);
      ++failed;
      if (next_value >= value) continue;
      at = *next;
      value = next_value;
      failed = 0;
    }
    if (guide.accepts(value - basin_value, temperature_)) {
      basin = at;
      basin_value = value;
    }
  }
}

}  // namespace

extern constexpr Registration kBasinHopping = registration_of<BasinHopping>();

}  // namespace tuner::strategies
