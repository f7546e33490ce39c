// `tuner run`: reads study and options, has the study tuned, and shows what happens.

#include <iostream>
#include <tuple>

#include "tuner/app/commands.h"
#include "tuner/app/load_study.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/engine/budget.h"
#include "tuner/exporters/failure_report.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/run/device_run.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/strategy_names.h"
#include "tuner/run/tuning_run.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/terminal/progress.h"
#include "tuner/terminal/run_summary.h"
#include "tuner/terminal/trace.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

// The study, and what the command line adds to it.
Study study_of(const RunOptions& options, Progress& progress) {
  Study study = load_study(options.study, options.sizes,
                           [&](const std::string& text) { progress.note(text); });
  if (options.no_verify) study = unverified_study(std::move(study));
  for (const std::string& text : options.where) {
    auto rule = Expression::parse(text, Position{"--where", 1, 1});
    if (!rule) throw InputError({rule.error()}, text);
    study.constraints.push_back(std::move(*rule));
  }
  return study;
}

Budget budget_of(const RunOptions& options, const Study& study) {
  if (options.budget.empty()) return study.search.budget;
  auto budget = parse_budget(options.budget);
  if (!budget) throw InputError(Complaint{{}, "--budget: " + budget.error(), ""});
  return *budget;
}

RunSettings settings_of(const RunOptions& options, Study study) {
  const SearchSpec search = study.search;
  const Budget budget = budget_of(options, study);
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
  if (settings.strategy.empty()) settings.strategy = "default";
  settings.strategy = strategy_named(settings.strategy);
  settings.devices = device_settings(options, settings.study);
  settings.seed = options.seed;
  settings.results = options.results;
  settings.fresh = options.fresh;
  settings.cross_sizes = options.cross_sizes;
  settings.warm_start = options.warm_start;
  settings.warm_recording = options.warm_start_recording;
  return settings;
}

// Shows a run on the terminal and keeps its trace.
class Display final : public RunListener {
 public:
  Display(const RunOptions& options, const Study& study, std::string failures_command,
          Progress& progress, TraceFile& trace)
      : study_(study),
        failures_command_(std::move(failures_command)),
        progress_(progress),
        trace_(trace),
        colours_(options.color, stdout),
        summary_(study, options.study, options.results) {}

  void note(const std::string& text) override { progress_.note(text); }
  void begin(const RunPart& part) override {
    in_trace_ = part.is_search;
    if (in_trace_) trace_.begin_run();
    progress_.begin(part, study_);
  }
  void trial(const Trial& trial, double seconds) override {
    progress_.trial(trial, seconds);
    if (in_trace_) trace_.trial(trial, seconds);
  }
  void after_search(const AfterSearch& now) override {
    if (now.rounds == 0) {
      progress_.end(now.seconds);
    } else {
      progress_.round(now.done, now.rounds);
    }
  }
  void ranked(const SizeOutcome& outcome) override {
    progress_.ranked(outcome);
    summary_.add(outcome);
    const std::vector<std::string> names = parameter_names(study_.parameters);
    std::cout << "\n" << ranked_table(outcome.results, names, 10, colours_);
    std::cout << failure_summary(outcome.results, names, failures_command_, colours_);
    if (!outcome.csv_path.empty()) std::cout << "  " << outcome.csv_path << "\n";
    std::cout.flush();
    if (!outcome.lost.empty() || outcome.store_gone) trace_.close();  // the run ends here
  }

  // What the run came to, for people.
  void sum_up() const {
    if (progress_.is_for_programs()) return;
    for (const std::string& line : summary_.lines()) progress_.note(line);
  }

 private:
  const Study& study_;
  std::string failures_command_;
  Progress& progress_;
  TraceFile& trace_;
  Colours colours_;
  bool in_trace_ = true;
  RunSummary summary_;
};

std::string failures_command(const RunOptions& options) {
  const bool usual = options.results == RunOptions().results;
  return "tuner results " + options.study + (options.no_verify ? " --no-verify" : "") +
         (usual ? "" : " --results " + options.results) + " --failures";
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

int run(const RunOptions& options, Progress& progress) {
  const RunSettings settings = settings_of(options, study_of(options, progress));
  check_trace(options, settings.study);
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  TraceFile trace(options.trace);
  Display display(options, settings.study, failures_command(options), progress, trace);
  const RunEnd end = tune(settings, program, catalogue, interrupt, display);
  trace.close();
  display.sum_up();
  if (end.interrupted) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return end.all_valid ? kExitDone : kExitNothingValid;
}

}  // namespace

int run_command(const RunOptions& options) {
  return with_progress(options.progress, Colours(options.color, stderr),
                       [&](Progress& progress) { return run(options, progress); });
}

}  // namespace tuner
