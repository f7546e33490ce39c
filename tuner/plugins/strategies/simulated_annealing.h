#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class SimulatedAnnealing : public Walkers {
 public:
  static constexpr const char* kName = "simulated_annealing";
  static constexpr const char* kSummary =
      "one walker that accepts worse neighbours ever more rarely";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "0.1", "first temperature, in units of median minus best (0 to 100)"},
      {"end", "0.002", "last temperature; the walk then starts anew (1e-9 to 100)"},
      {"cooling", "0.98", "factor for each step (0.5 to 0.99999)"},
      {"neighbourhood", "hamming", "adjacent or hamming"}};

  explicit SimulatedAnnealing(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  double start_;
  double end_;
  double cooling_;
  tuner_neighbourhood kind_;
};

}  // namespace tuner::strategies
