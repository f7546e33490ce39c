// Passes questions from the strategy to the evaluator and answers back.

#include "tuner/engine/tuning_loop.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "tuner/engine/budget.h"
#include "tuner/engine/objective.h"

namespace tuner {
namespace {

// A strategy that only repeats itself has to be given up on at some point; one that draws at random
// from a small space may need many draws to hit the last configurations.
constexpr int kMostFruitlessAsks = 1000;

class Loop {
 public:
  Loop(Strategy& strategy, Evaluator& evaluator, const ObjectiveSpec& objective,
       const Budget& budget, const LoopCallbacks& callbacks)
      : strategy_(strategy),
        evaluator_(evaluator),
        objective_(objective),
        callbacks_(callbacks),
        clock_(budget, objective) {}

  LoopResult run() {
    while (!ended_) {
      fill_up();
      if (outstanding_ > 0) {
        receive();
      } else if (!ended_ && ++fruitless_asks_ >= kMostFruitlessAsks) {
        end(LoopEnd::kExhausted, "the strategy only repeats itself");
      }
    }
    while (outstanding_ > 0) receive();
    result_.evaluations = clock_.count_finished();
    return result_;
  }

 private:
  void end(LoopEnd how, std::string reason) {
    if (ended_) return;
    ended_ = true;
    result_.end = how;
    result_.reason = std::move(reason);
  }

  // Asks until as much is outstanding as is useful, or the strategy wants answers first.
  void fill_up() {
    while (!ended_ && outstanding_ < std::max<std::size_t>(1, evaluator_.capacity())) {
      if (callbacks_.stop && callbacks_.stop()) return end(LoopEnd::kInterrupted, "interrupted");
      if (auto why = clock_.spent(evaluator_.now())) return end(LoopEnd::kBudget, *why);
      const std::size_t room = std::max<std::size_t>(1, evaluator_.capacity()) - outstanding_;
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(room, clock_.may_submit()));
      tell_of_machine();
      const std::vector<ConfigIndex> proposals = strategy_.ask(wanted);
      if (proposals.empty()) {
        if (outstanding_ == 0) end(LoopEnd::kExhausted, "nothing is left to try");
        return;
      }
      const std::uint64_t before = clock_.count_submitted();
      for (const ConfigIndex index : proposals)
        submit(index, wanted - (clock_.count_submitted() - before));
      if (clock_.count_submitted() == before) return;
    }
  }

  void tell_of_machine() {
    std::optional<MachineState> machine = evaluator_.machine();
    if (!machine) return;
    const auto left = clock_.left(evaluator_.now());
    machine->evaluations_left = left.evaluations;
    machine->seconds_left = left.seconds;
    strategy_.notice(*machine);
  }

  void submit(ConfigIndex index, std::uint64_t still_wanted) {
    const auto known = seen_.find(index);
    if (known != seen_.end()) {
      // Answered again rather than ignored: a strategy that waits for it would wait for ever.
      if (known->second) strategy_.tell(*known->second);
      return;
    }
    if (still_wanted == 0) return;  // more than was asked for
    seen_.emplace(index, std::nullopt);
    evaluator_.submit(index);
    clock_.submitted();
    ++outstanding_;
    fruitless_asks_ = 0;
  }

  void receive() {
    const std::optional<Trial> trial = evaluator_.next();
    if (!trial) {
      outstanding_ = 0;
      return end(LoopEnd::kInterrupted, "interrupted");
    }
    --outstanding_;
    const Observation observation = observation_of(objective_, *trial);
    clock_.finished(observation.objectives.empty() ? std::nullopt
                                                   : std::optional(trial->objective.value()));
    if (callbacks_.on_trial) callbacks_.on_trial(*trial);
    seen_[trial->index] = observation;
    strategy_.tell(observation);
  }

  Strategy& strategy_;
  Evaluator& evaluator_;
  const ObjectiveSpec& objective_;
  const LoopCallbacks& callbacks_;
  BudgetClock clock_;
  std::map<ConfigIndex, std::optional<Observation>> seen_;  // empty while outstanding
  std::size_t outstanding_ = 0;
  int fruitless_asks_ = 0;
  bool ended_ = false;
  LoopResult result_;
};

}  // namespace

Observation observation_of(const ObjectiveSpec& objective, const Trial& trial) {
  Observation out;
  out.index = trial.index;
  out.state = trial.state;
  if (is_valid(trial) && std::isfinite(trial.objective.value())) {
    out.objectives = all_to_minimise(objective, trial);
  } else if (is_valid(trial)) {
    out.state = TrialState::kRuntime;  // its metric has no value: nothing to learn from
  }
  out.cost_seconds = trial.cost_seconds;
  out.compile_seconds = trial.compile_ms / 1000;
  return out;
}

LoopResult run_loop(Strategy& strategy, Evaluator& evaluator, const ObjectiveSpec& objective,
                    const Budget& budget, const LoopCallbacks& callbacks) {
  return Loop(strategy, evaluator, objective, budget, callbacks).run();
}

}  // namespace tuner
