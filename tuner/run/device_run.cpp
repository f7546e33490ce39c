// Tunes one size: search, final, ranking, CSV.

#include "tuner/run/device_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <map>

#include "tuner/base/error.h"
#include "tuner/base/stopwatch.h"
#include "tuner/base/text.h"
#include "tuner/check/geometry_check.h"
#include "tuner/files/ranked_files.h"
#include "tuner/resolve/facts_used.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/final.h"
#include "tuner/run/output_guard.h"
#include "tuner/study/unverified.h"
#include "tuner/trust/counters.h"

namespace tuner {

// How the configurations of a size are chosen.
struct DeviceRun::Search {
  std::unique_ptr<Strategy> strategy;
  std::function<std::unique_ptr<Strategy>()> make_strategy;  // another one that asks the same
  std::vector<ConfigIndex> first{};                          // before the strategy asks
  std::map<ConfigIndex, std::string> advised{};              // of these: who proposed them
  bool compared = false;  // what is stored was compared with the device already
  bool final = true;      // whether one is held at the end, if it is due
  Budget budget;
  RunPart part;
  Stopwatch since;
};

// One size on its way from the search to the ranking.
struct DeviceRun::SizeSearch {
  const SearchSpace& space;
  const ProblemSize& size;
  Search search;
  SizeHistory& history;
  SizeEvaluator& evaluator;
  Usage usage;
  FinalEstimate final;
  bool has_final;  // at its end
  const std::optional<double>& reference_ms;
  std::vector<Trial> trials{};
  SizeOutcome outcome{};
  bool has_held = false;  // a final, in this run

