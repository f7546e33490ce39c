// Passes questions from the strategy to the evaluator and answers back.

#include "tuner/search/tuning_loop.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"
#include "tuner/search/budget.h"

namespace tuner {

namespace {

constexpr double kTimesTheMedian = 10;
constexpr double kShortestSeconds = 10;
constexpr std::size_t kFewest = 5;  // compilations that a median says something of

}  // namespace

void Stragglers::heard(const Trial& trial) {
  if (!trial.from_store && trial.compile_ms > 0) {
    compile_seconds_.push_back(trial.compile_ms / 1000);
  }
}

std::optional<double> Stragglers::limit_seconds() const {
  if (compile_seconds_.size() < kFewest) return std::nullopt;
  return std::max(kShortestSeconds, kTimesTheMedian * median(compile_seconds_));
}

bool Stragglers::hold_all_up(const MachineState& machine) const {
  if (machine.under_way.empty()) return false;
  const bool compiling = std::ranges::all_of(
      machine.under_way, [](const UnderWay& one) { return one.stage == TUNER_STAGE_COMPILING; });
  const std::optional<double> limit = compiling ? limit_seconds() : std::nullopt;
  return limit && std::ranges::all_of(machine.under_way,
                                      [&](const UnderWay& one) { return one.in_stage > *limit; });
}

namespace {

// A strategy that only repeats itself has to be given up on at some point; one that draws at random
// from a small space may need many draws to hit the last configurations.
constexpr int kMostFruitlessAsks = 1000;
constexpr double kLookForStragglers = 1;  // seconds between two looks

bool is_limited(const Budget& budget) {
  return budget.evaluations || budget.seconds || budget.target || budget.patience;
}

// Removes from `machine` everything that depends on how long things take here and now. A search
// that no clock ends has no use for it: without it, the same answers in the same order lead to the
// same questions.
void forget_time(MachineState& machine) {
  machine.compilers_busy = machine.device_busy = 0;
  for (UnderWay& one : machine.under_way) one = {one.index, TUNER_STAGE_COMPILING, 0, 0};
  std::ranges::sort(machine.under_way, {}, &UnderWay::index);
}

class Loop {
 public:
  Loop(Strategy& strategy, Evaluator& evaluator, const ObjectiveSpec& objective,
       const Budget& budget, const LoopCallbacks& callbacks)
      : strategy_(strategy),
        evaluator_(evaluator),
        objective_(objective),
        budget_(budget),
        callbacks_(callbacks),
        clock_(budget, objective) {}

  LoopResult run() {
    while (!ended_) {
      fill_up();
      if (outstanding_ > 0) {
        receive();
      } else if (!ended_ && ++fruitless_asks_ >= kMostFruitlessAsks) {
        end(LoopEnd::kExhausted, "the strategy proposes nothing new");
      }
    }
    while (outstanding_ > 0) receive();
    if (!aside_.empty()) end_stragglers();
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
      if (auto why = clock_.spent(evaluator_.now() + reserve())) {
        return end(LoopEnd::kBudget, *why);
      }
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
      for (const ConfigIndex index : proposals) {
        submit(index, wanted - (clock_.count_submitted() - before));
        if (ended_) return;
      }
      if (clock_.count_submitted() == before) return;
    }
  }

  void tell_of_machine() {
    std::optional<MachineState> machine = evaluator_.machine();
    if (!machine) return;
    const auto left = clock_.left(evaluator_.now() + reserve());
    if (is_limited(budget_) && !budget_.seconds) forget_time(*machine);
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
    if (callbacks_.before_new && !callbacks_.is_known(index) && !prepare_for_new()) return;
    seen_.emplace(index, std::nullopt);
    evaluator_.submit(index);
    clock_.submitted();
    ++outstanding_;
    fruitless_asks_ = 0;
  }

  // Waits for what is outstanding, which is known and comes at once. Returns whether to go on.
  bool prepare_for_new() {
    while (outstanding_ > 0) receive();
    if (!ended_ && !callbacks_.before_new()) end(LoopEnd::kInterrupted, "interrupted");
    return !ended_;
  }

  double reserve() const { return callbacks_.reserve ? callbacks_.reserve() : 0; }

