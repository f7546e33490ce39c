#include "tuner/app/size_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <unordered_map>

#include "tuner/app/identity.h"
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

// The reference kernel's artifact, compiled like any variant.
Artifact compile_reference(const RunShared& shared, const SearchSpace& space,
                           const DeviceFacts& device) {
  const ReferenceSpec& reference = *shared.study->reference;
  auto fail = [&](const std::string& reason) {
    return InputError({Complaint{reference.where, "the reference kernel: " + reason, ""}},
                      shared.study->text);
  };
  auto request = reference_request(*shared.study, space, device, shared.reference_text);
  if (!request) throw fail(request.error());
  const std::string key = shared.library.key(*request);
  if (auto cached = shared.library.find(key)) return *cached;
  shared.compilers->submit(0, key, std::move(*request));
  for (;;) {
    for (CompileResult& result : shared.compilers->handle()) {
      if (result.id != 0) continue;
      if (!result.outcome) throw fail("it does not compile:\n" + result.outcome.error().log);
      return std::move(*result.outcome);
    }
    std::vector<pollfd> fds;
    shared.compilers->watch(fds);
    ::poll(fds.data(), fds.size(), 100);
    if (shared.interrupt->count() > 1) throw FatalError("interrupted");
  }
}

SearchSpace build_space(const RunShared& shared, const DeviceFacts& device,
                        const ProblemSize& size) {
  BuildOptions options;
  options.cancelled = [&] { return shared.interrupt->count() > 0; };
  SearchSpace space = SearchSpace::build(space_definition(*shared.study, size, device), options);
  const std::vector<Complaint> complaints = check_geometry(*shared.study, space, size, device);
  if (!complaints.empty()) throw InputError(complaints, shared.study->text);
  return space;
}

void prepare_runner(const RunShared& shared, const SearchSpace& space, const DeviceFacts& device,
                    const ProblemSize& size) {
  auto plan = size_plan(*shared.study, size, device);
  if (!plan) {
    throw InputError({Complaint{shared.study->kernel.where, plan.error(), ""}}, shared.study->text);
  }
  if (plan->reference) plan->reference->artifact = compile_reference(shared, space, device);
  const auto prepared = shared.runner->prepare(std::move(*plan));
  if (!prepared) {
    throw FatalError("problem size " + size.label() + " cannot be prepared: " + prepared.error());
  }
}

// Earlier trials by configuration, so that a resumed run asks the database once.
class Memory {
 public:
  explicit Memory(const std::vector<Trial>& trials) {
    for (const Trial& trial : trials) known_.emplace(text_of(trial.configuration), trial);
  }
  std::optional<Trial> find(const Configuration& configuration) const {
    const auto found = known_.find(text_of(configuration));
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }
  // Those whose samples come from an earlier final: they cannot be paired with the new ones.
  std::vector<Trial> earlier_finalists(const std::vector<Trial>& now) const {
    std::vector<Trial> earlier;
    std::set<std::string> again_there;
    for (const Trial& finalist : now) again_there.insert(text_of(finalist.configuration));
    for (const auto& [text, trial] : known_) {
      if (trial.final_samples.empty()) continue;
      const bool again = again_there.count(text) > 0;
      if (again) continue;
      earlier.push_back(trial);
      earlier.back().final_samples.clear();
    }
    return earlier;
  }
  // What this run did not come by, as far as it belongs to the space: it competes all the same.
  void add_others(const SearchSpace& space, std::vector<Trial>& trials) const {
    std::set<ConfigIndex> seen;
    for (const Trial& trial : trials) seen.insert(trial.index);
    for (const auto& [text, trial] : known_) {
      const auto index = space.index_of(trial.configuration);
      if (!index || !seen.insert(*index).second) continue;
      trials.push_back(trial);
      trials.back().index = *index;
    }
  }

 private:
  static std::string text_of(const Configuration& configuration) {
    std::string text;
    for (const Value& value : configuration) text += to_text(value) + '\n';
    return text;
  }
  std::unordered_map<std::string, Trial> known_;
};

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Where the time went, for the user: what would more cores, or a better strategy, bring?
class Usage {
 public:
  explicit Usage(const RunShared& shared)
      : shared_(shared),
        compile_before_(shared.compilers->busy_seconds()),
        device_before_(shared.runner->busy_seconds()) {}

  void trial(const Trial& trial, double now) {
    if (trial.from_store) return;
    if (first_ < 0) first_ = now;
    if (trial.state == TrialState::kDropped)
      dropped_ += trial.cost_seconds - trial.compile_ms / 1000;
  }

  std::string text(double seconds) const {
    if (first_ < 0 || seconds <= 0) return {};
    const double device = shared_.runner->busy_seconds() - device_before_;
    const double compile = shared_.compilers->busy_seconds() - compile_before_;
    return fmt::format(
        "  first result after {:.2f} s; busy: {} compile workers {:.0f} %, device {:.0f} % "
        "(of that {:.0f} % for variants that were dropped)",
        first_, shared_.compilers->jobs(), 100 * compile / (seconds * shared_.compilers->jobs()),
        100 * device / seconds, device > 0 ? 100 * dropped_ / device : 0.0);
  }

 private:
  const RunShared& shared_;
  double compile_before_;
  double device_before_;
  double first_ = -1;
  double dropped_ = 0;
};

// The final of an earlier run, if it was between the same configurations.
std::optional<FinalRound> stored_final(const std::vector<Trial>& trials,
                                       const std::vector<std::size_t>& chosen) {
  FinalRound round;
  for (const std::size_t at : chosen) {
    const Trial& trial = trials[at];
    if (!trial.from_store || trial.final_samples.empty() ||
        trial.final_samples.size() != trials[chosen.front()].final_samples.size()) {
      return std::nullopt;
    }
    round.finalists.push_back(trial.index);
    round.milliseconds.push_back(trial.final_samples);
  }
  return round;
}

