#pragma once

#include "tuner/plugins/strategies/population.h"
#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class GreyWolf : public Walkers {
 public:
  static constexpr const char* kName = "grey_wolf";
  static constexpr const char* kSummary =
      "a pack that recombines its three best, with small steps, and restarts when it stagnates";
  static constexpr tuner_option_info kOptions[] = {
      {"pack", "8", "wolves (4 to 1000)"},
      {"step", "0.3", "chance that a parameter takes a step; falls as the pack succeeds (0 to 1)"},
      {"patience", "5", "rounds without a new best before half the pack is renewed (1 to 1000000)"},
      kStartOption};

  explicit GreyWolf(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  Index follow(const Population& pack, const Member& wolf, double step, Rng& rng) const;

  std::size_t pack_;
  double step_;
  int patience_;
  bool sensible_;
};

}  // namespace tuner::strategies
