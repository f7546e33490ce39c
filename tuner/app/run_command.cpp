// `tuner run`: reads study and options, has the study tuned, and shows what happens.

#include <algorithm>
#include <iostream>
#include <tuple>

#include "tuner/app/commands.h"
#include "tuner/app/progress.h"
#include "tuner/app/trace.h"
#include "tuner/base/error.h"
#include "tuner/engine/budget.h"
#include "tuner/exporters/ranked_table.h"
#include "tuner/run/device_run.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/sources.h"
#include "tuner/run/tuning_run.h"
#include "tuner/study/size_check.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

Study load_study(const RunOptions& options, Progress& progress) {
  StudyFile file = read_study_file(options.study);
  for (const Complaint& warning : file.warnings) {
    progress.note("warning: " + render(warning, file.study.text));
  }
  Study study = std::move(file.study);
  for (const std::string& warning : constant_warnings(study)) progress.note("warning: " + warning);
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to run: 'kernel', 'launch' and 'arguments' are "
                               "needed beside the parameters",
                               ""});
  }
  if (!options.sizes.empty()) {
    std::vector<ProblemSize> sizes;
    for (const std::string& text : options.sizes) {
      const ProblemSize size = parse_size_option(text, study);
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    }
    study.sizes = std::move(sizes);
    study.domain.reset();
  }
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
  settings.budget = budget;
  settings.strategy = search.strategy;
  settings.strategy_options = search.options;
  if (!options.strategy.empty()) {
    std::tie(settings.strategy, settings.strategy_options) = parse_strategy(options.strategy);
  }
  if (settings.strategy.empty()) settings.strategy = "default";
  settings.devices = device_settings(options);
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
  Display(const Study& study, Progress& progress, TraceFile& trace)
      : study_(study), progress_(progress), trace_(trace) {}

  void note(const std::string& text) override { progress_.note(text); }
  void begin(const RunPart& part) override {
    in_trace_ = part.is_search;
    if (in_trace_) trace_.begin_run();
    progress_.begin(part.title, part.total, study_);
  }
  void trial(const Trial& trial, double seconds) override {
    progress_.trial(trial, seconds);
    if (in_trace_) trace_.trial(trial, seconds);
  }
  void end(double seconds) override { progress_.end(seconds); }
  void ranked(const SizeOutcome& outcome) override {
    std::cout << "\n" << ranked_table(outcome.results, parameter_names(study_.parameters), 10);
    std::cout << "  " << outcome.csv_path << "\n";
    std::cout.flush();
    if (!outcome.lost.empty() || outcome.store_gone) trace_.close();  // the run ends here
  }

 private:
  const Study& study_;
  Progress& progress_;
  TraceFile& trace_;
  bool in_trace_ = true;
};

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

}  // namespace

int run_command(const RunOptions& options) {
  Progress progress(options.progress, stderr);
  const RunSettings settings = settings_of(options, load_study(options, progress));
  check_trace(options, settings.study);
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  TraceFile trace(options.trace);
  Display display(settings.study, progress, trace);
  const RunEnd end = tune(settings, program, catalogue, interrupt, display);
  trace.close();
  if (end.interrupted) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return end.all_valid ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
