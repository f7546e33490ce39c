// Tunes one size: search, final, ranking, CSV.

#include "tuner/app/size_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "tuner/app/final.h"
#include "tuner/app/identity.h"
#include "tuner/app/stored_results.h"
#include "tuner/app/trial_memory.h"
#include "tuner/app/usage.h"
#include "tuner/app/warm_start.h"
#include "tuner/base/error.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/ranking.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/resumption.h"
#include "tuner/engine/tuning_loop.h"
#include "tuner/exporters/ranked_files.h"
#include "tuner/plugin/space_table.h"
#include "tuner/study/geometry_check.h"
#include "tuner/study/unverified.h"

namespace tuner {
namespace {

SearchSpace build_space(const RunShared& shared, const DeviceFacts& device,
                        const ProblemSize& size) {
  BuildOptions options;
  options.cancelled = [&] { return shared.interrupt->count() > 0; };
  SearchSpace space = SearchSpace::build(space_definition(*shared.study, size, device), options);
  const std::vector<Complaint> complaints = check_geometry(*shared.study, space, size, device);
  if (!complaints.empty()) throw InputError(complaints, shared.study->text);
  return space;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// What the strategy is told before it asks.
std::vector<Prior> warm_start(const RunShared& shared, const ContextKey& key,
                              const SearchSpace& space) {
  if (!shared.options->warm_start) return {};
  EarlierResults earlier =
      earlier_results(*shared.store, key, shared.study->objective, prior_target(space));
  if (shared.warm_recording) {
    earlier.priors.push_back(
        prior_of(*shared.warm_recording, shared.warm_recording->maximize, prior_target(space), 1));
    earlier.note += fmt::format("{}{} results of '{}'", earlier.note.empty() ? "" : ", ",
                                earlier.priors.back().results.size(), shared.warm_recording->name);
  }
  if (!earlier.priors.empty()) {
    shared.progress->note("  told to the strategy: " + earlier.note);
  }
  return std::move(earlier.priors);
}

// How the configurations of a size are chosen.
struct Search {
  std::unique_ptr<Strategy> strategy;
  std::function<std::unique_ptr<Strategy>()> rehearsal;  // another one that asks the same
  bool compared = false;  // what is stored was compared with the device already
  Budget budget;
  std::string title;
  std::string total;  // how many there may be
};

// Proposes a list, whatever the answers are.
class ListedOnes final : public Strategy {
 public:
  explicit ListedOnes(std::vector<ConfigIndex> listed) : listed_(std::move(listed)) {}
  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count && next_ < listed_.size()) out.push_back(listed_[next_++]);
    return out;
  }
  void tell(const Observation&) override {}

