// Opens devices, store and sources, and tunes every size on each device.

#include "tuner/run/tuning_run.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "tuner/base/error.h"
#include "tuner/plugin/space_table.h"
#include "tuner/run/cross_sizes.h"
#include "tuner/run/device_run.h"
#include "tuner/run/devices.h"
#include "tuner/run/domain_run.h"
#include "tuner/run/sources.h"
#include "tuner/run/store_recording.h"

namespace tuner {
namespace {

// Before anything is opened or built.
void check_strategy(const Catalogue& catalogue, const RunSettings& settings) {
  const std::string& name = settings.strategy;
  if (catalogue.find(PluginKind::kStrategy, name) != nullptr) {
    catalogue.check_options(PluginKind::kStrategy, name, settings.strategy_options, {},
                            settings.strategy_text);
    return;
  }
  throw InputError(Complaint{{},
                             "there is no strategy '" + name + "'; see 'tuner list strategies'",
                             did_you_mean(name, catalogue.names(PluginKind::kStrategy))});
}

SearchSettings search_settings(const RunSettings& settings, const Catalogue& catalogue) {
  SearchSettings search;
  search.make_strategy = [&](const SearchSpace& space) {
    return catalogue.make_strategy(settings.strategy, space_table(space), settings.seed,
                                   settings.budget, settings.strategy_options, {},
                                   1 + settings.study.objective.beside.size());
  };
  search.budget = settings.budget;
  search.seed = settings.seed;
  search.fresh = settings.fresh;
  search.warm_start = settings.warm_start;
  if (!settings.warm_recording.empty()) {
    search.warm_recording = read_any_recording(settings.warm_recording);
  }
  search.results = settings.results;
  return search;
}

// Tells of an outcome, and ends the run where there is no going on.
void conclude(const SizeOutcome& outcome, const Store& store, RunListener& listener) {
  listener.ranked(outcome);
  if (outcome.store_gone) {
    throw FatalError(store.file().string() +
                     " was removed or replaced while it was in use; what was measured since is in "
                     "the ranked CSV only");
  }
  if (!outcome.lost.empty()) {
    throw UnavailableError(outcome.lost + "; everything measured so far is kept");
  }
}

// What nobody can say what it was compiled from answers for nothing later.
void tell_what_is_not_kept(const std::string& gap, const std::vector<SizeOutcome>& outcomes,
                           RunListener& listener) {
  const bool kept = std::ranges::all_of(outcomes, [](const SizeOutcome& outcome) {
    return std::ranges::all_of(outcome.results.trials, &Trial::sources_known);
  });
  if (kept) return;
  listener.note("results of this study are not kept for later runs: " +
                (gap.empty() ? "the files that it includes are not all known" : gap));
}

double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Every size on one device. Returns what came of each that was begun.
// `spent`: seconds until now, which count in the first size's budget.
std::vector<SizeOutcome> tune_sizes(DeviceRun& run, const RunSettings& settings, double spent) {
  const Store& store = run.history().store();
  const auto tell = [&](const SizeOutcome& outcome) { conclude(outcome, store, run.listener()); };
  std::vector<SizeOutcome> outcomes;
  if (settings.study.domain) {
    outcomes = tune_domain(run, {settings.budget, settings.seed, spent}, wall_seconds, tell);
  } else {
    for (const ProblemSize& size : settings.study.sizes) {
      if (run.is_interrupted()) break;
      Focus focus;
      focus.spent = outcomes.empty() ? spent : 0;
      outcomes.push_back(run.tune(size, focus));
      tell(outcomes.back());
    }
  }
  if (settings.cross_sizes && !run.is_interrupted()) {
    for (const std::size_t i : cross_sizes(run, outcomes)) {
      tell(outcomes[i]);
    }
  }
  return outcomes;
}

}  // namespace

RunEnd tune(const RunSettings& settings, const WorkerProgram& program, const Catalogue& catalogue,
            const StopRequest& interrupt, RunListener& listener, const LentHosts& lent) {
  double begin = wall_seconds();
  check_strategy(catalogue, settings);
  catalogue.check_study(settings.study);
  const Study& study = settings.study;
  const auto note = [&](const std::string& text) { listener.note(text); };
  Devices devices = open_devices(settings.devices, program, catalogue, lent, note);
  Store store = Store::open(settings.results);
  for (const std::string& text : store.notes()) note(text);
  const SearchSettings search = search_settings(settings, catalogue);
  const SourceTexts sources = read_sources(study);
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) note(shelf.trouble());
  const std::string compiler = devices.compilers->identity();
  const Toolchain tools{sources.kernel, shelf.library(compiler, sources), *devices.compilers};
  const History history(store, study,
                        {sources.digest, std::make_shared<FileDigests>(), compiler,
                         devices.options_text, catalogue.versions_for(study)});
  const auto interrupted = [&] { return interrupt.count() > 0; };

  RunEnd end;
  for (AlikeDevices& alike : devices.models) {
    open_any(alike, note);
    std::vector<WorkingDevice> working;
    for (const auto& worker : alike) working.push_back({worker.get()});
    PooledDevice device(tools, working, interrupt);
    DeviceRun run(study, sources.reference, search, history, device, listener, interrupted);
    const std::vector<SizeOutcome> outcomes = tune_sizes(run, settings, wall_seconds() - begin);
    tell_what_is_not_kept(sources.known.gap, outcomes, listener);
    end.all_valid = end.all_valid && std::ranges::all_of(outcomes, &SizeOutcome::any_valid);
    alike.clear();  // its devices are free for others
    begin = wall_seconds();
  }
  end.interrupted = interrupted();
  return end;
}

}  // namespace tuner
