// `tuner run --replay`: searches a recording with a simulated clock.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/budget.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/statistics.h"
#include "tuner/engine/tuning_loop.h"
#include "tuner/exporters/csv.h"
#include "tuner/plugin/space_table.h"
#include "tuner/recordings/parallel_replay.h"
#include "tuner/recordings/prior.h"
#include "tuner/recordings/recording.h"
#include "tuner/recordings/replay.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/store_recording.h"
#include "tuner/run/strategy_names.h"
#include "tuner/terminal/progress.h"
#include "tuner/terminal/trace.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct Run {
  double best = 0;
  Configuration configuration;
  std::uint64_t evaluations = 0;
  double seconds = 0;  // simulated
  ParallelReplay::Shares busy{};
};

class Replay {
 public:
  // `strategy` is NAME[:option=value,...].
  Replay(const RunOptions& options, const std::string& strategy, const Recording& recording,
         const Catalogue& catalogue)
      : options_(options),
        recording_(recording),
        catalogue_(catalogue),
        space_(recording),
        objective_{recording.objective, recording.maximize, {}} {
    std::tie(strategy_, strategy_options_) = parse_choice("--strategy", strategy);
    strategy_ = strategy_named(strategy_);
    if (!options.budget.empty()) {
      auto budget = parse_budget(options.budget);
      if (!budget) throw InputError(Complaint{{}, "--budget: " + budget.error(), ""});
      budget_ = *budget;
    }
    if (!options.warm_start_recording.empty()) {
      const Recording earlier = read_any_recording(options.warm_start_recording);
      prior_ = prior_of(earlier, earlier.maximize, prior_target(space_), 1);
      if (prior_.results.empty()) {
        throw InputError(Complaint{{options.warm_start_recording, 0, 0},
                                   "says nothing of the configurations in '" + options.replay + "'",
                                   ""});
      }
    }
  }

  // One run of the strategy, its answers from the recording.
  Run run(std::uint64_t seed, TraceFile& trace, const Interrupt& interrupt) const {
    auto strategy =
        catalogue_.make_strategy(strategy_, space_table(space_), seed, budget_, strategy_options_);
    if (options_.compile_workers == 0) {
      ReplayEvaluator evaluator(recording_, options_.jobs);
      return run(*strategy, evaluator, trace, interrupt);
    }
    ParallelReplay evaluator(recording_, options_.compile_workers);
    ClockedStrategy clocked(std::move(strategy), [&](double seconds) { evaluator.pass(seconds); });
    Run result = run(clocked, evaluator, trace, interrupt);
    result.busy = evaluator.busy();
    return result;
  }

 private:
  Run run(Strategy& strategy, Evaluator& evaluator, TraceFile& trace,
          const Interrupt& interrupt) const {
    if (!prior_.results.empty()) strategy.learn(prior_);
    Run result;
    trace.begin_run();
    LoopCallbacks callbacks;
    callbacks.stop = [&] { return interrupt.count() > 0; };
    callbacks.on_trial = [&](const Trial& trial) {
      trace.trial(trial, evaluator.now());
      if (trial.state != TrialState::kOk) return;
      const bool first = result.configuration.empty();
      if (!first && !better(objective_, trial.objective.value(), result.best)) return;
      result.best = trial.objective.value();
      result.configuration = trial.configuration;
    };
    result.evaluations = run_loop(strategy, evaluator, objective_, budget_, callbacks).evaluations;
    result.seconds = evaluator.now();
    return result;
  }

  const RunOptions& options_;
  const Recording& recording_;
  const Catalogue& catalogue_;
  RecordedSpace space_;
  ObjectiveSpec objective_;
  Budget budget_;
  std::string strategy_;
  OptionList strategy_options_;
  Prior prior_;
};