 private:
  std::vector<ConfigIndex> listed_;
  std::size_t next_ = 0;
};

EvaluatorSetup evaluator_setup(const RunShared& shared, const SearchSpace& space,
                               const DeviceFacts& device, const ProblemSize& size,
                               const Context& context, const Resumption& resumption) {
  EvaluatorSetup setup;
  setup.study = shared.study;
  setup.space = &space;
  setup.size = size;
  setup.facts = device;
  setup.source_text = shared.source_text;
  setup.library = shared.library;
  setup.recall = [&resumption, &space](const Configuration& c) {
    const auto index = space.index_of(c);
    return index ? resumption.recall(*index) : std::nullopt;
  };
  setup.warn = [progress = shared.progress](const std::string& text) {
    progress->note("  warning: " + text);
  };
  plan_preparation(shared, space, device, size, setup);
  Store& store = *shared.store;
  // What gave a right answer before is not suspected when a run dies: its result would be lost.
  setup.announce = [&store, &resumption, &space, context](const Configuration& c) {
    const auto index = space.index_of(c);
    if (!index || !resumption.is_valid_result(*index)) store.mark_in_flight(context, c);
  };
  setup.withdraw = [&store, context](const Configuration& c) { store.clear_in_flight(context, c); };
  return setup;
}

// What a run finds in the store, and whether that still holds.
struct Stored {
  Context context;
  TrialMemory memory;
  Resumption resumption;
};

// What is known of configurations that the searched part of the space does not have is as old as
// the rest, and nobody measures it again.
void outdate_outsiders(const RunShared& shared, const SearchSpace& space, const Moved& moved,
                       Stored& stored) {
  std::vector<Trial> outside = stored.memory.outside(space);
  for (Trial& trial : outside) {
    mark_outdated(trial, moved.ratio);
    stored.memory.replace(trial);
  }
  shared.store->rewrite(stored.context, outside, moved.now);
}

// Before anything new is measured, the best of what is stored is: is the device as fast as it was?
void compare_with_stored(const RunShared& shared, const SearchSpace& space,
                         const DeviceFacts& device, const ProblemSize& size, Search& search,
                         Stored& stored, PoolEvaluator& evaluator, SizeOutcome& outcome) {
  outcome.compared = search.compared;
  Resumption& resumption = stored.resumption;
  if (search.compared || !resumption.any_valid()) return;
  const ObjectiveSpec& objective = shared.study->objective;
  if (!resumption.any_outdated() && !final_is_due(shared, size, device, resumption.trials()) &&
      !asks_for_more(*search.rehearsal(), resumption, objective, search.budget,
                     evaluator.capacity())) {
    return;
  }
  outcome.compared = true;
  const auto replace = [&](std::span<const Trial> changed) {
    shared.store->rewrite(stored.context, changed.first(changed.size() - 1), changed.back());
    for (const Trial& trial : changed) stored.memory.replace(trial);
  };
  if (const auto moved = resumption.compare(evaluator, replace)) {
    shared.progress->note(moved_text(*moved, shared.study->parameters));
    outdate_outsiders(shared, space, *moved, stored);
  }
  std::vector<ConfigIndex> again = resumption.outdated();
  if (again.empty()) return;
  shared.progress->note(
      fmt::format("  stored results that are measured again, best first: {}", again.size()));
  search.strategy = std::make_unique<GivenFirst>(std::move(again), std::move(search.strategy));
}

// Every trial that the search came by, each committed before anyone hears of it.
std::vector<Trial> search_trials(const RunShared& shared, const SearchSpace& space,
                                 const DeviceFacts& device, const ProblemSize& size, Search search,
                                 Stored& stored, PoolEvaluator& evaluator, SizeOutcome& outcome) {
  const Context& context = stored.context;
  std::vector<Trial> trials;
  Usage usage(*shared.compilers, *shared.runner);
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    if (!trial.from_store) {
      shared.store->record(context, trial);
      ++outcome.measured;
      outcome.store_gone = !shared.store->is_in_place();
    }
    trials.push_back(trial);
    usage.trial(trial, evaluator.now());
    shared.progress->trial(trial, evaluator.now());
    if (shared.on_trial) shared.on_trial(trial, evaluator.now());
  };
  callbacks.stop = [&] { return shared.interrupt->count() > 0 || outcome.store_gone; };
  std::string reason;
  try {
    compare_with_stored(shared, space, device, size, search, stored, evaluator, outcome);
    reason =
        run_loop(*search.strategy, evaluator, shared.study->objective, search.budget, callbacks)
            .reason;
  } catch (const UnavailableError& error) {
    outcome.lost = reason = error.what();  // what was measured until now is ranked all the same
  }
  if (outcome.store_gone) reason = "the database of the results is gone";
  shared.progress->end(evaluator.now());
  shared.progress->note("  ended: " + reason);
  if (const auto text = usage.text(evaluator.now()); !text.empty()) shared.progress->note(text);
  if (const auto text = drift_text(evaluator.drift()); !text.empty()) shared.progress->note(text);
  if (const auto text = twins_text(evaluator.twins()); !text.empty()) shared.progress->note(text);

  outcome.interrupted = shared.interrupt->count() > 0;
  if (outcome.interrupted && evaluator.in_flight()) {
    shared.store->clear_in_flight(context, *evaluator.in_flight());
  }
  return trials;
}

