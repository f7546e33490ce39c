#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class IteratedLocalSearch : public Walkers {
 public:
  static constexpr const char* kName = "iterated_local_search";
  static constexpr const char* kSummary = "first-improvement descent, then a kick from the best";
  static constexpr tuner_option_info kOptions[] = {
      {"kick", "2", "parameters that a kick changes (1 to 100)"},
      {"patience", "5", "descents without a better result before a new start (1 to 1000000)"},
      {"neighbourhood", "adjacent", "adjacent or hamming"}};

  explicit IteratedLocalSearch(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::size_t kick_;
  int patience_;
  tuner_neighbourhood kind_;
};

}  // namespace tuner::strategies
