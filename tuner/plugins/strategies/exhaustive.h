#pragma once

#include <unordered_set>

#include "tuner/plugins/strategies/common.h"

namespace tuner::strategies {

class Exhaustive : public sdk::Strategy {
 public:
  static constexpr const char* kName = "exhaustive";
  static constexpr const char* kSummary = "every valid configuration, in the order of the space";

  explicit Exhaustive(const StrategySetup& setup) : size_(setup.space.size()) {}
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

 private:
  Index size_;
  Index next_ = 0;
  std::unordered_set<Index, IndexHash> known_;  // of those ahead
};

}  // namespace tuner::strategies
