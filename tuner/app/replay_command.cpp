// `tuner run --replay`: searches a recording with a simulated clock.

#include <tuple>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/replay_search.h"
#include "tuner/run/store_recording.h"
#include "tuner/terminal/progress.h"
#include "tuner/terminal/replay_table.h"
#include "tuner/terminal/trace.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// `strategy` is NAME[:option=value,...].
ReplaySettings settings_of(const RunOptions& options, const std::string& strategy) {
  ReplaySettings settings;
  std::tie(settings.strategy, settings.strategy_options) = parse_choice("--strategy", strategy);
  settings.budget = budget_of(options, {});
  settings.warm_recording = options.warm_start_recording;
  settings.recorded_in = options.replay;
  settings.jobs = options.jobs;
  settings.compile_workers = options.compile_workers;
  settings.devices = options.simulated_devices;
  return settings;
}

int replay(const RunOptions& options, Progress& progress) {
  const Recording recording = read_any_recording(options.replay);
  for (const std::string& note : recording.notes) progress.note(options.replay + ": " + note);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  Words strategies = options.strategies;
  if (strategies.empty()) strategies = {"default"};
  std::vector<ReplaySearch> searches;
  for (const std::string& strategy : strategies) {
    searches.emplace_back(settings_of(options, strategy), recording, catalogue);
  }
  OutputGuard guard(options.force);
  guard.protect(options.replay, "is the recording that is replayed");
  guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  guard.check(options.trace);
  const Interrupt interrupt;
  TraceFile trace(options.trace, false);
  const auto on_trial = [&](const Trial& trial, double now) { trace.trial(trial, now); };
  bool any_valid = false;
  ReplayTable table({strategies.size() > 1, options.compile_workers > 0, options.seed}, recording,
                    progress);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    for (unsigned repeat = 0; repeat < options.repeats && interrupt.count() == 0; ++repeat) {
      trace.begin_run(strategies[i], options.seed + repeat);
      const ReplayResult run = searches[i].run(options.seed + repeat, interrupt, on_trial);
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
