#pragma once

#include <unordered_set>

#include "tuner/plugins/strategies/common.h"
#include "tuner/plugins/strategies/permutation.h"

namespace tuner::strategies {

class Random : public sdk::Strategy {
 public:
  static constexpr const char* kName = "random";
  static constexpr const char* kSummary = "uniform sampling without replacement";

  explicit Random(const StrategySetup& setup) : order_(setup.space.size(), setup.seed) {}
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  Permutation order_;
  Index next_ = 0;
  std::unordered_set<Index, IndexHash> earlier_;
};

}  // namespace tuner::strategies
