#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class Nsga2 : public Walkers {
 public:
  static constexpr const char* kName = "nsga2";
  static constexpr const char* kSummary =
      "several objectives: generations sorted by dominance, then by crowding";
  static constexpr tuner_option_info kOptions[] = {
      {"population", "24", "configurations in a generation (4 to 10000)"},
      {"mutation", "0.1", "chance that a parameter changes (0 to 1)"}};

  explicit Nsga2(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::size_t population_;
  double mutation_;
};

}  // namespace tuner::strategies