  // Waits for an answer, or for the end of the time.
  void receive() {
    for (;;) {
      const double search_end = budget_.seconds ? *budget_.seconds - reserve() : kNoEnd;
      const double until = std::min(search_end, evaluator_.now() + kLookForStragglers);
      if (const auto trial = evaluator_.next(until)) return take(*trial);
      const double now = evaluator_.now();
      if (now >= search_end) {
        if (const auto why = clock_.spent(*budget_.seconds)) end(LoopEnd::kBudget, *why);
        result_.compiled = compiled().size();
        result_.cancelled = cancel();
        result_.compiled = std::min(result_.compiled, result_.cancelled);
        return;
      }
      if (now < until) return interrupted();
      if (set_stragglers_aside()) return;
    }
  }

  void interrupted() {
    outstanding_ = 0;
    aside_.clear();
    end(LoopEnd::kInterrupted, "interrupted");
  }

  void take(const Trial& trial) {
    const bool is_late = aside_.erase(trial.index) > 0;
    const auto known = seen_.find(trial.index);
    const bool is_revised = !is_late && (known == seen_.end() || known->second);
    if (!is_late && !is_revised) --outstanding_;
    const Observation observation = observation_of(objective_, trial);
    if (!is_revised)
      clock_.finished(observation.objectives.empty() ? std::nullopt
                                                     : std::optional(trial.objective.value()));
    stragglers_.heard(trial);
    if (callbacks_.on_trial) callbacks_.on_trial(trial);
    if (is_late || is_revised) return;  // the strategy has an answer
    seen_[trial.index] = observation;
    strategy_.tell(observation);
    reorder();
  }

  // Reorders variants that wait for a device: they were requested when less was known.
  void reorder() {
    std::vector<ConfigIndex> waiting = compiled();
    if (waiting.size() > 1) evaluator_.reorder(strategy_.order(std::move(waiting)));
  }

  // Questions that are compiled and wait for a device.
  std::vector<ConfigIndex> compiled() const {
    std::vector<ConfigIndex> out;
    const std::optional<MachineState> machine = evaluator_.machine();
    if (!machine) return out;
    for (const UnderWay& one : machine->under_way) {
      if (one.stage == TUNER_STAGE_COMPILED) out.push_back(one.index);
    }
    return out;
  }

  // Ends what is open; what is on the device has half of the time that is left. Returns how many.
  std::size_t cancel() {
    evaluator_.cancel();
    const double now = evaluator_.now();
    const double until = budget_.seconds ? now + std::max(0.0, *budget_.seconds - now) / 2 : kNoEnd;
    while (const auto trial = evaluator_.next(until)) take(*trial);
    const std::size_t count = outstanding_ + aside_.size();
    outstanding_ = 0;
    aside_.clear();
    return count;
  }

  // Counts stragglers as answered from now on, if nothing else is open; false if something is.
  bool set_stragglers_aside() {
    const std::optional<MachineState> machine = evaluator_.machine();
    if (!machine || !stragglers_.hold_all_up(*machine)) return false;
    for (const UnderWay& one : machine->under_way) {
      if (!aside_.insert(one.index).second) continue;
      --outstanding_;
      Observation observation;
      observation.index = one.index;
      observation.state = state_number(TrialState::kTimeout);
      observation.cost_seconds = observation.compile_seconds = one.in_stage;
      seen_[one.index] = observation;
      strategy_.tell(observation);
    }
    return true;
  }

  void end_stragglers() {
    if (is_limited(budget_)) {
      result_.stragglers = cancel();
      return;
    }
    while (!aside_.empty()) {
      const auto trial = evaluator_.next(kNoEnd);
      if (!trial) return interrupted();
      take(*trial);
    }
  }

  Strategy& strategy_;
  Evaluator& evaluator_;
  const ObjectiveSpec& objective_;
  const Budget& budget_;
  const LoopCallbacks& callbacks_;
  BudgetClock clock_;
  std::map<ConfigIndex, std::optional<Observation>> seen_;  // empty while outstanding
  std::size_t outstanding_ = 0;
  std::set<ConfigIndex> aside_;  // stragglers of which the strategy has an answer; not outstanding
  Stragglers stragglers_;
  int fruitless_asks_ = 0;
  bool ended_ = false;
  LoopResult result_;
};

}  // namespace

Observation observation_of(const ObjectiveSpec& objective, const Trial& trial) {
  Observation out;
  out.index = trial.index;
  out.state = state_number(trial.state);
  if (is_valid(trial) && std::isfinite(trial.objective.value())) {
    out.objectives = all_to_minimise(objective, trial);
  } else if (is_valid(trial)) {
    out.state = state_number(TrialState::kRuntime);  // its metric has no value to learn from
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
