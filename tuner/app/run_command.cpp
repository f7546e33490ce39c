// `tuner run`: reads study and options, has the study tuned, and shows what happens. Of several
// ranks the first does that, and the others lend what they have.

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/app/join_ranks.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/run/load_study.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/sources.h"
#include "tuner/run/strategy_names.h"
#include "tuner/run/tuning_run.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/terminal/progress.h"
#include "tuner/terminal/run_display.h"
#include "tuner/terminal/trace.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// The study, and what the command line adds to it.
Study study_of(const RunOptions& options, Progress& progress) {
  Study study = load_study(options.study, options.sizes,
                           [&](const std::string& text) { progress.note(text); });
  study = study_with_answers_per(std::move(study), options.per);
  if (options.no_verify) study = unverified_study(std::move(study));
  for (const std::string& text : options.where) {
    auto rule = Expression::parse(text, Position{"--where", 1, 1});
    if (!rule) throw InputError({rule.error()}, text);
    study.constraints.push_back(std::move(*rule));
  }
  return study;
}

RunSettings settings_of(const RunOptions& options, Study study) {
  const SearchSpec search = study.search;
  const Budget budget = budget_of(options, study.search.budget);
  RunSettings settings{std::move(study)};
  settings.strategy_text = settings.study.text;
  settings.budget = budget;
  settings.strategy = search.strategy;
  settings.strategy_options = search.options;
  if (!options.strategies.empty()) {
    std::tie(settings.strategy, settings.strategy_options) =
        parse_choice("--strategy", options.strategies.front());
    settings.strategy_text = options.strategies.front();
  }
  settings.strategy = strategy_named(settings.strategy);
  settings.devices = device_settings(options, settings.study);
  settings.seed = options.seed;
  settings.results = options.results;
  settings.fresh = options.fresh;
  settings.in_turn = options.in_turn;
  settings.cross_sizes = options.cross_sizes;
  settings.warm_start = options.warm_start;
  settings.warm_recording = options.warm_start_recording;
  return settings;
}

// Before the first measurement.
void check_trace(const RunOptions& options, const Study& study) {
  if (options.trace.empty()) return;
  OutputGuard guard(options.force);
  guard.protect(study);
  guard.protect_store(options.results);
  if (!options.warm_start_recording.empty()) {
    guard.protect(options.warm_start_recording, "is the recording of --warm-start");
  }
  guard.check(options.trace);
}

// What the other ranks lend. Unless the options say otherwise, each rank compiles on its share of
// the cores, and all devices take part.
LentHosts lent_to(RunSettings& settings, RankJob& ranks, const RunOptions& options,
                  const Catalogue& catalogue, Progress& progress) {
  DeviceSettings& devices = settings.devices;
  const Study& study = settings.study;
  Lending lending{needed_plugins(study, devices.backend, catalogue), options.plugin_dirs,
                  files_of_workers(study, read_sources(study), settings.seed), std::nullopt};
  if (options.names_jobs) lending.jobs = options.jobs;
  LentHosts lent = ranks.hosts(lending, [&](const std::string& text) { progress.note(text); });
  if (!options.names_jobs) devices.jobs = ranks.cores_here();
  if (!options.names_device) devices.numbers.clear();
  return lent;
}

int run(const RunOptions& options, RankJob* ranks, Progress& progress) {
  RunSettings settings = settings_of(options, study_of(options, progress));
  check_trace(options, settings.study);
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const LentHosts lent =
      ranks == nullptr ? LentHosts{} : lent_to(settings, *ranks, options, catalogue, progress);
  TraceFile trace(options.trace, settings.study.objective.name == "time");
  const Typed typed{options.study,
                    options.results,
                    options.no_verify,
                    options.per,
                    options.results == RunOptions().results,
                    options.strategies.empty() ? settings.strategy : options.strategies.front(),
                    options.seed};
  RunDisplay display(settings.study, typed, Colours(options.color, stdout), progress, trace);
  const RunListener listener([&](const RunEvent& event) { display.hear(event); });
  const RunEnd end = tune(settings, program, catalogue, interrupt, listener, lent);
  trace.close();
  display.sum_up();
  if (end.interrupted) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return end.all_valid ? kExitDone : kExitNothingValid;
}

}  // namespace

int run_or_replay(const Words& words) {
  const JoinedRanks joined = join_ranks();
  if (joined.is_spare) return kExitDone;
  RankJob* const ranks = joined.job.get();
  if (ranks != nullptr && ranks->rank() > 0) {
    const Interrupt interrupt;
    return ranks->serve(interrupt) ? kExitDone : kExitUnavailable;
  }
  const RunOptions options = parse_run(words);
  if (!options.replay.empty()) return replay_command(options);
  return with_progress(options.progress, Colours(options.color, stderr),
                       [&](Progress& progress) { return run(options, ranks, progress); });
}

}  // namespace tuner
