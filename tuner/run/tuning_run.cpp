// Opens devices, store and sources, and tunes every size on the devices of each model.

#include "tuner/run/tuning_run.h"

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/stopwatch.h"
#include "tuner/base/worker_threads.h"
#include "tuner/bench/bench.h"
#include "tuner/files/ranked_files.h"
#include "tuner/history/identity.h"
#include "tuner/history/size_history.h"
#include "tuner/plugin/space_table.h"
#include "tuner/run/device_run.h"
#include "tuner/run/side_by_side.h"
#include "tuner/trust/ceilings.h"
#include "tuner/worker/shared_compilers.h"

namespace tuner {

namespace {

// Before anything is opened or built.
void check_strategy(const Catalogue& catalogue, const Settings& settings) {
  const SearchSpec& search = settings.study.search;
  catalogue.check_options(PluginKind::kStrategy, search.strategy, search.options, {},
                          search.text.empty() ? settings.study.text : search.text);
}

// Reports an outcome, and ends the run where there is no going on.
void conclude(const SizeOutcome& outcome, const std::filesystem::path& store,
              const RunListener& listener) {
  listener.ranked(outcome);
  if (outcome.store_gone) {
    throw FatalError(store.string() +
                     " was removed or replaced while it was in use; what was measured since is in "
                     "the ranked CSV only");
  }
  if (!outcome.lost.empty()) {
    throw UnavailableError(outcome.lost + "; everything measured so far is kept");
  }
}

// Warns that results are not kept for later runs, because it is unknown what they were compiled
// from.
void tell_what_is_not_kept(const std::string& gap, const std::vector<SizeOutcome>& outcomes,
                           const RunListener& listener) {
  const bool kept = std::ranges::all_of(outcomes, [](const SizeOutcome& outcome) {
    return std::ranges::all_of(outcome.results.trials, &Trial::sources_known);
  });
  if (kept) return;
  listener.note("results of this study are not kept for later runs: " +
                (gap.empty() ? "the files that it includes are not all known" : gap));
}

// A ceiling that was found while the device was busy is too low: what seems to be above it is worth
// another look.
void look_again_at_suspects(Bench& bench, std::vector<WorkingDevice>& devices,
                            const std::vector<SizeOutcome>& outcomes, const RunListener& listener) {
  const auto is_suspect = [](const Trial& trial) { return trial.state == TrialState::kSuspect; };
  const bool any = std::ranges::any_of(outcomes, [&](const SizeOutcome& outcome) {
    return outcome.lost.empty() && std::ranges::any_of(outcome.results.trials, is_suspect);
  });
  if (any && find_ceilings(bench, devices, true)) {
    listener.note(
        "the ceilings of the device are higher than those that suspect results were compared with; "
        "the next run judges these again");
  }
}

// Every size after the other. `spent`: seconds until now, which count in the first size's budget.
std::vector<SizeOutcome> tune_in_turn(DeviceRun& run, const Settings& settings, double spent) {
  const std::filesystem::path store = run.history().store().file();
  const auto tell = [&](const SizeOutcome& outcome) { conclude(outcome, store, run.listener()); };
  if (!settings.asked.empty()) {
    return tune_asked(run, settings.asked, steady_seconds() - spent, steady_seconds, tell);
  }
  if (settings.study.domain) {
    return tune_domain(run, settings.seed, steady_seconds() - spent, steady_seconds, tell);
  }
  std::vector<SizeOutcome> outcomes;
  for (const ProblemSize& size : settings.study.sizes) {
    if (run.is_interrupted()) break;
    SizeOptions options;
    options.spent = outcomes.empty() ? spent : 0;
    outcomes.push_back(run.tune(size, options));
    tell(outcomes.back());
  }
  return outcomes;
}

bool go_side_by_side(const Settings& settings, std::size_t devices) {
  const Study& study = settings.study;
  return !settings.in_turn && !study.domain && settings.asked.empty() && study.sizes.size() > 1 &&
         devices > 1;
}

// All that a run has opened, on the thread that has begun it. Groups only read it.
struct Opened {
  const Settings& settings;
  const MakeStrategy& make_strategy;
  const History& history;
  const Bench& bench;
  const StopRequest& interrupt;
  const RunListener& listener;
  WorkerThreads& threads;
  AdviceAsked advice;
  std::function<double()> spent;  // of the budget of a size that is among the first, in seconds

  bool is_interrupted() const { return interrupt.count() > 0; }
  DeviceRun on(MeasuringDevice& device, const History& with, const RunListener& told) const {
    return {settings, make_strategy, bench.sources().reference,           with,
            device,   told,          [this] { return is_interrupted(); }, advice};
  }
};

// ---- sizes side by side -------------------------------------------------------------------------

MeasuredWith with_own_digests(MeasuredWith with) {
  with.data = std::make_shared<FileDigests>();
  return with;
}

bool is_there(const WorkingDevice& device) { return device.lost.empty(); }

class PooledGroup final : public SizeGroup {
 public:
  PooledGroup(const Opened& all, Compilers& compilers, std::span<WorkingDevice> devices,
              RunListener listener, bool is_first)
      : all_(all),
        compilers_(compilers),
        devices_(devices),
        listener_(std::move(listener)),
        is_first_(is_first) {}

