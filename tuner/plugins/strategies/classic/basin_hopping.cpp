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

  explicit BasinHopping(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::size_t hop_;
  double temperature_;
  std::size_t tries_;
  tuner_neighbourhood kind_;
};

BasinHopping::BasinHopping(const StrategySetup& setup)
    : Walkers(setup),
      hop_(static_cast<std::size_t>(setup.options.integer("hop", 1, 100))),
      temperature_(setup.options.number("temperature", 0, 100)),
      tries_(static_cast<std::size_t>(setup.options.integer("tries", 1, 10000))),
      kind_(neighbourhood_option(setup)) {}

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
    const double scale = temperature_ * guide.history().spread();
    const double worse = value - basin_value;
    if (!(worse > 0) || (scale > 0 && rng.chance(std::exp(-worse / scale)))) {
      basin = at;
      basin_value = value;
    }
  }
}

}  // namespace

extern constexpr Registration kBasinHopping = registration_of<BasinHopping>();

}  // namespace tuner::strategies
