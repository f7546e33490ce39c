#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class BasinHopping : public Walkers {
 public:
  static constexpr const char* kName = "basin_hopping";
  static constexpr const char* kSummary =
      "descents joined by random hops that are accepted as in annealing";
  static constexpr tuner_option_info kOptions[] = {
      {"hop", "3", "parameters that a hop changes (1 to 100)"},
      {"temperature", "0.1", "in units of median minus best (0 to 100)"},
      {"tries", "12", "neighbours tried before a place counts as a basin (1 to 10000)"},
      {"neighbourhood", "adjacent", "adjacent or hamming"}};

  explicit BasinHopping(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::size_t hop_;
  double temperature_;
  std::size_t tries_;
  tuner_neighbourhood kind_;
};

}  // namespace tuner::strategies
