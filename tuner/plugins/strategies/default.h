#pragma once

#include "tuner/plugins/strategies/model_search.h"

namespace tuner::strategies {

class Default : public ModelSearch {
 public:
  static constexpr const char* kName = "default";
  static constexpr const char* kSummary = "the champion";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "3", ""},   {"pool", "1200", ""}, {"points", "400", ""}, {"fit", "40", ""},
      {"fitp", "120", ""},  {"grow", "1.25", ""}, {"cost", "0", ""},     {"flatten", "0.5", ""},
      {"failure", "1", ""}, {"acq", "ei", ""},    {"kappa", "1.5", ""},  {"margin", "0", ""}};
  explicit Default(const StrategySetup& setup);
};

}  // namespace tuner::strategies
