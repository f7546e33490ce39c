// `tuner run --replay`: searches a recording with a simulated clock.

#include "tuner/commands/replay_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <tuple>

#include "tuner/base/interrupt.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/progress.h"
#include "tuner/commands/run_display.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/files/recording.h"
#include "tuner/model/statistics.h"
#include "tuner/plugin/space_table.h"
#include "tuner/resolve/objective.h"
#include "tuner/run/output_guard.h"
#include "tuner/search/tuning_loop.h"
#include "tuner/worker/plugins.h"

namespace tuner {

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

namespace {

// Prints to standard output, the header first.
class ReplayTable {
 public:
  ReplayTable(const RunOptions& options, const Recording& recording, Progress& progress)
      : options_(options), recording_(recording), progress_(progress) {
    std::cout << (has_several() ? "strategy," : "")
              << "run,seed,evaluations,time_s,best,configuration"
              << (has_workers() ? ",compile_workers_busy,device_busy\n" : "\n");
  }

  void add(const std::string& strategy, unsigned repeat, const ReplayResult& run) {
    line(strategy, std::to_string(repeat), std::to_string(options_.settings.seed + repeat), run);
    runs_.push_back(run);
  }

  // After the last run of a strategy: a line of medians; as a note where there is only one.
  void end(const std::string& strategy) {
    std::vector<ReplayResult> runs = std::exchange(runs_, {});
    if (runs.empty() || (runs.size() == 1 && !has_several())) return;
    const std::size_t n = runs.size();
    const std::optional<ReplayResult> middle = middle_of(std::move(runs), recording_.maximize);
    if (has_several()) {
      line(strategy, "median", "", middle.value_or(ReplayResult{}));
      return;
    }
    progress_.note(middle ? fmt::format("median of {} runs: {:.8g} after {} evaluations, {:.6g} s",
                                        n, middle->best, middle->evaluations, middle->seconds)
                          : fmt::format("median of {} runs: nothing valid", n));
  }

 private:
  bool has_several() const { return options_.strategies.size() > 1; }  // each line names its own
  bool has_workers() const { return options_.compile_workers > 0; }    // are simulated

  void line(const std::string& strategy, const std::string& run, const std::string& seed,
            const ReplayResult& result) const {
    const bool valid = !result.configuration.empty();
    if (has_several()) std::cout << csv_field(for_terminal(strategy)) << ",";
    std::cout << fmt::format(
        "{},{},{},{:.6g},{},{}", run, seed, result.evaluations, result.seconds,
        valid ? fmt::format("{:.8g}", result.best) : "",
        csv_field(for_terminal(configuration_text(recording_.parameters, result.configuration))));
    if (has_workers()) {
      std::cout << fmt::format(",{:.3f},{:.3f}", result.busy.workers, result.busy.device);
    }
    std::cout << "\n";
  }

  const RunOptions& options_;
  const Recording& recording_;
  Progress& progress_;
  std::vector<ReplayResult> runs_;
};

Prior prior_from(const std::filesystem::path& file, const RecordedSpace& space,
                 const std::string& name) {
  const Recording earlier = read_any_recording(file);
  Prior prior = prior_of(earlier, earlier.maximize, prior_target(space), 1);
  if (!prior.results.empty()) return prior;
  reject(file, "says nothing of the configurations in '" + name + "'");
}

// A search in a recording, by a simulated clock.
class ReplaySearch {
 public:
  // `strategy` is NAME[:option=value,...]. Throws InputError for one that is not there and for a
  // warm recording that has nothing on this one's configurations. All outlive this.
  ReplaySearch(const RunOptions& options, const std::string& strategy, const Recording& recording,
               const Catalogue& catalogue)
      : options_(options),
        budget_(budget_of(options, {})),
        recording_(recording),
        catalogue_(catalogue),
        space_(recording),
        objective_{recording.objective, recording.maximize, {}} {
    std::tie(strategy_, strategy_options_) = parse_choice("--strategy", strategy);
    strategy_ = strategy_named(strategy_);
    if (options.warm_start_recording.empty()) return;
    prior_ = prior_from(options.warm_start_recording, space_, options.replay);
  }

