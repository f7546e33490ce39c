#pragma once

#include "tuner/plugins/strategies/walker.h"

namespace tuner::strategies {

class HybridVndx : public Walkers {
 public:
  static constexpr const char* kName = "hybrid_vndx";
  static constexpr const char* kSummary =
      "the best predicted of a few candidates from several neighbourhoods, accepted as in "
      "annealing";
  static constexpr tuner_option_info kOptions[] = {
      {"pool", "8", "candidates predicted for each measurement (2 to 1000)"},
      {"nearest", "5", "measured configurations that a prediction averages (1 to 100)"},
      {"elite", "5", "best ones that crossovers take parents from (2 to 100)"},
      {"tabu", "300", "configurations that are not walked to again (0 to 1000000)"},
      {"start", "1.0", "first temperature, in units of median minus best (0 to 100)"},
      {"cooling", "0.995", "factor for each step (0.5 to 0.99999)"},
      {"patience", "100", "steps without a new best before a new start (1 to 1000000)"}};

  explicit HybridVndx(const StrategySetup& setup);

 protected:
  Walk walk(Guide& guide) override;

 private:
  std::vector<Index> candidates(Guide& guide, Index at) const;
  double predict(const History& history, Index index) const;

  std::size_t pool_;
  std::size_t nearest_;
  std::size_t elite_;
  std::size_t tabu_;
  double start_;
  double cooling_;
  int patience_;
};

}  // namespace tuner::strategies
