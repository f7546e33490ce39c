#pragma once

#include "tuner/plugins/strategies/model_search.h"

namespace tuner::strategies {

class Bayesian : public ModelSearch {
 public:
  static constexpr const char* kName = "bayesian";
  static constexpr const char* kSummary = "a Gaussian process says what to measure next";
  static constexpr tuner_option_info kOptions[] = {
      {"acquisition", "ei",
       "ei (expected improvement), pi (its probability) or lcb (confidence bound)"},
      {"kappa", "1.5", "deviations below the mean, for lcb (0 to 100)"},
      {"margin", "0", "deviations that count as no improvement, for ei and pi (0 to 10)"},
      {"start", "10", "random configurations before the model is used (1 to 100000)"},
      {"pool", "1000", "candidates that the model judges (10 to 100000)"},
      {"points", "400", "measurements that the model is built on (10 to 5000)"}};

  explicit Bayesian(const StrategySetup& setup);
};

}  // namespace tuner::strategies
