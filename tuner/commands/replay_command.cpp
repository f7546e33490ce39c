// `tuner run --replay`: searches a recording with a simulated clock.

#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/output_guard.h"
#include "tuner/commands/progress.h"
#include "tuner/commands/replay_search.h"
#include "tuner/commands/trace.h"
#include "tuner/results/csv.h"
#include "tuner/run/store_recording.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct ReplayTableOptions {
  bool several = false;  // strategies: each line names its own
  bool workers = false;  // compile workers are simulated: how busy they were
  std::uint64_t seed = 1;
};

// Prints to standard output, the header first.
class ReplayTable {
 public:
  ReplayTable(ReplayTableOptions options, const Recording& recording, Progress& progress);

  void add(const std::string& strategy, unsigned repeat, const ReplayResult& run);
  // After the last run of a strategy: a line of medians; as a note where there is only one.
  void end(const std::string& strategy);

 private:
  void line(const std::string& strategy, const std::string& run, const std::string& seed,
            const ReplayResult& result) const;

  ReplayTableOptions options_;
  const Recording& recording_;
  Progress& progress_;
  std::vector<ReplayResult> runs_;
};

ReplayTable::ReplayTable(ReplayTableOptions options, const Recording& recording, Progress& progress)
    : options_(options), recording_(recording), progress_(progress) {
  std::cout << (options_.several ? "strategy," : "")
            << "run,seed,evaluations,time_s,best,configuration"
            << (options_.workers ? ",compile_workers_busy,device_busy\n" : "\n");
}

void ReplayTable::add(const std::string& strategy, unsigned repeat, const ReplayResult& run) {
  line(strategy, std::to_string(repeat), std::to_string(options_.seed + repeat), run);
  runs_.push_back(run);
}

void ReplayTable::end(const std::string& strategy) {
  std::vector<ReplayResult> runs = std::exchange(runs_, {});
  if (runs.empty() || (runs.size() == 1 && !options_.several)) return;
  const std::size_t n = runs.size();
  const std::optional<ReplayResult> middle = middle_of(std::move(runs), recording_.maximize);
  if (options_.several) {
    line(strategy, "median", "", middle.value_or(ReplayResult{}));
    return;
  }
  progress_.note(middle ? fmt::format("median of {} runs: {:.8g} after {} evaluations, {:.6g} s", n,
                                      middle->best, middle->evaluations, middle->seconds)
                        : fmt::format("median of {} runs: nothing valid", n));
}

void ReplayTable::line(const std::string& strategy, const std::string& run, const std::string& seed,
                       const ReplayResult& result) const {
  const bool valid = !result.configuration.empty();
  if (options_.several) std::cout << csv_field(for_terminal(strategy)) << ",";
  std::cout << fmt::format(
      "{},{},{},{:.6g},{},{}", run, seed, result.evaluations, result.seconds,
      valid ? fmt::format("{:.8g}", result.best) : "",
      csv_field(for_terminal(configuration_text(recording_.parameters, result.configuration))));
  if (options_.workers) {
    std::cout << fmt::format(",{:.3f},{:.3f}", result.busy.workers, result.busy.device);
  }
  std::cout << "\n";
}

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
  ReplayTable table({strategies.size() > 1, options.compile_workers > 0, options.search.seed},
                    recording, progress);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    for (unsigned repeat = 0; repeat < options.repeats && interrupt.count() == 0; ++repeat) {
      trace.begin_run(strategies[i], options.search.seed + repeat);
      const ReplayResult run = searches[i].run(options.search.seed + repeat, interrupt, on_trial);
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
