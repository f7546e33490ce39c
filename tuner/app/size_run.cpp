#include "tuner/app/size_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "tuner/app/identity.h"
#include "tuner/app/recorded_csv.h"
#include "tuner/app/stored_results.h"
#include "tuner/app/trial_memory.h"
#include "tuner/app/usage.h"
#include "tuner/app/warm_start.h"
#include "tuner/base/error.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/ranking.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/statistics.h"
#include "tuner/engine/tuning_loop.h"
#include "tuner/plugin/space_table.h"
#include "tuner/store/ranked_csv.h"
#include "tuner/study/geometry_check.h"

namespace tuner {
namespace {

// Rounds of the final: as many as fit into this much kernel time, so that short kernels, whose
// single samples say least, get the most.
constexpr double kFinalMilliseconds = 1500;
constexpr int kFewestRounds = 31;
constexpr int kMostRounds = 151;

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

struct Final {
  FinalRound round;
  bool is_new;  // else it stands since an earlier run
};

// The best few measured again, interleaved; their place in the ranking follows from that.
std::optional<Final> final_round(const RunShared& shared, const ProblemSize& size,
                                 const DeviceFacts& device, const Context& context,
                                 PoolEvaluator& evaluator, std::vector<Trial>& trials) {
  const int finalists = shared.study->measure.finalists;
  if (finalists < 2) return std::nullopt;
  if (!faster_is_better(*shared.study, size, device)) return std::nullopt;
  const auto chosen =
      choose_finalists(shared.study->objective, trials, static_cast<std::size_t>(finalists));
  std::optional<Final> earlier;
  if (auto round = standing_final(shared.study->objective, trials))
    earlier = Final{std::move(*round), false};
  if (shared.interrupt->count() > 0) return earlier;
  if (earlier && earlier->round.finalists.size() >= chosen.size()) return earlier;
  if (chosen.empty()) return std::nullopt;
  shared.progress->note(fmt::format("  final: the best {} again, interleaved", chosen.size()));
  std::vector<Trial> best;
  for (const std::size_t at : chosen) best.push_back(trials[at]);
  double once = 0;
  for (const Trial& trial : best) once += trial.timing.median;
  const int rounds =
      static_cast<int>(std::clamp<double>(kFinalMilliseconds / once, kFewestRounds, kMostRounds));
  const auto samples = evaluator.duel(best, rounds, shared.options->seed);
  Final now{FinalRound{}, true};
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].state != TrialState::kOk) {
      trials[chosen[i]] = best[i];
      shared.store->record(context, best[i]);
    } else if (!samples.empty()) {
      now.round.finalists.push_back(best[i].index);
      now.round.milliseconds.push_back(samples[i]);
    }
  }
  if (now.round.finalists.empty()) return std::nullopt;
  return now;
}

// The final's samples replace those of the search, which were taken at different times; they stay
// with the trials, so that the ranking can be told again from the store. Returns the finalists.
std::vector<Trial> take_over(const FinalRound& round, const PoolEvaluator& evaluator,
                             double confidence, std::vector<Trial>& trials) {
  std::vector<Trial> finalists;
  for (Trial& trial : trials) {
    const auto place = std::find(round.finalists.begin(), round.finalists.end(), trial.index);
    if (place == round.finalists.end()) continue;
    trial.final_samples =
        round.milliseconds[static_cast<std::size_t>(place - round.finalists.begin())];
    if (!trial.search_objective) trial.search_objective = trial.objective;
    trial.timing = summarise(trial.final_samples, confidence);
    evaluator.score(trial);
    finalists.push_back(trial);
  }
  return finalists;
}

void warm_start(const RunShared& shared, const ContextKey& key, const SearchSpace& space,
                Strategy& strategy) {
  if (!shared.options->warm_start) return;
  EarlierResults earlier =
      earlier_results(*shared.store, key, shared.study->objective, prior_target(space));
  if (shared.warm_recording) {
    earlier.priors.push_back(
        prior_of(*shared.warm_recording, shared.study->objective.maximize, prior_target(space), 1));
    earlier.note += fmt::format("{}{} results of '{}'", earlier.note.empty() ? "" : ", ",
                                earlier.priors.back().results.size(), shared.warm_recording->name);
  }
  if (earlier.priors.empty()) return;
  shared.progress->note("  told to the strategy: " + earlier.note);
  for (const Prior& prior : earlier.priors) strategy.learn(prior);
}