  double end() const { return end_of_final(search.budget.seconds); }
  double reserve() const { return tuner::reserve(search.budget.seconds, final, has_final); }
};

DeviceRun::DeviceRun(const Settings& settings, const MakeStrategy& make_strategy,
                     std::string reference_text, const History& history, MeasuringDevice& device,
                     RunListener listener, std::function<bool()> interrupted, AdviceAsked advice)
    : settings_(settings),
      study_(settings.study),
      make_strategy_(make_strategy),
      reference_text_(std::move(reference_text)),
      history_(history),
      device_(device),
      listener_(std::move(listener)),
      interrupted_(std::move(interrupted)),
      facts_(device.facts()),
      advisers_(study_, std::move(advice)) {}

SearchSpace DeviceRun::build_space(const ProblemSize& size) const {
  require_told_facts(study_, facts_);
  BuildOptions options;
  options.cancelled = interrupted_;
  SearchSpace space = SearchSpace::build(space_definition(study_, size, facts_), options);
  const std::vector<Complaint> complaints = check_geometry(study_, space, size, facts_).complaints;
  if (!complaints.empty()) throw InputError(complaints, study_.text);
  return space;
}

// Collects the earlier results that the strategy receives before it proposes anything.
std::vector<Prior> DeviceRun::warm_start(const ContextKey& key, const SearchSpace& space) const {
  if (!settings_.warm_start) return {};
  EarlierResults earlier =
      earlier_results(history_.store(), key, study_.objective, prior_target(space));
  if (const auto& recording = settings_.warm_recording) {
    earlier.priors.push_back(prior_of(*recording, recording->maximize, prior_target(space), 1));
    earlier.note +=
        fmt::format("{}{} of '{}'", earlier.note.empty() ? "" : ", ",
                    count_text(earlier.priors.back().results.size(), "result"), recording->name);
  }
  if (!earlier.priors.empty()) {
    listener_.note("  the search starts from " + earlier.note + " (--no-warm-start ignores them)");
  }
  return std::move(earlier.priors);
}

SizeTask DeviceRun::task(const SearchSpace& space, const ProblemSize& size,
                         SizeHistory& history) const {
  SizeTask task = planned_task(study_, space, size, facts_, reference_text_);
  task.recall = [&history](const Configuration& one) { return history.recall(one); };
  task.announce = [&history](const Configuration& one) { history.announce(one); };
  task.withdraw = [&history](const Configuration& one) { history.withdraw(one); };
  task.warn = [&listener = listener_, &history](const std::string& text) {
    listener.note("  warning: " + text);
    history.warn(text);
  };
  return task;
}

// Measures the best of what is stored again: is the device as fast as it was? Returns whether this
// changed what is known; the search then begins anew, with what is outdated.
bool DeviceRun::compare_with_stored(SizeSearch& current) {
  current.outcome.compared = true;
  bool is_changed = false;
  const auto replace = [&](std::span<const Trial> changed) {
    current.history.replace(changed);
    is_changed = true;
  };
  Resumption& resumption = current.history.resumption();
  if (const auto moved = resumption.compare(current.evaluator, current.end(), replace)) {
    listener_.note(moved_text(*moved, study_.parameters));
    current.history.outdate_outsiders(*moved);
  }
  Search& search = current.search;
  if (is_changed) search.strategy = search.make_strategy();
  std::vector<ConfigIndex> again = resumption.outdated();
  if (!again.empty()) {
    listener_.note(
        fmt::format("  {} stored results are measured again, the best first", again.size()));
    search.strategy = std::make_unique<GivenFirst>(std::move(again), std::move(search.strategy));
  }
  return is_changed;
}

// Commits a trial before it is reported to anyone.
void DeviceRun::take_trial(SizeSearch& current, Trial trial) {
  const auto advised = current.search.advised.find(trial.index);
  if (advised != current.search.advised.end() && !trial.advised) {
    trial.advised = Advised{advised->second, current.evaluator.now()};
  }
  if (!trial.from_store) {
    trial.reference_ms = current.reference_ms;
    current.history.record(trial);
    ++current.outcome.measured;
    current.outcome.store_gone = !current.history.is_in_place();
    // One that was right comes again where it has turned out to be wrong.
    const auto is_it = [&](const Trial& one) { return one.index == trial.index; };
    if (!is_valid(trial)) std::erase_if(current.trials, is_it);
  }
  ++current.outcome.searched;
  current.trials.push_back(trial);
  current.usage.trial(trial, current.evaluator.now());
  current.final.hear(trial);
  listener_.trial(trial, current.evaluator.now());
}

// Asks the strategy, its suspects last. Those that a budget of evaluations left over are measured
// in addition to it: else they would stay suspects for ever.
LoopResult DeviceRun::ask(SizeSearch& current, const LoopCallbacks& callbacks) {
  const Budget& budget = current.search.budget;
  Postponed strategy(current.history.suspects(), std::move(current.search.strategy));
  LoopResult loop = run_loop(strategy, current.evaluator, study_.objective, budget, callbacks);
  if (loop.end == LoopEnd::kInterrupted) return loop;
  Postponed rest(strategy.held_back(), std::make_unique<ListedOnes>(strategy.held_back()));
  run_loop(rest, current.evaluator, study_.objective, Budget{{}, budget.seconds}, callbacks);
  return loop;
}

// Before anything new is measured, what is stored is compared with the device. Until then nothing
// of it is reported: it may be outdated.
LoopResult DeviceRun::resume(SizeSearch& current, LoopCallbacks callbacks) {
  const Resumption& resumption = current.history.resumption();
  current.outcome.compared = current.search.compared;
  bool is_due = !current.search.compared && resumption.any_valid();
  if (is_due && (resumption.any_outdated() ||
                 !finalists_due(study_, current.size, facts_, resumption.trials()).empty())) {
    is_due = false;
    compare_with_stored(current);
  }
  std::vector<Trial> recalled;
  const auto report = [&] {
    for (Trial& trial : std::exchange(recalled, {})) take_trial(current, std::move(trial));
  };
  callbacks.on_trial = [&](const Trial& trial) {
    recalled.push_back(trial);
    if (!is_due) report();
  };
  callbacks.is_known = [&](ConfigIndex index) { return !is_due || resumption.recall(index); };
  bool begins_anew = false;
  callbacks.before_new = [&] {
    is_due = false;
    begins_anew = compare_with_stored(current);
    if (begins_anew) recalled.clear();
    report();
    return !begins_anew;
  };
  LoopResult loop = ask(current, callbacks);
  if (begins_anew) loop = ask(current, callbacks);
  report();
  return loop;
}

void DeviceRun::search(SizeSearch& current) {
  SizeOutcome& outcome = current.outcome;
  LoopCallbacks callbacks;
  callbacks.stop = [&] { return interrupted_() || outcome.store_gone; };
  callbacks.reserve = [&] { return current.reserve(); };
  LoopResult loop;
  try {
    loop = resume(current, std::move(callbacks));
  } catch (const UnavailableError& error) {
    outcome.lost = loop.reason = error.what();  // what was measured is ranked all the same
  }
  if (outcome.store_gone) loop.reason = "the database of the results is gone";
  listener_.searched(current.evaluator.now());
  note_end(current, loop);
  outcome.interrupted = interrupted_();
  outcome.out_of_time = loop.evaluations == 0 && loop.cancelled > 0;
  for (const Configuration& cut_short : current.evaluator.in_flight()) {
    current.history.withdraw(cut_short);
  }
}

void DeviceRun::note_end(const SizeSearch& current, const LoopResult& loop) {
  const bool all = loop.end == LoopEnd::kExhausted && loop.evaluations >= current.space.size();
  listener_.note("  ended: " + (all ? "all configurations are measured" : loop.reason));
  for (const std::string& text :
       {cancelled_text(loop, current.search.budget.seconds.value_or(0)), stragglers_text(loop),
        drift_text(current.evaluator.drift()),
        duplicates_text(current.evaluator.duplicates(), study_.parameters),
        devices_text(current.evaluator.devices())}) {
    if (!text.empty()) listener_.note(text);
  }
}

// A final that is held now, of as many as there is time for; where that is one at most, why not.
std::optional<FinalRound> DeviceRun::held_final(SizeSearch& current, std::vector<std::size_t> due) {
  const double left = current.end() - current.evaluator.now();
  const std::size_t room = current.final.room(left);
  if (room >= 2 && room < due.size()) {
    const std::size_t most = room - (baseline_of(study_) ? 1 : 0);
    due = finalists_due(study_, current.size, facts_, current.trials, most);
  }
  if (room < 2 || due.empty()) {
    listener_.note(
        fmt::format("  no final: it would take {:.1f} s, and {:.1f} s of the budget are left; "
                    "ranked by the search",
                    current.final.fewest_seconds(), std::max(0.0, left)));
    return std::nullopt;
  }
  listener_.note(fmt::format("  final: the best {} are measured again, alternately", due.size()));
  HeldFinal held = hold_final(current.evaluator, settings_.seed, left, due, current.trials);
  for (const Trial& failed : held.failed) current.history.record(failed);
  if (!held.round.finalists.empty()) return std::move(held.round);
  if (current.evaluator.now() >= current.end()) {
    listener_.note("  no final: it was not done when the time was up; ranked by the search");
  } else if (due.size() > held.failed.size() + 1 && !interrupted_()) {
    listener_.note(
        "  no final: the best cannot be measured beside each other; ranked by the search");
  }
  return std::nullopt;
}

// The final by which the size is ranked: one that is held now, or an earlier one that stands.
std::optional<FinalRound> DeviceRun::final_of(SizeSearch& current) {
  std::vector<Trial>& trials = current.trials;
  const auto earlier = [&] {
    auto round = standing_final(study_.objective, trials, baseline_of(study_));
    if (round) take_over(*round, study_, current.space, facts_.ceilings, trials);
    return round;
  };
  if (current.space.size() == 0) return earlier();  // nothing to measure, but some may be known
  const bool possible = current.outcome.lost.empty() && !current.outcome.store_gone;
  if (!possible || !finals_make_sense(study_, current.size, facts_)) return std::nullopt;
  auto due = finalists_due(study_, current.size, facts_, trials);
  if (interrupted_() || due.empty() || !current.search.final) return earlier();
  auto round = held_final(current, std::move(due));
  if (!round) return std::nullopt;
  current.has_held = true;
  current.history.record_final(take_over(*round, study_, current.space, facts_.ceilings, trials));
  return round;
}

// After everything that is timed at this size: the device's profiler slows down what it looks at.
void DeviceRun::count_finalists(SizeSearch& current) {
  const bool wanted = settings_.counters || !study_.counters.empty();
  if (!wanted || interrupted_() || !current.outcome.lost.empty()) return;
  const double left = current.end() - current.evaluator.now();
  const Counted read =
      count_finalists_of(current.outcome.results, current.evaluator, study_, current.space, left);
  if (!read.trials.empty()) current.history.replace(read.trials);
  if (!read.note.empty()) listener_.note("  " + read.note);
}

void DeviceRun::rank_all(SizeSearch& current, const std::optional<FinalRound>& round) {
  SizeOutcome& outcome = current.outcome;
  outcome.results =
      rank(study_.objective, std::move(current.trials), round, study_.measure, baseline_of(study_));
  RankedResults& results = outcome.results;
  outcome.any_valid = std::ranges::any_of(results.trials, [&](const Trial& trial) {
    return trial.index < current.space.size() && is_valid(trial);
  });
  results.outside = current.history.outside_of_study();
  results.warnings = current.history.warnings();
  results.device = facts_;
  results.size = current.size;
  results.unverified = unverified_text(study_);
  results.same_inputs = same_inputs_text(study_);
  if (study_.kernel.runs_on_host()) results.form = name_of(study_.kernel.subject);
  if (!study_.measure.by_variant) {
    results.timed = TimedHow{study_.measure.mode, study_.measure.cache, study_.measure.inputs};
  }
  results.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  results.compiler = device_.compiler();
}

// The best as one more device finds it, where there is one and the final was held now.
void DeviceRun::check_elsewhere(SizeSearch& current) {
  const double left = current.end() - current.evaluator.now();
  if (!current.has_held || interrupted_() || left < current.final.fewest_seconds()) return;
  const auto check = check_final(current.evaluator, settings_.seed, left, current.outcome.results);
  if (check) listener_.note(text_of(*check));
}

SizeOutcome DeviceRun::write(SizeSearch& current) {
  SizeOutcome& outcome = current.outcome;
  const RankedResults& results = outcome.results;
  outcome.store_gone = !current.history.is_in_place();
  if (results.trials.empty()) return std::move(outcome);
  const std::string& kernel = study_.kernel.name;
  try {
    OutputGuard(false).check(
        ranked_csv_path(settings_.results, kernel, results.device, results.size));
    outcome.csv_path =
        write_ranked_csv(settings_.results, kernel, results, parameter_names(study_.parameters));
    write_device_file(std::filesystem::path(outcome.csv_path).parent_path(), facts_);
  } catch (const InputError& error) {
    listener_.note("the ranking is not written: " + std::string(error.what()));
  }
  return std::move(outcome);
}

SizeOutcome DeviceRun::run(const SearchSpace& space, const ProblemSize& size, Search search) {
  SizeHistory history(history_, study_, space, facts_, size);
  for (const Trial& blamed : history.blamed()) {
    listener_.note("  " + configuration_text(study_.parameters, blamed.configuration) + ": " +
                   blamed.message);
  }
  SizeTask work = task(space, size, history);
  work.spent = search.since.seconds();
  std::optional<double> reference_ms;
  work.reference_timed = [&reference_ms](double ms) { reference_ms = ms; };
  work.reached = [this](std::string_view step) { listener_.reached(step); };
  work.round = [this](int done, int rounds) { listener_.round(done, rounds); };
  const auto evaluator = device_.evaluator(std::move(work));
  search.part.title = fmt::format("{} on {}, {}: {}", study_.kernel.name, facts_.name, size.label(),
                                  search.part.title);
  listener_.begin(search.part);
  const bool has_final = search.final && finals_make_sense(study_, size, facts_);
  SizeSearch current{space,
                     size,
                     std::move(search),
                     history,
                     *evaluator,
                     Usage(device_, steady_seconds() - evaluator->now()),
                     FinalEstimate(study_.measure),
                     has_final,
                     reference_ms};
  this->search(current);
  history.add_others(current.trials);
  std::optional<FinalRound> round;
  try {
    round = final_of(current);
  } catch (const UnavailableError& error) {
    current.outcome.lost = error.what();
  }
  rank_all(current, round);
  check_elsewhere(current);
  count_finalists(current);
  current.outcome.devices = evaluator->devices();
  const double seconds = evaluator->now();
  current.outcome.seconds = seconds;
  current.outcome.utilization = current.usage.utilization(seconds);
  if (current.outcome.utilization) listener_.note(current.usage.text(*current.outcome.utilization));
  return write(current);
}

// Measured before the search asks; empty where there is none at this size.
std::vector<ConfigIndex> DeviceRun::baseline_in(const SearchSpace& space) const {
  if (!study_.baseline) return {};
  if (const auto index = space.index_of(study_.baseline->configuration)) return {*index};
  listener_.note("  the baseline is not measured: it is not a valid configuration here");
  return {};
}

// Asks the study's sources; what they propose comes behind what is measured first anyway.
void DeviceRun::take_advice(const SearchSpace& space, const ProblemSize& size, Search& search) {
  // A source must not use up what the search needs.
  constexpr double kShare = 0.5;
  const Budget& budget = search.budget;
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (budget.evaluations) most = static_cast<std::size_t>(*budget.evaluations / 2);
  const double seconds = budget.seconds ? kShare * (*budget.seconds - search.since.seconds())
                                        : std::numeric_limits<double>::infinity();
  const auto note = [this](const std::string& text) { listener_.note("  " + text); };
  for (Advice& one : advisers_.ask(space, size, facts_, most, seconds, note)) {
    if (std::ranges::find(search.first, one.index) == search.first.end()) {
      search.first.push_back(one.index);
    }
    search.advised.emplace(one.index, std::move(one.by));
  }
}

SizeOutcome DeviceRun::tune(const ProblemSize& size, const SizeOptions& options) {
  const Stopwatch since(options.spent);
  listener_.turn_to(facts_.name, size);
  const SearchSpace space = build_space(size);
  for (const Complaint& complaint : check_not_empty(study_, space)) {
    listener_.note("  no configuration of " + size.label() + " is valid: " +
                   render(complaint, study_.text) + "\n  ('tuner check' says more)");
  }
  Search search;
  search.first = baseline_in(space);
  for (const ConfigIndex index : indices_of(space, options.first)) {
    if (std::ranges::find(search.first, index) == search.first.end()) search.first.push_back(index);
  }
  search.since = since;
  search.final = options.final;
  search.budget = options.budget.value_or(study_.search.budget);
  take_advice(space, size, search);
  search.part.seconds = search.budget.seconds;
  search.part.title =
      fmt::format("{} valid configurations of {}", space.report().valid, space.report().cartesian);
  search.part.total = space.report().valid;
  if (search.budget.evaluations && *search.budget.evaluations < space.size()) {
    search.part.total = std::to_string(*search.budget.evaluations);
  }
  const ContextKey key = history_.key(facts_, size);
  const std::vector<Prior> priors = warm_start(key, space);
  search.make_strategy = [&, first = search.first] {
    std::unique_ptr<Strategy> strategy = make_strategy_(space);
    for (const Prior& prior : priors) strategy->learn(prior);
    return std::unique_ptr<Strategy>(new GivenFirst(first, std::move(strategy)));
  };
  search.strategy = search.make_strategy();
  Store& store = history_.store();
  if (settings_.fresh) store.start_afresh(store.context(key));
  return run(space, size, std::move(search));
}

SizeOutcome DeviceRun::measure(const ProblemSize& size,
                               const std::vector<Configuration>& configurations,
                               const std::string& what, bool compared,
                               std::optional<double> seconds) {
  const Stopwatch since;
  listener_.turn_to(facts_.name, size);
  const SearchSpace space = build_space(size);
  const std::vector<ConfigIndex> listed = indices_of(space, configurations);
  Search search;
  search.since = since;
  search.budget.seconds = seconds;
  search.part = {what, std::to_string(listed.size()), false};
  search.compared = compared;
  search.make_strategy = [listed] { return std::make_unique<ListedOnes>(listed); };
  search.strategy = search.make_strategy();
  return run(space, size, std::move(search));
}

}  // namespace tuner