  SizeOutcome tune(const ProblemSize& size) override {
    if (!work_) work_.emplace(*this);
    SizeOptions options;
    if (std::exchange(is_first_, false)) options.spent = all_.spent();
    return work_->run.tune(size, options);
  }
  bool is_gone() const override { return std::ranges::none_of(devices_, is_there); }

 private:
  // Made on the group's thread: opening the store and a device takes its time.
  struct Work {
    explicit Work(PooledGroup& of)
        : store(Store::open(of.all_.settings.results)),
          history(store, of.all_.settings.study, with_own_digests(of.all_.history.with())),
          device(of.all_.bench.device(of.devices_, of.compilers_)),
          run(of.all_.on(device, history, of.listener_)) {}

    Store store;
    History history;
    PooledDevice device;
    DeviceRun run;
  };

  const Opened& all_;
  Compilers& compilers_;
  std::span<WorkingDevice> devices_;
  RunListener listener_;
  bool is_first_;
  std::optional<Work> work_;
};

// Groups of the devices of one model, each with a share of the compile pool, a connection to the
// store of its own, and nothing else that another thread uses.
class PooledGroups final : public GroupSource {
 public:
  // Both outlive the groups' source. Lost devices are moved to the end.
  PooledGroups(const Opened& all, std::vector<WorkingDevice>& devices)
      : all_(all), devices_(devices) {}

  std::size_t devices() const override {
    return static_cast<std::size_t>(std::ranges::count_if(devices_, is_there));
  }
  std::vector<std::unique_ptr<SizeGroup>> deal(const std::vector<std::size_t>& devices,
                                               const std::vector<RunListener>& listeners) override {
    std::stable_partition(devices_.begin(), devices_.end(), is_there);
    shared_.emplace(all_.bench.compilers(), devices.size());
    std::vector<std::unique_ptr<SizeGroup>> groups;
    std::span<WorkingDevice> rest(devices_);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      groups.push_back(std::make_unique<PooledGroup>(
          all_, shared_->share(i), rest.first(devices[i]), listeners[i], is_first_));
      rest = rest.subspan(devices[i]);
    }
    is_first_ = false;
    return groups;
  }
  void serve() override { shared_->serve(); }
  void stop_serving() override { shared_->stop(); }
  void gather() override { shared_.reset(); }

 private:
  const Opened& all_;
  std::vector<WorkingDevice>& devices_;
  std::optional<SharedCompilers> shared_;  // while a round lasts
  bool is_first_ = true;
};

std::vector<SizeOutcome> tune_side_by_side(const Opened& run, std::vector<WorkingDevice>& devices) {
  const std::vector<ProblemSize>& sizes = run.settings.study.sizes;
  Store& store = run.history.store();
  // Exports have sizes in the order of the store, which is not to be that in which they end.
  for (const ProblemSize& size : sizes) {
    store.context(run.history.key(devices.front().worker->facts(), size));
  }
  PooledGroups groups(run, devices);
  return SideBySide{sizes,
                    groups,
                    run.threads,
                    run.listener,
                    [&] { return run.is_interrupted(); },
                    [&](const SizeOutcome& outcome, const RunListener& listener) {
                      conclude(outcome, store.file(), listener);
                    }}
      .tune();
}

// Every size on the devices of one model. Returns what came of each that was begun.
std::vector<SizeOutcome> tune_sizes(const Opened& run, std::vector<WorkingDevice>& devices) {
  const bool side_by_side = go_side_by_side(run.settings, devices.size());
  std::vector<SizeOutcome> outcomes;
  if (side_by_side) outcomes = tune_side_by_side(run, devices);
  if (side_by_side && (!run.settings.cross_sizes || run.is_interrupted())) return outcomes;
  PooledDevice device = run.bench.device(devices);
  DeviceRun all = run.on(device, run.history, run.listener);
  if (!side_by_side) outcomes = tune_in_turn(all, run.settings, run.spent());
  if (run.settings.cross_sizes && !run.is_interrupted()) {
    for (const std::size_t i : cross_sizes(all, outcomes)) {
      conclude(outcomes[i], run.history.store().file(), run.listener);
    }
  }
  return outcomes;
}

bool have_all_valid(const std::vector<SizeOutcome>& outcomes) {
  const auto is_well = [](const SizeOutcome& one) { return one.any_valid || one.only_begun; };
  return std::ranges::all_of(outcomes, is_well) &&
         (outcomes.empty() || std::ranges::any_of(outcomes, &SizeOutcome::any_valid));
}

}  // namespace

