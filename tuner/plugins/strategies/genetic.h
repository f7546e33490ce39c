#pragma once

#include "tuner/plugins/strategies/population.h"
#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class Genetic : public Walkers {
 public:
  static constexpr const char* kName = "genetic";
  static constexpr const char* kSummary = "generations of crossover and mutation, the best survive";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "10", "configurations in a generation (2 to 10000)"},
      {"mutation", "0.1", "chance that a parameter changes (0 to 1)"},
      {"crossover", "uniform", "uniform, one_point or two_point"},
      {"elite", "2", "best ones that enter the next generation unchanged (0 to population)"},
      kStartOption};

  explicit Genetic(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  Positions cross(const Positions& a, const Positions& b, Rng& rng) const;

  std::size_t population_;
  double mutation_;
  std::string crossover_;
  std::size_t elite_;
  bool sensible_;
};

}  // namespace tuner::strategies
