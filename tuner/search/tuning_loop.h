#pragma once
// Strategy proposes, evaluator answers, until the budget is spent.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/ports/strategy.h"

namespace tuner {

struct LoopCallbacks {
  std::function<void(const Trial&)> on_trial;  // each finished trial, before the strategy is told
  std::function<bool()> stop;                  // true: submit nothing more (Ctrl-C)
  // Seconds of the budget that must be left when the search ends, for what follows it; may change
  // as trials come in. Empty: none.
  std::function<double()> reserve{};
  // Whether the evaluator has the answer already, and what is done before it is asked for one that
  // it has not: nothing is outstanding then. False ends the search. Empty: nothing is done.
  std::function<bool(ConfigIndex)> is_known{};
  std::function<bool()> before_new{};
};

enum class LoopEnd { kExhausted, kBudget, kInterrupted };

struct LoopResult {
  LoopEnd end = LoopEnd::kExhausted;
  std::string reason;             // for people: "500 evaluations", "every configuration is known"
  std::uint64_t evaluations = 0;  // trials that came back
  std::size_t cancelled = 0;      // questions that were ended when the time was up
  std::size_t compiled = 0;       // of these, those that waited for the device only
  std::size_t stragglers = 0;     // compilations that were ended because all waited for them
};

// Keeps evaluator.capacity() configurations outstanding. Each configuration is submitted once: a
// repeated proposal is answered from memory. Never submits more than the budget's evaluations
// (trials answered by the store count). Whatever is outstanding when the loop decides to end is
// waited for, unless the evaluator itself is interrupted, or the budget's seconds are over: then it
// is cancelled, but for what is on the device, which gets half of the seconds that are left.
//
// After each answer the strategy may reorder what is compiled and waits for a device.
//
// A compilation that takes far longer than the others (Stragglers) does not hold up a
// strategy that wants its answer: that one is told kTimeout, and the trial is reported whenever it
// comes. Nor does it hold up the end of a search that has a budget: it is cancelled. Without one
// everything is waited for. Trial::objective must be set.
LoopResult run_loop(Strategy& strategy, Evaluator& evaluator, const ObjectiveSpec& objective,
                    const Budget& budget, const LoopCallbacks& callbacks);

// Makes the observation of a trial that a strategy receives.
Observation observation_of(const ObjectiveSpec& objective, const Trial& trial);

// Compilations that take so much longer than the others that nobody should wait for them: a
// straggler has been compiled for more than 10 s and more than ten times the median of those that
// are done. It matters once nothing else is open: until then nobody waits for it alone.
class Stragglers {
 public:
  // Adds the time for which the trial was compiled; artifacts from a cache took none.
  void heard(const Trial& trial);
  // Whether everything that is open is a straggler.
  bool hold_all_up(const MachineState& machine) const;
  // Compilations that take longer than this are stragglers; empty while too few are done to tell.
  std::optional<double> limit_seconds() const;

 private:
  std::vector<double> compile_seconds_;
};

}  // namespace tuner
