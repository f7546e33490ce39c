#pragma once

#include <memory>

#include "tuner/plugins/strategies/candidates.h"
#include "tuner/plugins/strategies/forest.h"
#include "tuner/plugins/strategies/history.h"

namespace tuner::strategies {

class SurrogateForest : public sdk::Strategy {
 public:
  static constexpr const char* kName = "surrogate_forest";
  static constexpr const char* kSummary = "randomised trees say what to measure next";
  static constexpr tuner_option_info kOptions[] = {
      {"trees", "30", "how many (1 to 1000)"},
      {"leaf", "1", "smallest number of measurements in a leaf (1 to 100)"},
      {"kappa", "1.0", "deviations between the trees that are subtracted (0 to 100)"},
      {"start", "10", "random configurations before the trees are used (1 to 100000)"},
      {"pool", "500", "candidates that the trees judge (10 to 100000)"}};

  explicit SurrogateForest(const StrategySetup& setup);
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  void rank_candidates();

  History history_;
  Moves moves_;
  Encoding encoding_;
  Rng rng_;
  CandidateSource source_;
  std::size_t trees_;
  std::size_t leaf_;
  double kappa_;
  std::size_t start_;
  std::size_t pool_;
  std::vector<Index> ranked_;     // the most promising last
  std::size_t next_ranking_ = 0;  // number of answers at which the trees are grown anew
};

}  // namespace tuner::strategies
