// Runs a strategy against the answers of a recording.

#include "tuner/commands/replay_search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/commands/options.h"
#include "tuner/model/statistics.h"
#include "tuner/plugin/space_table.h"
#include "tuner/run/store_recording.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {
namespace {

Prior prior_from(const std::filesystem::path& file, const RecordedSpace& space,
                 const std::string& name) {
  const Recording earlier = read_any_recording(file);
  Prior prior = prior_of(earlier, earlier.maximize, prior_target(space), 1);
  if (!prior.results.empty()) return prior;
  throw InputError(
      Complaint{{file.string(), 0, 0}, "says nothing of the configurations in '" + name + "'", ""});
}

}  // namespace

ReplaySearch::ReplaySearch(ReplaySettings settings, const Recording& recording,
                           const Catalogue& catalogue)
    : settings_(std::move(settings)),
      recording_(recording),
      catalogue_(catalogue),
      space_(recording),
      objective_{recording.objective, recording.maximize, {}} {
  settings_.strategy = strategy_named(settings_.strategy);
  if (settings_.warm_recording.empty()) return;
  prior_ = prior_from(settings_.warm_recording, space_, settings_.recorded_in);
}

ReplayResult ReplaySearch::run(std::uint64_t seed, const Interrupt& interrupt,
                               const std::function<void(const Trial&, double)>& on_trial) const {
  auto strategy = catalogue_.make_strategy(settings_.strategy, space_table(space_), seed,
                                           settings_.budget, settings_.strategy_options);
  if (settings_.compile_workers == 0) {
    ReplayEvaluator evaluator(recording_, settings_.jobs);
    return run(*strategy, evaluator, interrupt, on_trial);
  }
  ParallelReplay evaluator(recording_, settings_.compile_workers, settings_.devices);
  ClockedStrategy clocked(std::move(strategy), [&](double seconds) { evaluator.pass(seconds); });
  ReplayResult result = run(clocked, evaluator, interrupt, on_trial);
  result.busy = evaluator.busy();
  return result;
}

ReplayResult ReplaySearch::run(Strategy& strategy, Evaluator& evaluator, const Interrupt& interrupt,
                               const std::function<void(const Trial&, double)>& on_trial) const {
  if (!prior_.results.empty()) strategy.learn(prior_);
  ReplayResult result;
  LoopCallbacks callbacks;
  callbacks.stop = [&] { return interrupt.count() > 0; };
  callbacks.on_trial = [&](const Trial& trial) {
    on_trial(trial, evaluator.now());
    if (trial.state != TrialState::kOk) return;
    const bool first = result.configuration.empty();
    if (!first && !better(objective_, trial.objective.value(), result.best)) return;
    result.best = trial.objective.value();
    result.configuration = trial.configuration;
  };
  result.evaluations =
      run_loop(strategy, evaluator, objective_, settings_.budget, callbacks).evaluations;
  result.seconds = evaluator.now();
  return result;
}

std::optional<ReplayResult> middle_of(std::vector<ReplayResult> runs, bool maximize) {
  std::ranges::stable_sort(runs, [&](const ReplayResult& a, const ReplayResult& b) {
    if (a.configuration.empty() || b.configuration.empty()) return !a.configuration.empty();
    return maximize ? a.best > b.best : a.best < b.best;
  });
  ReplayResult middle = runs[(runs.size() - 1) / 2];
  if (middle.configuration.empty()) return std::nullopt;
  std::vector<double> seconds, evaluations, workers, device;
  for (const ReplayResult& run : runs) {
    workers.push_back(run.busy.workers);
    device.push_back(run.busy.device);
    seconds.push_back(run.seconds);
    evaluations.push_back(static_cast<double>(run.evaluations));
  }
  middle.seconds = median(seconds);
  middle.busy = {median(workers), median(device)};
  middle.evaluations = static_cast<std::uint64_t>(median(evaluations));
  return middle;
}

}  // namespace tuner