// The best few measured again, interleaved; their place in the ranking follows from that.
std::optional<FinalRound> final_round(const RunShared& shared, const ProblemSize& size,
                                      const DeviceFacts& device, PoolEvaluator& evaluator,
                                      const std::vector<Trial>& trials) {
  const int finalists = shared.study->measure.finalists;
  if (finalists < 2 || shared.interrupt->count() > 0) return std::nullopt;
  if (!faster_is_better(*shared.study, size, device)) return std::nullopt;
  const auto chosen =
      choose_finalists(shared.study->objective, trials, static_cast<std::size_t>(finalists));
  if (chosen.empty()) return std::nullopt;
  if (auto earlier = stored_final(trials, chosen)) return earlier;
  shared.progress->note(fmt::format("  final: the best {} again, interleaved", chosen.size()));
  std::vector<Trial> best;
  FinalRound round;
  for (const std::size_t at : chosen) {
    best.push_back(trials[at]);
    round.finalists.push_back(trials[at].index);
  }
  double once = 0;
  for (const Trial& trial : best) once += trial.timing.median;
  const int rounds =
      static_cast<int>(std::clamp<double>(kFinalMilliseconds / once, kFewestRounds, kMostRounds));
  round.milliseconds = evaluator.duel(best, rounds, shared.options->seed);
  if (round.milliseconds.empty()) return std::nullopt;
  return round;
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
    trial.timing = summarise(trial.final_samples, confidence);
    evaluator.score(trial);
    finalists.push_back(trial);
  }
  return finalists;
}

}  // namespace

SizeOutcome tune_size(const RunShared& shared, const DeviceFacts& device, const ProblemSize& size) {
  const Study& study = *shared.study;
  const SearchSpace space = build_space(shared, device, size);
  prepare_runner(shared, space, device, size);
  auto strategy =
      shared.catalogue->make_strategy(shared.strategy, space_table(space), shared.options->seed,
                                      shared.budget, shared.strategy_options);

  const Context context =
      shared.store->context(context_key(study, device, size, shared.source_digest,
                                        shared.compilers->identity(), shared.backend_options));
  if (shared.options->fresh) shared.store->start_afresh(context);
  for (const Trial& blamed : shared.store->settle_in_flight(context)) {
    shared.progress->note("  " + configuration_text(study.parameters, blamed.configuration) + ": " +
                          blamed.message);
  }
  const Memory memory(shared.store->trials(context));

  EvaluatorSetup setup;
  setup.study = &study;
  setup.space = &space;
  setup.size = size;
  setup.facts = device;
  setup.source_text = shared.source_text;
  setup.library = shared.library;
  setup.recall = [&](const Configuration& c) { return memory.find(c); };
  setup.announce = [&](const Configuration& c) { shared.store->mark_in_flight(context, c); };
  setup.withdraw = [&](const Configuration& c) { shared.store->clear_in_flight(context, c); };
  PoolEvaluator evaluator(std::move(setup), *shared.compilers, *shared.runner, *shared.interrupt);

  std::string total = space.report().valid;
  if (shared.budget.evaluations && *shared.budget.evaluations < space.size()) {
    total = std::to_string(*shared.budget.evaluations);
  }
  shared.progress->begin(
      fmt::format("{} on {}, {}: {} valid configurations of {}", study.kernel.name, device.name,
                  size.label(), space.report().valid, space.report().cartesian),
      total, study);
  std::vector<Trial> trials;
  Usage usage(shared);
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    if (!trial.from_store) shared.store->record(context, trial);
    trials.push_back(trial);
    usage.trial(trial, evaluator.now());
    shared.progress->trial(trial, evaluator.now());
    if (shared.on_trial) shared.on_trial(trial, evaluator.now());
  };
  callbacks.stop = [&] { return shared.interrupt->count() > 0; };
  SizeOutcome outcome;
  std::string reason;
  try {
    reason = run_loop(*strategy, evaluator, study.objective, shared.budget, callbacks).reason;
  } catch (const UnavailableError& error) {
    outcome.lost = reason = error.what();  // what was measured until now is ranked all the same
  }
  shared.progress->end(evaluator.now());
  shared.progress->note("  ended: " + reason);
  if (const auto text = usage.text(evaluator.now()); !text.empty()) shared.progress->note(text);

  outcome.interrupted = shared.interrupt->count() > 0;
  if (outcome.interrupted && evaluator.in_flight()) {
    shared.store->clear_in_flight(context, *evaluator.in_flight());
  }
  memory.add_others(space, trials);
  std::optional<FinalRound> round;
  try {
    if (outcome.lost.empty()) round = final_round(shared, size, device, evaluator, trials);
  } catch (const UnavailableError& error) {
    outcome.lost = error.what();
  }
  if (round) {
    const auto finalists = take_over(*round, evaluator, study.measure.confidence, trials);
    shared.store->record(context, memory.earlier_finalists(finalists));
    shared.store->record(context, finalists);
  }
  outcome.results = rank(study.objective, std::move(trials), round, study.measure.confidence);
  outcome.results.device = device;
  outcome.results.size = size;
  outcome.results.date = now_text();
  outcome.results.compiler = shared.compilers->identity();
  outcome.csv_path = write_ranked_csv(shared.options->results, study.kernel.name, outcome.results,
                                      names_of(study.parameters))
                         .string();
  return outcome;
}

}  // namespace tuner