// How the configurations of a size are chosen.
struct Search {
  std::unique_ptr<Strategy> strategy;
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
                               const Context& context, const TrialMemory& memory) {
  EvaluatorSetup setup;
  setup.study = shared.study;
  setup.space = &space;
  setup.size = size;
  setup.facts = device;
  setup.source_text = shared.source_text;
  setup.library = shared.library;
  setup.recall = [&memory](const Configuration& c) { return memory.find(c); };
  plan_preparation(shared, space, device, size, setup);
  Store& store = *shared.store;
  setup.announce = [&store, context](const Configuration& c) { store.mark_in_flight(context, c); };
  setup.withdraw = [&store, context](const Configuration& c) { store.clear_in_flight(context, c); };
  return setup;
}

// Every trial that the search came by, each committed before anyone hears of it.
std::vector<Trial> search_trials(const RunShared& shared, const Context& context, Search search,
                                 PoolEvaluator& evaluator, SizeOutcome& outcome) {
  std::vector<Trial> trials;
  Usage usage(*shared.compilers, *shared.runner);
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    if (!trial.from_store) {
      shared.store->record(context, trial);
      ++outcome.measured;
    }
    trials.push_back(trial);
    usage.trial(trial, evaluator.now());
    shared.progress->trial(trial, evaluator.now());
    if (shared.on_trial) shared.on_trial(trial, evaluator.now());
  };
  callbacks.stop = [&] { return shared.interrupt->count() > 0; };
  std::string reason;
  try {
    reason =
        run_loop(*search.strategy, evaluator, shared.study->objective, search.budget, callbacks)
            .reason;
  } catch (const UnavailableError& error) {
    outcome.lost = reason = error.what();  // what was measured until now is ranked all the same
  }
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
  const TrialMemory memory(trials_for(*shared.store, context, study, device, size));
  PoolEvaluator evaluator(evaluator_setup(shared, space, device, size, context, memory),
                          *shared.compilers, *shared.runner, *shared.interrupt);
  shared.progress->begin(
      fmt::format("{} on {}, {}: {}", study.kernel.name, device.name, size.label(), search.title),
      search.total, study);
  SizeOutcome outcome;
  std::vector<Trial> trials = search_trials(shared, context, std::move(search), evaluator, outcome);
  memory.add_others(space, trials);
  std::optional<Final> last;
  try {
    if (outcome.lost.empty()) last = final_round(shared, size, device, context, evaluator, trials);
  } catch (const UnavailableError& error) {
    outcome.lost = error.what();
  }
  std::optional<FinalRound> round;
  if (last) {
    const auto finalists = take_over(last->round, evaluator, study.measure.confidence, trials);
    if (last->is_new) {
      shared.store->record(context, memory.earlier_finalists(finalists));
      shared.store->record(context, finalists);
    }
    round = std::move(last->round);
  }
  outcome.results = rank(study.objective, std::move(trials), round, study.measure);
  outcome.results.device = device;
  outcome.results.size = size;
  outcome.results.date = now_text();
  outcome.results.compiler = shared.compilers->identity();
  outcome.csv_path = write_ranked_csv(shared.options->results, study.kernel.name, outcome.results,
                                      names_of(study.parameters))
                         .string();
  write_device_file(std::filesystem::path(outcome.csv_path).parent_path(), device);
  return outcome;
}

}  // namespace

ContextKey key_of(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size) {
  return context_key(*shared.study, device, size, shared.source_digest,
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
  search.strategy = shared.catalogue->make_strategy(
      shared.strategy, space_table(space), shared.options->seed, shared.budget,
      shared.strategy_options, {}, 1 + shared.study->objective.beside.size());
  search.budget = shared.budget;
  search.title =
      fmt::format("{} valid configurations of {}", space.report().valid, space.report().cartesian);
  search.total = space.report().valid;
  if (shared.budget.evaluations && *shared.budget.evaluations < space.size()) {
    search.total = std::to_string(*shared.budget.evaluations);
  }
  const ContextKey key = key_of(shared, device, size);
  warm_start(shared, key, space, *search.strategy);
  if (shared.options->fresh) shared.store->start_afresh(shared.store->context(key));
  return run_size(shared, space, device, size, std::move(search));
}

SizeOutcome measure_size(const RunShared& shared, const DeviceFacts& device,
                         const ProblemSize& size, const std::vector<Configuration>& configurations,
                         const std::string& what) {
  const SearchSpace space = build_space(shared, device, size);
  std::vector<ConfigIndex> listed;
  for (const Configuration& one : configurations) {
    if (const auto index = space.index_of(one)) listed.push_back(*index);
  }
  Search search;
  search.title = what;
  search.total = std::to_string(listed.size());
  search.strategy = std::make_unique<ListedOnes>(std::move(listed));
  return run_size(shared, space, device, size, std::move(search));
}

}  // namespace tuner
