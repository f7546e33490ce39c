// `tuner run --replay`: searches a recording with a simulated clock.

#include <fmt/format.h>

#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/app/progress.h"
#include "tuner/app/trace.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/budget.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/tuning_loop.h"
#include "tuner/exporters/csv.h"
#include "tuner/plugin/space_table.h"
#include "tuner/recordings/parallel_replay.h"
#include "tuner/recordings/prior.h"
#include "tuner/recordings/recording.h"
#include "tuner/recordings/replay.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/store_recording.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct Run {
  double best = 0;
  Configuration configuration;
  std::uint64_t evaluations = 0;
  double seconds = 0;  // simulated
};

class Replay {
 public:
  Replay(const RunOptions& options, const Recording& recording, const Catalogue& catalogue)
      : options_(options),
        recording_(recording),
        catalogue_(catalogue),
        space_(recording),
        objective_{recording.objective, recording.maximize, {}} {
    std::tie(strategy_, strategy_options_) =
        parse_choice("--strategy", options.strategy.empty() ? "default" : options.strategy);
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
    return run(clocked, evaluator, trace, interrupt);
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
      if (!first && !better(objective_, trial.objective, result.best)) return;
      result.best = trial.objective;
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
  Progress progress(options.progress, stderr);
  const Recording recording = read_any_recording(options.replay);
  for (const std::string& note : recording.notes) progress.note(options.replay + ": " + note);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Replay replay(options, recording, catalogue);
  OutputGuard guard(options.force);
  guard.protect(options.replay, "is the recording that is replayed");
  guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  guard.check(options.trace);
  const Interrupt interrupt;
  TraceFile trace(options.trace);
  bool any_valid = false;
  std::cout << "run,seed,evaluations,time_s,best,configuration\n";
  for (unsigned repeat = 0; repeat < options.repeats && interrupt.count() == 0; ++repeat) {
    const std::uint64_t seed = options.seed + repeat;
    const Run run = replay.run(seed, trace, interrupt);
    any_valid = any_valid || !run.configuration.empty();
    std::cout << fmt::format(
        "{},{},{},{:.6g},{},{}\n", repeat, seed, run.evaluations, run.seconds,
        run.configuration.empty() ? "" : fmt::format("{:.8g}", run.best),
        csv_field(for_terminal(configuration_text(recording.parameters, run.configuration))));
  }
  trace.close();
  if (interrupt.count() > 0) return kExitInterrupted;
  return any_valid ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
