#pragma once

#include "tuner/plugins/strategies/population.h"
#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class DifferentialEvolution : public Walkers {
 public:
  static constexpr const char* kName = "differential_evolution";
  static constexpr const char* kSummary = "best/1/bin or rand/1/bin on value positions";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "20", "configurations (4 to 10000)"},
      {"factor", "0.7", "weight of the difference (0 to 2)"},
      {"crossover", "0.7", "chance that a parameter comes from the mutant (0 to 1)"},
      {"base", "best", "the vector that the difference is added to: best or random"},
      kStartOption};

  explicit DifferentialEvolution(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  Index trial(const Population& members, std::size_t target, Rng& rng) const;

  std::size_t population_;
  double factor_;
  double crossover_;
  bool from_best_;
  bool sensible_;
};

}  // namespace tuner::strategies
