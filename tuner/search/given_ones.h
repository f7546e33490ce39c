#pragma once
// A strategy without the configurations that are suspected of killing the tuner: these come last,
// each alone, so that a death then has one possible cause less.

#include <map>
#include <memory>
#include <vector>

#include "tuner/ports/strategy.h"

namespace tuner {

class Postponed final : public StrategyBefore {
 public:
  Postponed(const std::vector<ConfigIndex>& suspects, std::unique_ptr<Strategy> then);
  std::vector<ConfigIndex> ask(std::size_t count) override;
  void tell(const Observation& observation) override;

  // Those that the other strategy asked for and that were not tried, in its order: what a budget
  // has left over.
  std::vector<ConfigIndex> held_back() const { return held_; }

 private:
  enum class State { kUnasked, kHeld, kOut };
  std::map<ConfigIndex, State> suspects_;
  std::vector<ConfigIndex> held_;
  std::size_t outstanding_ = 0;
  bool one_is_alone_ = false;
};

}  // namespace tuner
