#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/ports/evaluator.h"

namespace tuner {

// Answers from a function, on a simulated clock: each trial takes seconds_per_trial.
class FakeEvaluator : public Evaluator {
 public:
  using Answer = std::function<Trial(ConfigIndex)>;

  FakeEvaluator(std::size_t capacity, Answer answer)
      : capacity_(capacity), answer_(std::move(answer)) {}

  std::size_t capacity() const override { return capacity_; }
  void submit(ConfigIndex index) override {
    submitted.push_back(index);
    outstanding_.push_back({index, clock_});
    most_outstanding = std::max(most_outstanding, outstanding_.size());
  }
  std::optional<Trial> next(double until) override {
    if (outstanding_.empty()) return std::nullopt;
    if (interrupt_after && returned >= *interrupt_after) return std::nullopt;
    const auto chosen = next_one();
    const bool is_slow = chosen->index == slow;
    const double end = is_slow ? std::max(clock_, slow_until) : clock_ + seconds_per_trial - done_;
    if (end > until) {
      if (!is_slow) done_ += std::max(0.0, until - clock_);
      clock_ = std::max(clock_, until);
      return std::nullopt;
    }
    Trial trial = answer_(chosen->index);
    trial.index = chosen->index;
    outstanding_.erase(chosen);
    clock_ = end;
    done_ = 0;
    ++returned;
    return trial;
  }
  void cancel() override {
    cancelled += outstanding_.size();
    outstanding_.clear();
    done_ = 0;
  }
  double now() const override { return clock_; }
  std::optional<MachineState> machine() const override {
    if (!workers) return std::nullopt;
    MachineState state;
    state.compile_workers = *workers;
    for (const Asked& one : outstanding_) {
      state.under_way.push_back({one.index, stage, clock_ - one.at, clock_ - one.at});
    }
    return state;
  }
  void reorder(std::span<const ConfigIndex> order) override {
    std::ranges::stable_sort(outstanding_, {}, [&](const Asked& one) {
      return std::ranges::find(order, one.index) - order.begin();
    });
  }

  double seconds_per_trial = 1;
  std::optional<std::size_t> workers;          // of the machine that strategies hear of
  tuner_stage stage = TUNER_STAGE_COMPILING;   // of all that is open
  bool newest_first = false;                   // answers out of order
  std::optional<std::size_t> interrupt_after;  // trials until next() comes back empty
  std::optional<ConfigIndex> slow;             // comes after the others, and not before then
  double slow_until = 0;
  std::size_t cancelled = 0;
  std::vector<ConfigIndex> submitted;
  std::size_t most_outstanding = 0;
  std::size_t returned = 0;

 private:
  struct Asked {
    ConfigIndex index;
    double at;
  };
  std::vector<Asked>::iterator next_one() {
    if (outstanding_.size() == 1) return outstanding_.begin();
    const auto late =
        std::ranges::find_if(outstanding_, [this](const Asked& one) { return one.index == slow; });
    if (late != outstanding_.end() && clock_ >= slow_until) return late;
    const auto quick = [this](const Asked& one) { return one.index != slow; };
    if (!newest_first) return std::find_if(outstanding_.begin(), outstanding_.end(), quick);
    const auto found = std::find_if(outstanding_.rbegin(), outstanding_.rend(), quick);
    return std::prev(found.base());
  }

  std::size_t capacity_;
  Answer answer_;
  std::vector<Asked> outstanding_;
  double clock_ = 0;
  double done_ = 0;  // seconds that the next one has had
};

}  // namespace tuner