SizeOutcome run_size(const RunShared& shared, const SearchSpace& space, const DeviceFacts& device,
                     const ProblemSize& size, Search search) {
  const Study& study = *shared.study;
  const Context context = shared.store->context(key_of(shared, device, size));
  for (const Trial& blamed : shared.store->settle_in_flight(context)) {
    shared.progress->note("  " + configuration_text(study.parameters, blamed.configuration) + ": " +
                          blamed.message);
  }
  TrialMemory memory(trials_for_run(*shared.store, context, study, device, size));
  Resumption resumption(study.objective, study.measure, memory.in(space));
  Stored stored{context, std::move(memory), std::move(resumption)};
  PoolEvaluator evaluator(evaluator_setup(shared, space, device, size, context, stored.resumption),
                          *shared.compilers, *shared.runner, *shared.interrupt);
  shared.progress->begin(
      fmt::format("{} on {}, {}: {}", study.kernel.name, device.name, size.label(), search.title),
      search.total, study);
  SizeOutcome outcome;
  std::vector<Trial> trials =
      search_trials(shared, space, device, size, std::move(search), stored, evaluator, outcome);
  stored.memory.add_others(space, trials);
  stored.memory.add_outsiders(space, trials);
  std::optional<Final> last;
  try {
    if (space.size() == 0) {  // nothing can be measured, but something may be known
      last = earlier_final(study, trials);
    } else if (outcome.lost.empty() && !outcome.store_gone) {
      last = final_round(shared, size, device, context, evaluator, trials);
    }
  } catch (const UnavailableError& error) {
    outcome.lost = error.what();
  }
  std::optional<FinalRound> round;
  if (last) {
    const auto finalists = take_over(last->round, evaluator, study.measure.confidence, trials);
    if (last->is_new) {
      shared.store->record(context, stored.memory.earlier_finalists(finalists));
      shared.store->record(context, finalists);
    }
    round = std::move(last->round);
  }
  outcome.store_gone = !shared.store->is_in_place();
  outcome.results = rank(study.objective, std::move(trials), round, study.measure);
  outcome.any_valid = std::ranges::any_of(outcome.results.trials, [&](const Trial& trial) {
    return trial.index < space.size() && is_valid(trial);
  });
  outcome.results.device = device;
  outcome.results.size = size;
  outcome.results.unverified = unverified_text(study);
  outcome.results.date = now_text();
  outcome.results.compiler = shared.compilers->identity();
  outcome.csv_path = write_ranked_csv(shared.options->results, study.kernel.name, outcome.results,
                                      parameter_names(study.parameters))
                         .string();
  write_device_file(std::filesystem::path(outcome.csv_path).parent_path(), device);
  return outcome;
}

}  // namespace

ContextKey key_of(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size) {
  return context_key(*shared.study, device, size, shared.source_digest, shared.data,
                     shared.compilers->identity(), shared.backend_options);
}

void plan_preparation(const RunShared& shared, const SearchSpace& space, const DeviceFacts& device,
                      const ProblemSize& size, EvaluatorSetup& setup) {
  const Study& study = *shared.study;
  auto plan = size_plan(study, size, device);
  if (!plan) throw InputError({Complaint{study.kernel.where, plan.error(), ""}}, study.text);
  setup.plan = std::move(*plan);
  if (!setup.plan.reference) return;
  auto request = reference_request(study, space, device, shared.reference_text);
  if (!request) {
    throw InputError(
        {Complaint{study.reference->where, "the reference kernel: " + request.error(), ""}},
        study.text);
  }
  setup.reference = std::move(*request);
}

SizeOutcome tune_size(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size) {
  const SearchSpace space = build_space(shared, device, size);
  Search search;
  const auto make = [&] {
    return shared.catalogue->make_strategy(
        shared.strategy, space_table(space), shared.options->seed, shared.budget,
        shared.strategy_options, {}, 1 + shared.study->objective.beside.size());
  };
  search.strategy = make();
  search.budget = shared.budget;
  search.title =
      fmt::format("{} valid configurations of {}", space.report().valid, space.report().cartesian);
  search.total = space.report().valid;
  if (shared.budget.evaluations && *shared.budget.evaluations < space.size()) {
    search.total = std::to_string(*shared.budget.evaluations);
  }
  const ContextKey key = key_of(shared, device, size);
  const std::vector<Prior> priors = warm_start(shared, key, space);
  for (const Prior& prior : priors) search.strategy->learn(prior);
  search.rehearsal = [&] {
    std::unique_ptr<Strategy> strategy = make();
    for (const Prior& prior : priors) strategy->learn(prior);
    return strategy;
  };
  if (shared.options->fresh) shared.store->start_afresh(shared.store->context(key));
  return run_size(shared, space, device, size, std::move(search));
}

SizeOutcome measure_size(const RunShared& shared, const DeviceFacts& device,
                         const ProblemSize& size, const std::vector<Configuration>& configurations,
                         const std::string& what, bool compared) {
  const SearchSpace space = build_space(shared, device, size);
  std::vector<ConfigIndex> listed;
  for (const Configuration& one : configurations) {
    if (const auto index = space.index_of(one)) listed.push_back(*index);
  }
  Search search;
  search.title = what;
  search.total = std::to_string(listed.size());
  search.compared = compared;
  search.rehearsal = [listed] { return std::make_unique<ListedOnes>(listed); };
  search.strategy = search.rehearsal();
  return run_size(shared, space, device, size, std::move(search));
}

}  // namespace tuner
