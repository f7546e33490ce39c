#pragma once
// Strategies for given configurations: a list of them, and those that come last because they are
// suspected of killing the tuner.

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/ports/strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Another strategy without its suspects: these come last, each alone, so that a death then has one
// possible cause less.
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

// Proposes a list, whatever the answers are.
class ListedOnes final : public Strategy {
 public:
  explicit ListedOnes(std::vector<ConfigIndex> listed) : listed_(std::move(listed)) {}
  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count && next_ < listed_.size()) out.push_back(listed_[next_++]);
    return out;
  }
  void tell(const Observation&) override {}

 private:
  std::vector<ConfigIndex> listed_;
  std::size_t next_ = 0;
};

// The places in `space` of those that it has.
inline std::vector<ConfigIndex> indices_of(const SearchSpace& space,
                                           const std::vector<Configuration>& configurations) {
  std::vector<ConfigIndex> indices;
  for (const Configuration& one : configurations) {
    if (const auto index = space.index_of(one)) indices.push_back(*index);
  }
  return indices;
}

}  // namespace tuner
