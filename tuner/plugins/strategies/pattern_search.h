#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class PatternSearch : public Walkers {
 public:
  static constexpr const char* kName = "pattern_search";
  static constexpr const char* kSummary =
      "Hooke and Jeeves: steps along each parameter, then along their sum, then smaller steps";
  static constexpr tuner_option_info kOptions[] = {
      {"step", "0.25", "first step, as a share of a parameter's values (0 to 1)"}};

  explicit PatternSearch(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  // The valid configurations a step along this parameter leads to.
  std::vector<Index> around(const Positions& at, std::uint32_t parameter, double share) const;

  double step_;
};

}  // namespace tuner::strategies
