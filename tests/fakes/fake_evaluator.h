#pragma once

#include <algorithm>
#include <functional>
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
    outstanding_.push_back(index);
    most_outstanding = std::max(most_outstanding, outstanding_.size());
  }
  std::optional<Trial> next() override {
    if (outstanding_.empty()) return std::nullopt;
    if (interrupt_after && returned >= *interrupt_after) return std::nullopt;
    const auto chosen = newest_first ? outstanding_.end() - 1 : outstanding_.begin();
    Trial trial = answer_(*chosen);
    trial.index = *chosen;
    outstanding_.erase(chosen);
    clock_ += seconds_per_trial;
    ++returned;
    return trial;
  }
  double now() const override { return clock_; }
  std::optional<MachineState> machine() const override {
    if (!workers) return std::nullopt;
    MachineState state;
    state.compile_workers = *workers;
    for (const ConfigIndex index : outstanding_) {
      state.under_way.push_back({index, Stage::kCompiling, 0});
    }
    return state;
  }

  double seconds_per_trial = 1;
  std::optional<std::size_t> workers;          // of the machine that strategies hear of
  bool newest_first = false;                   // answers out of order
  std::optional<std::size_t> interrupt_after;  // trials until next() comes back empty
  std::vector<ConfigIndex> submitted;
  std::size_t most_outstanding = 0;
  std::size_t returned = 0;

 private:
  std::size_t capacity_;
  Answer answer_;
  std::vector<ConfigIndex> outstanding_;
  double clock_ = 0;
};

}  // namespace tuner