  // Runs the strategy once. `on_trial` receives each answer and the simulated second it came in.
  ReplayResult run(std::uint64_t seed, const Interrupt& interrupt,
                   const std::function<void(const Trial&, double)>& on_trial) const {
    auto strategy =
        catalogue_.make_strategy(strategy_, space_table(space_), seed, budget_, strategy_options_);
    if (options_.compile_workers == 0) {
      ReplayEvaluator evaluator(recording_, options_.settings.jobs);
      return run(*strategy, evaluator, interrupt, on_trial);
    }
    ParallelReplay evaluator(recording_, options_.compile_workers, options_.simulated_devices);
    ClockedStrategy clocked(std::move(strategy), [&](double seconds) { evaluator.pass(seconds); });
    ReplayResult result = run(clocked, evaluator, interrupt, on_trial);
    result.busy = evaluator.busy();
    return result;
  }

 private:
  ReplayResult run(Strategy& strategy, Evaluator& evaluator, const Interrupt& interrupt,
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
    result.evaluations = run_loop(strategy, evaluator, objective_, budget_, callbacks).evaluations;
    result.seconds = evaluator.now();
    return result;
  }

  const RunOptions& options_;
  Budget budget_;
  std::string strategy_;
  OptionList strategy_options_;
  const Recording& recording_;
  const Catalogue& catalogue_;
  RecordedSpace space_;
  ObjectiveSpec objective_;
  Prior prior_;
};

// How much of the space is there: what is not recorded is never asked for.
std::string extent_of(const Recording& recording) {
  double combinations = 1;
  for (const Parameter& one : recording.parameters) {
    combinations *= static_cast<double>(one.values.size());
  }
  const auto recorded = static_cast<double>(recording.entries.size());
  if (combinations <= recorded) return {};
  return fmt::format(
      "{} configurations are recorded, {:.3g} % of the {:.10g} combinations of their values: the "
      "search chooses among them only",
      recording.entries.size(), 100 * recorded / combinations, combinations);
}

int replay(const RunOptions& options, Progress& progress) {
  if (options.sizes.size() > 1) {
    wrong_usage("a replay is of one size: give --size once, or call it for each");
  }
  ResultFilter filter;
  if (!options.sizes.empty()) filter.size = options.sizes.front();
  Recording recording = read_any_recording(options.replay, {}, filter);
  if (const std::string extent = extent_of(recording); !extent.empty()) {
    recording.notes.push_back(extent);
  }
  for (const std::string& note : recording.notes) progress.note(options.replay + ": " + note);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  Strings strategies = options.strategies;
  if (strategies.empty()) strategies = {"default"};
  std::vector<ReplaySearch> searches;
  for (const std::string& strategy : strategies) {
    searches.emplace_back(options, strategy, recording, catalogue);
  }
  OutputGuard guard(options.force);
  guard.protect(options.replay, "is the recording that is replayed");
  guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  guard.check(options.trace);
  const Interrupt interrupt;
  TraceFile trace(options.trace, false);
  const auto on_trial = [&](const Trial& trial, double now) { trace.trial(trial, now); };
  bool any_valid = false;
  ReplayTable table(options, recording, progress);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    for (unsigned repeat = 0; repeat < options.repeats && interrupt.count() == 0; ++repeat) {
      trace.begin_run(strategies[i], options.settings.seed + repeat);
      const ReplayResult run = searches[i].run(options.settings.seed + repeat, interrupt, on_trial);
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
    wrong_usage("--replay needs no study: the recording '" + options.replay +
                "' says which configurations there are");
  }
  return with_progress(options.progress, Colours(options.color, stderr),
                       [&](Progress& progress) { return replay(options, progress); });
}

}  // namespace tuner
