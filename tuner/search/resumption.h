#pragma once
// Resumes from results of a time when the device may have been faster or slower than it is now:
// measures the best of them again before it relies on them. Strategies for configurations that are
// given.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
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

  // Returns suspects that the other strategy asked for and that were not tried, in its order: what
  // a budget has left over.
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

// The best stored result, measured again, beyond its interval and by more than 3 %.
struct Moved {
  Trial then;
  Trial now;
  double ratio = 1;         // the time now over the time then
  std::size_t results = 0;  // others that are not to be compared with new ones any more
};

// Describes the change for the user: "the device is 1.9 times slower than when these results were
// measured: ..."
std::string moved_text(const Moved& moved, const std::vector<Parameter>& parameters);

// Marks a valid trial as not comparable with new measurements: the device takes `ratio` times as
// long as it did then. Failures, and trials that are outdated already, stay as they are.
void mark_outdated(Trial& trial, double ratio);

// Whether a time lies outside of another one's interval, both of the search, and their medians
// differ by more than 3 %.
bool has_moved(const Timing& then, const Timing& now);

// The stored trials of one size, while it is tuned again.
class Resumption {
 public:
  // `stored` have their index in the space.
  Resumption(const ObjectiveSpec& objective, const MeasureSpec& measure, std::vector<Trial> stored,
             std::optional<Configuration> baseline = std::nullopt);

  // Returns the stored trial of a configuration that need not be measured: any but an outdated one.
  std::optional<Recalled> recall(ConfigIndex index) const;
  // Whether a valid result is there, outdated or not: it is not to blame for anything.
  bool is_valid_result(ConfigIndex index) const;
  bool any_valid() const;
  bool any_outdated() const;
  const std::vector<Trial>& trials() const { return trials_; }

  // Measures the best again, and marks all others as outdated when it has moved. One that fails now
  // is replaced by its failure, and the next best takes its place, three times at most.
  // `replace` is told of what becomes of stored trials, all of it at once; the last of them has
  // been measured. Gives up when it is `until` by the evaluator's clock.
  std::optional<Moved> compare(Evaluator& evaluator, double until,
                               const std::function<void(std::span<const Trial>)>& replace);

  // The outdated ones, best first.
  std::vector<ConfigIndex> outdated() const;

 private:
  std::size_t best() const;  // trials_.size() when there is none
  std::vector<Trial> outdate(std::size_t best, double ratio);

  ObjectiveSpec objective_;
  MeasureSpec measure_;
  std::optional<Configuration> baseline_;
  std::vector<Trial> trials_;
  std::map<ConfigIndex, std::size_t> places_;
  std::optional<ConfigIndex> measuring_;
};

// Proposes given configurations before another strategy's. That one hears of them when it asks.
class GivenFirst final : public StrategyBefore {
 public:
  GivenFirst(std::vector<ConfigIndex> given, std::unique_ptr<Strategy> then);
  std::vector<ConfigIndex> ask(std::size_t count) override;
  void tell(const Observation& observation) override;
  // Those that were given and that the other strategy has not asked for stay in front.
  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override;

 private:
  struct Given {
    bool wanted = false;  // by the other strategy
    std::optional<Observation> answer{};
  };
  std::vector<ConfigIndex> given_;
  std::size_t next_ = 0;
  std::map<ConfigIndex, Given> answers_;
};

}  // namespace tuner
