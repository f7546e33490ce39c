// `tuner run`: opens the devices and tunes every size on each of them.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "tuner/app/artifacts.h"
#include "tuner/app/commands.h"
#include "tuner/app/cross_sizes.h"
#include "tuner/app/devices.h"
#include "tuner/app/identity.h"
#include "tuner/app/output_guard.h"
#include "tuner/app/size_run.h"
#include "tuner/app/store_recording.h"
#include "tuner/app/trace.h"
#include "tuner/base/error.h"
#include "tuner/engine/budget.h"
#include "tuner/store/ranked_csv.h"
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

void choose_strategy(RunShared& shared) {
  const SearchSpec& search = shared.study->search;
  shared.strategy = search.strategy;
  shared.strategy_options = search.options;
  if (!shared.options->strategy.empty()) {
    std::tie(shared.strategy, shared.strategy_options) = parse_strategy(shared.options->strategy);
  }
  if (shared.strategy.empty()) shared.strategy = "default";
}

// Before anything is opened or built; its options are checked when it is made.
void check_strategy(const Catalogue& catalogue, const std::string& name) {
  if (catalogue.find(PluginKind::kStrategy, name) != nullptr) return;
  throw InputError(Complaint{{},
                             "there is no strategy '" + name + "'; see 'tuner list strategies'",
                             did_you_mean(name, names_of(catalogue, PluginKind::kStrategy))});
}

void print_outcome(const RunShared& shared, const SizeOutcome& outcome) {
  std::cout << "\n" << ranked_table(outcome.results, names_of(shared.study->parameters), 10);
  std::cout << "  " << outcome.csv_path << "\n";
  std::cout.flush();
}

void conclude(const RunShared& shared, const SizeOutcome& outcome, TraceFile& trace) {
  print_outcome(shared, outcome);
  if (outcome.lost.empty() && !outcome.store_gone) return;
  trace.close();
  if (outcome.store_gone) {
    throw FatalError(shared.store->file().string() +
                     " was removed or replaced while it was in use; what was measured since is in "
                     "the ranked CSV only");
  }
  throw UnavailableError(outcome.lost + "; everything measured so far is kept");
}

// What nobody can say what it was compiled from answers for nothing later.
void tell_what_is_not_kept(const RunShared& shared, const std::vector<SizeOutcome>& outcomes) {
  const bool kept = std::ranges::all_of(outcomes, [](const SizeOutcome& outcome) {
    return std::ranges::all_of(outcome.results.trials, &Trial::sources_known);
  });
  if (kept) return;
  shared.progress->note("results of this study are not kept for later runs: " +
                        (shared.source_gap.empty() ? "the files that it includes are not all known"
                                                   : shared.source_gap));
}

// Every size of the study on one device. Returns whether each has something valid.
bool tune_device(RunShared& shared, RunWorker& worker, TraceFile& trace) {
  shared.runner = &worker;
  const DeviceFacts device = worker.is_open() ? worker.facts() : worker.open();
  std::vector<SizeOutcome> outcomes;
  for (const ProblemSize& size : shared.study->sizes) {
    if (shared.interrupt->count() > 0) break;
    trace.begin_run();
    shared.on_trial = [&](const Trial& trial, double seconds) { trace.trial(trial, seconds); };
    outcomes.push_back(tune_size(shared, device, size));
    conclude(shared, outcomes.back(), trace);
  }
  if (shared.options->cross_sizes && shared.interrupt->count() == 0) {
    shared.on_trial = nullptr;  // a trace is of the search
    for (const std::size_t i : cross_sizes(shared, device, outcomes)) {
      conclude(shared, outcomes[i], trace);
    }
  }
  tell_what_is_not_kept(shared, outcomes);
  return std::ranges::all_of(outcomes, &SizeOutcome::any_valid);
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

}  // namespace

int run_command(const RunOptions& options) {
  Progress progress(options.progress, stderr);
  const Study study = load_study(options, progress);
  RunShared shared;
  shared.options = &options;
  shared.study = &study;
  shared.budget = budget_of(options, study);
  choose_strategy(shared);

  check_trace(options, study);

  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  check_strategy(catalogue, shared.strategy);
  Devices devices = choose_devices(options, program, catalogue, progress);
  Store store = Store::open(options.results);
  for (const std::string& note : store.notes()) progress.note(note);
  if (!options.warm_start_recording.empty()) {
    shared.warm_recording = read_any_recording(options.warm_start_recording);
  }
  const SourceTexts sources = read_sources(study);
  const ArtifactShelf shelf;
  TraceFile trace(options.trace);

  shared.source_text = sources.kernel;
  shared.reference_text = sources.reference;
  shared.source_digest = sources.digest;
  shared.source_gap = sources.known.gap;
  shared.data = read_data_digests(study);
  shared.catalogue = &catalogue;
  shared.store = &store;
  shared.compilers = devices.compilers.get();
  shared.interrupt = &interrupt;
  shared.progress = &progress;
  shared.backend_options = devices.options_text;
  shared.library = shelf.library(devices.compilers->identity(), sources);

  bool all_valid = true;
  for (auto& worker : devices.workers) {
    all_valid = tune_device(shared, *worker, trace) && all_valid;
    worker.reset();  // its device is free for others
  }
  trace.close();
  if (interrupt.count() > 0) {
    progress.note("interrupted; everything measured so far is kept, the same command resumes");
    return kExitInterrupted;
  }
  return all_valid ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