MakeStrategy strategies_of(const Settings& settings, const Catalogue& catalogue) {
  return [&settings, &catalogue](const SearchSpace& space) {
    const SearchSpec& spec = settings.study.search;
    return catalogue.make_strategy(spec.strategy, space_table(space), settings.seed, spec.budget,
                                   spec.options, {}, 1 + settings.study.objective.beside.size());
  };
}

AdviceAsked advice_asked(const Caller& caller) {
  AdviceAsked how;
  how.advisor = [&caller](const AdviceSource& source, const std::string& question) {
    return caller.catalogue.ask_advisor(source.words.front(), source.options, question);
  };
  if (!caller.program.executable.empty())
    how.keeper = {caller.program.executable, "worker", "keep"};
  how.stop = [&caller] { return caller.interrupt.count() > 0; };
  return how;
}

RunEnd tune(const Settings& settings, const Caller& caller, const RunListener& listener,
            const LentHosts& lent) {
  double begin = steady_seconds();
  check_strategy(caller.catalogue, settings);
  caller.catalogue.check_study(settings.study);
  const Study& study = settings.study;
  const auto note = [&](const std::string& text) { listener.note(text); };
  WorkerThreads threads;  // before the workers that its threads may start
  Bench bench(settings, {caller.program, caller.catalogue, caller.interrupt, note}, lent);
  listener.reached("device opened");
  for (const std::string& text : bench.notes()) note(text);
  Store store = Store::open(settings.results);
  for (const std::string& text : store.notes()) note(text);
  listener.reached("store opened");
  const MakeStrategy make_strategy = strategies_of(settings, caller.catalogue);
  const History history(store, study, bench.measured_with());
  listener.reached("compiler ready");
  const Opened run{settings, make_strategy,        history,
                   bench,    caller.interrupt,     listener,
                   threads,  advice_asked(caller), [&] { return steady_seconds() - begin; }};

  RunEnd end;
  for (AlikeDevices& alike : bench.models()) {
    open_any(alike, note);
    std::vector<WorkingDevice> working;
    for (const auto& worker : alike) working.push_back({worker.get()});
    find_ceilings(bench, working);
    const std::vector<SizeOutcome> outcomes = tune_sizes(run, working);
    look_again_at_suspects(bench, working, outcomes, listener);
    tell_what_is_not_kept(bench.sources().known.gap, outcomes, listener);
    end.all_valid = end.all_valid && have_all_valid(outcomes);
    alike.clear();  // its devices are free for others
    begin = steady_seconds();
  }
  end.interrupted = run.is_interrupted();
  return end;
}

namespace {

// The export stood in for the study's own baseline, in the store and in the CSV file.
void rank_as_the_study_says(const Study& study, const ProblemSize& size,
                            const std::filesystem::path& results, const std::string& written_for) {
  Store store = Store::open(results);
  for (const StoredContext& one : store.contexts(study.kernel.name)) {
    if (one.key.size == size) {
      trials_for_run(store, one.context, study, one.key.device, one.key.size);
    }
  }
  for (const StoredResults& one : newest_of_each(stored_results(store, &study, {}))) {
    if (one.ranked.device.name != written_for || one.ranked.size != size) continue;
    write_ranked_csv(results, study.kernel.name, one.ranked, one.parameters);
  }
}

}  // namespace

bool is_lost(const RetunedSize& one) {
  return !one.best.empty() && (!one.gain || one.gain->low > 1);
}

RetunedSize retune(const Settings& settings, const ProblemSize& size, const Configuration& exported,
                   const Caller& caller) {
  RetunedSize out{size};
  Settings alone = settings;
  alone.study.sizes = {size};
  alone.study.domain.reset();
  alone.study.baseline.reset();
  if (!exported.empty()) alone.study.baseline = BaselineSpec{exported, {}};
  std::string written_for;  // the device whose ranking was written; empty: of none
  // Progress of so short a search is of no interest.
  const RunListener listener([&](const RunEvent& event) {
    if (event.kind == RunEvent::Kind::kNote) caller.note(std::string(event.text));
    if (event.kind != RunEvent::Kind::kRanked) return;
    const RankedResults& results = event.outcome->results;
    if (!event.outcome->csv_path.empty()) written_for = results.device.name;
    if (results.ranked == 0) return;
    out.best = results.trials.front().configuration;
    if (results.baseline && !results.baseline->speedups.empty()) {
      out.gain = results.baseline->speedups.front();
    }
  });
  tune(alone, caller, listener);
  rank_as_the_study_says(settings.study, size, settings.results, written_for);
  return out;
}

std::vector<std::string> entries_beyond(const TunedTable& table,
                                        const std::vector<RankedResults>& results) {
  std::vector<std::string> out;
  for (const TunedEntry& entry : table.entries) {
    const DeviceFacts& device = table.devices[entry.device];
    const bool known = std::ranges::any_of(results, [&](const RankedResults& one) {
      return one.ranked > 0 && one.device.name == device.name && one.size == entry.size;
    });
    if (!known) out.push_back(device.name + " " + entry.size.label());
  }
  return out;
}

}  // namespace tuner
