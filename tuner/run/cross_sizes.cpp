// Chooses which winners are still to be tried at which sizes, and has them measured.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "tuner/choice/tuned_table.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/device_run.h"
#include "tuner/run/stored_results.h"

namespace tuner {
namespace {

// Finals that take turns in naming one of several equals must not keep a run going for ever.
constexpr int kMostCrossings = 5;

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

const Trial* winner_of(const RankedResults& results) {
  const bool any = results.ranked > 0 && results.trials.front().state == TrialState::kOk;
  return any ? &results.trials.front() : nullptr;
}

void add_winner(const RankedResults& results, std::vector<Configuration>& winners) {
  const Trial* winner = winner_of(results);
  if (winner == nullptr || std::ranges::count(winners, winner->configuration) > 0) return;
  winners.push_back(winner->configuration);
}

// Of the sizes that this run did not tune, as far as their results would answer for it today.
std::vector<Configuration> winners_elsewhere(const DeviceRun& run,
                                             const std::vector<SizeOutcome>& outcomes) {
  const Study& study = run.study();
  const History& history = run.history();
  std::vector<Configuration> winners;
  for (const StoredContext& context : history.store().contexts(study.kernel.name)) {
    const bool tuned_here = std::ranges::any_of(outcomes, [&](const SizeOutcome& outcome) {
      return outcome.results.size == context.key.size;
    });
    if (tuned_here || context.trials == 0) continue;
    const ContextKey now = history.key(run.facts(), context.key.size);
    if (!differences(context.key, now).empty()) continue;
    auto trials =
        trials_for(history.store(), context.context, study, run.facts(), context.key.size);
    add_winner(ranked_trials(ranked_by(study), context.context.parameters, std::move(trials)),
               winners);
  }
  return winners;
}

// Whether it is of the size's space, without building that: it may have been stored before a list
// of values became shorter.
bool belongs(const Study& study, const Configuration& configuration, const DeviceFacts& device,
             const ProblemSize& size) {
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    if (std::ranges::count(study.parameters[p].values, configuration.at(p)) == 0) return false;
  }
  return constraints_hold(study, bindings_of(study, configuration, device, size));
}

// Those that could be measured at this size and were not.
std::vector<Configuration> untried(const Study& study, const DeviceFacts& device,
                                   const RankedResults& results,
                                   const std::vector<Configuration>& winners) {
  std::vector<Configuration> out;
  for (const Configuration& winner : winners) {
    const bool tried = std::ranges::any_of(
        results.trials, [&](const Trial& trial) { return trial.configuration == winner; });
    if (!tried && belongs(study, winner, device, results.size)) out.push_back(winner);
  }
  return out;
}

SizeOutcome measured_at(DeviceRun& run, const SizeOutcome& outcome,
                        std::vector<Configuration> others) {
  const std::string what = counted(others.size(), "winner") + " of other sizes";
  // The size's own winner comes first: it is answered by the store, and says what is too slow.
  if (const Trial* own = winner_of(outcome.results)) {
    others.insert(others.begin(), own->configuration);
  }
  return run.measure(outcome.results.size, others, what, outcome.compared || outcome.measured > 0);
}

}  // namespace

std::vector<std::size_t> cross_sizes(DeviceRun& run, std::vector<SizeOutcome>& outcomes) {
  const std::vector<Configuration> elsewhere = winners_elsewhere(run, outcomes);
  std::set<std::size_t> replaced;
  std::size_t trials = 0;
  const auto round = [&] {  // whether there was anything to do
    std::vector<Configuration> winners = elsewhere;
    for (const SizeOutcome& outcome : outcomes) add_winner(outcome.results, winners);
    bool any = false;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const auto others = untried(run.study(), run.facts(), outcomes[i].results, winners);
      if (others.empty()) continue;
      if (run.is_interrupted()) return false;
      if (replaced.empty()) {
        run.listener().note("cross sizes: winners are tried at the other sizes, beyond the budget");
      }
      outcomes[i] = measured_at(run, outcomes[i], others);
      trials += outcomes[i].measured;
      replaced.insert(i);
      any = any || outcomes[i].measured > 0;
      if (!outcomes[i].lost.empty()) return false;
    }
    return any;
  };
  int rounds = 0;
  while (rounds < kMostCrossings && round()) ++rounds;
  if (trials > 0) {
    run.listener().note(fmt::format(
        "cross sizes: {} at {}, beyond the budget{}", counted(trials, "trial"),
        counted(replaced.size(), "size"),
        rounds == kMostCrossings ? "; winners still change, the same command goes on" : ""));
  } else if (!run.is_interrupted()) {
    run.listener().note("cross sizes: every winner was tried already wherever it is valid");
  }
  return {replaced.begin(), replaced.end()};
}

}  // namespace tuner
