// Grey wolf optimisation (Mirjalili, Mirjalili and Lewis 2014), recombining values instead of
// averaging them.

#include <algorithm>

#include "tuner/plugins/strategies/catalogue.h"
#include "tuner/plugins/strategies/parts/walker.h"

namespace tuner::strategies {
namespace {

class GreyWolf : public Walkers {
 public:
  static constexpr const char* kName = "grey_wolf";
  static constexpr const char* kSummary =
      "a pack that recombines its three best, with small steps, and restarts when it stagnates";
  static constexpr tuner_option_info kOptions[] = {
      {"pack", "8", "wolves (4 to 1000)", "integer 4..1000"},
      {"step", "0.3", "chance that a parameter takes a step; falls as the pack succeeds (0 to 1)",
       "number 0..1"},
      {"patience", "5", "rounds without a new best before half the pack is renewed (1 to 1000000)",
       "integer 1..1000000"},
      kStartOption};

  using Walkers::Walkers;

 private:
  Walk walk(Guide& guide) override;
  Index follow(const Population& pack, const Member& wolf, double step, Rng& rng) const;

  std::size_t pack_ = option<std::size_t>("pack");
  double step_ = option<double>("step");
  int patience_ = option<int>("patience");
  bool sensible_ = sensible_start_option(options());
};

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

}  // namespace

extern constexpr Registration kGreyWolf = registration_of<GreyWolf>();

}  // namespace tuner::strategies
