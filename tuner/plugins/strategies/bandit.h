#pragma once

#include <deque>
#include <memory>
#include <unordered_map>

#include "tuner/plugins/strategies/history.h"

namespace tuner::strategies {

class Bandit : public sdk::Strategy {
 public:
  static constexpr const char* kName = "bandit";
  static constexpr const char* kSummary =
      "asks the one of several strategies that found improvements lately";
  static constexpr tuner_option_info kOptions[] = {
      {"strategies", "pattern_search+hybrid_vndx+differential_evolution+genetic",
       "which, joined by + (any but bandit, with their default options)"},
      {"window", "50", "answers that count as lately (1 to 100000)"},
      {"exploration", "0.02", "weight of trying those rarely asked (0 to 10)"}};

  explicit Bandit(const StrategySetup& setup);
  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;
  void learn(const sdk::Prior& prior) override;

 private:
  struct Use {
    std::size_t arm = 0;
    bool improved = false;
  };

  std::optional<Index> propose();
  std::vector<std::size_t> arms_by_merit() const;
  double merit(std::size_t arm) const;

  History history_;
  std::vector<std::unique_ptr<sdk::Strategy>> arms_;
  std::size_t window_;
  double exploration_;
  std::unordered_map<Index, std::size_t, IndexHash> asked_by_;  // the arm of each open question
  std::deque<Use> recent_;                                      // oldest first
  std::vector<std::size_t> open_;                               // questions of each arm
};

}  // namespace tuner::strategies
