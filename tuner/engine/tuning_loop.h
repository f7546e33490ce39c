#pragma once
// Strategy proposes, evaluator answers, until the budget is spent.

#include <cstdint>
#include <functional>
#include <string>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/strategy.h"

namespace tuner {

struct LoopCallbacks {
  std::function<void(const Trial&)> on_trial;  // each finished trial, before the strategy is told
  std::function<bool()> stop;                  // true: submit nothing more (Ctrl-C)
};

enum class LoopEnd { kExhausted, kBudget, kInterrupted };

struct LoopResult {
  LoopEnd end = LoopEnd::kExhausted;
  std::string reason;             // for people: "500 evaluations", "every configuration is known"
  std::uint64_t evaluations = 0;  // trials that came back
};

// Keeps evaluator.capacity() configurations outstanding. Each configuration is submitted once: a
// repeated proposal is answered from memory. Never submits more than the budget's evaluations
// (trials answered by the store count); whatever is outstanding when the loop decides to end is
// waited for, unless the evaluator itself is interrupted. Trial::objective must be set.
LoopResult run_loop(Strategy& strategy, Evaluator& evaluator, const ObjectiveSpec& objective,
                    const Budget& budget, const LoopCallbacks& callbacks);

// What a strategy is told of a trial.
Observation observation_of(const ObjectiveSpec& objective, const Trial& trial);

}  // namespace tuner