// Where half the runs were better: those that found nothing count as the worst. Empty where most
// did.
std::optional<Run> middle_of(std::vector<Run> runs, const Recording& recording) {
  std::ranges::stable_sort(runs, [&](const Run& a, const Run& b) {
    if (a.configuration.empty() || b.configuration.empty()) return !a.configuration.empty();
    return recording.maximize ? a.best > b.best : a.best < b.best;
  });
  Run middle = runs[(runs.size() - 1) / 2];
  if (middle.configuration.empty()) return std::nullopt;
  std::vector<double> seconds, evaluations, workers, device;
  for (const Run& run : runs) {
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

// Prints the runs of each strategy as CSV.
class ReplayTable {
 public:
  ReplayTable(const RunOptions& options, const Recording& recording, Progress& progress)
      : options_(options),
        recording_(recording),
        progress_(progress),
        several_(options.strategies.size() > 1) {
    std::cout << (several_ ? "strategy," : "") << "run,seed,evaluations,time_s,best,configuration"
              << (options.compile_workers > 0 ? ",compile_workers_busy,device_busy\n" : "\n");
  }

  void add(const std::string& strategy, unsigned repeat, const Run& run) {
    line(strategy, std::to_string(repeat), std::to_string(options_.seed + repeat), run);
    runs_.push_back(run);
  }

  // After the last run of a strategy: a line of medians, on standard error where there is only one.
  void end(const std::string& strategy) {
    std::vector<Run> runs = std::exchange(runs_, {});
    if (runs.empty() || (runs.size() == 1 && !several_)) return;
    const std::size_t n = runs.size();
    const std::optional<Run> middle = middle_of(std::move(runs), recording_);
    if (several_) {
      line(strategy, "median", "", middle.value_or(Run{}));
      return;
    }
    progress_.note(middle ? fmt::format("median of {} runs: {:.8g} after {} evaluations, {:.6g} s",
                                        n, middle->best, middle->evaluations, middle->seconds)
                          : fmt::format("median of {} runs: nothing valid", n));
  }

 private:
  void line(const std::string& strategy, const std::string& run, const std::string& seed,
            const Run& result) {
    const bool valid = !result.configuration.empty();
    if (several_) std::cout << csv_field(for_terminal(strategy)) << ",";
    std::cout << fmt::format(
        "{},{},{},{:.6g},{},{}", run, seed, result.evaluations, result.seconds,
        valid ? fmt::format("{:.8g}", result.best) : "",
        csv_field(for_terminal(configuration_text(recording_.parameters, result.configuration))));
    if (options_.compile_workers > 0) {
      std::cout << fmt::format(",{:.3f},{:.3f}", result.busy.workers, result.busy.device);
    }
    std::cout << "\n";
  }

  const RunOptions& options_;
  const Recording& recording_;
  Progress& progress_;
  bool several_;
  std::vector<Run> runs_;
};

int replay(const RunOptions& options, Progress& progress) {
  const Recording recording = read_any_recording(options.replay);
  for (const std::string& note : recording.notes) progress.note(options.replay + ": " + note);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  Words strategies = options.strategies;
  if (strategies.empty()) strategies = {"default"};
  std::vector<std::unique_ptr<Replay>> replays;
  for (const std::string& strategy : strategies) {
    replays.push_back(std::make_unique<Replay>(options, strategy, recording, catalogue));
  }
  OutputGuard guard(options.force);
  guard.protect(options.replay, "is the recording that is replayed");
  guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  guard.check(options.trace);
  const Interrupt interrupt;
  TraceFile trace(options.trace);
  bool any_valid = false;
  ReplayTable table(options, recording, progress);
  for (std::size_t i = 0; i < replays.size(); ++i) {
    for (unsigned repeat = 0; repeat < options.repeats && interrupt.count() == 0; ++repeat) {
      const Run run = replays[i]->run(options.seed + repeat, trace, interrupt);
      any_valid = any_valid || !run.configuration.empty();
      table.add(strategies[i], repeat, run);
    }
    if (interrupt.count() == 0) table.end(strategies[i]);
  }
  trace.close();
  if (interrupt.count() > 0) return kExitInterrupted;
  return any_valid ? kExitDone : kExitNothingValid;
}

}  // namespace

// --jobs is how many questions are open at once, 1 unless it is given; with --compile-workers that
// follows from the workers.
int replay_command(const RunOptions& options) {
  if (!options.study.empty()) {
    throw InputError(Complaint{{},
                               "--replay needs no study: the recording '" + options.replay +
                                   "' says which configurations there are",
                               ""});
  }
  return with_progress(options.progress, Colours(options.color, stderr),
                       [&](Progress& progress) { return replay(options, progress); });
}

}  // namespace tuner
