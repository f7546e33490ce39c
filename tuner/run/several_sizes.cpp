// Goes through the sizes of one device: has winners tried at the other sizes, and sizes of a domain
// tuned until the budget is spent or little is expected to be lost.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/deploy/domain_plan.h"
#include "tuner/history/stored_results.h"
#include "tuner/resolve/membership.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/device_run.h"
#include "tuner/run/final.h"

namespace tuner {

namespace {

// Finals that take turns in naming one of several equals must not keep a run going for ever.
constexpr int kMostCrossings = 5;

const Trial* winner_of(const RankedResults& results) {
  const bool any = results.ranked > 0 && results.trials.front().state == TrialState::kOk;
  return any ? &results.trials.front() : nullptr;
}

void add_winner(const RankedResults& results, std::vector<Configuration>& winners) {
  const Trial* winner = winner_of(results);
  if (winner == nullptr || std::ranges::count(winners, winner->configuration) > 0) return;
  winners.push_back(winner->configuration);
}

// Collects the stored winners of sizes that this run did not tune, if their results are up to date.
std::vector<Configuration> winners_elsewhere(const DeviceRun& run,
                                             const std::vector<SizeOutcome>& outcomes) {
  const Study& study = run.study();
  const History& history = run.history();
  std::vector<Configuration> winners;
  for (const StoredContext& context : history.store().contexts(study.kernel.name)) {
    const bool tuned_here = std::ranges::any_of(outcomes, [&](const SizeOutcome& outcome) {
      return outcome.results.size == context.key.size;
    });
    if (tuned_here || context.trials == 0) continue;
    const ContextKey now = history.key(run.facts(), context.key.size);
    if (!differences(context.key, now).empty()) continue;
    auto trials =
        trials_for(history.store(), context.context, study, run.facts(), context.key.size);
    add_winner(ranked_trials(ranked_by(study), context.context.parameters, std::move(trials)),
               winners);
  }
  return winners;
}

// Whether it is of the size's space, without building that: it may have been stored before a list
// of values became shorter.
bool belongs(const Study& study, const Configuration& configuration, const DeviceFacts& device,
             const ProblemSize& size) {
  const Bindings names = bindings_of(study, configuration, device, size);
  return Membership(study).has(configuration, names) && constraints_hold(study, names);
}

// Those that could be measured at this size and were not.
std::vector<Configuration> untried(const Study& study, const DeviceFacts& device,
                                   const RankedResults& results,
                                   const std::vector<Configuration>& winners) {
  std::vector<Configuration> out;
  for (const Configuration& winner : winners) {
    const bool tried = std::ranges::any_of(
        results.trials, [&](const Trial& trial) { return trial.configuration == winner; });
    if (!tried && belongs(study, winner, device, results.size)) out.push_back(winner);
  }
  return out;
}

SizeOutcome measured_at(DeviceRun& run, const SizeOutcome& outcome,
                        std::vector<Configuration> others) {
  const std::string what = count_text(others.size(), "winner") + " of other sizes";
  // The size's own winner comes first: it is answered by the store, and shows what is too slow.
  if (const Trial* own = winner_of(outcome.results)) {
    others.insert(others.begin(), own->configuration);
  }
  return run.measure(outcome.results.size, others, what, outcome.compared || outcome.measured > 0);
}

}  // namespace

std::vector<std::size_t> cross_sizes(DeviceRun& run, std::vector<SizeOutcome>& outcomes) {
  const std::vector<Configuration> elsewhere = winners_elsewhere(run, outcomes);
  std::set<std::size_t> replaced;
  std::size_t trials = 0;
  const auto round = [&] {  // whether there was anything to do
    std::vector<Configuration> winners = elsewhere;
    for (const SizeOutcome& outcome : outcomes) add_winner(outcome.results, winners);
    bool any = false;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const auto others = untried(run.study(), run.facts(), outcomes[i].results, winners);
      if (others.empty()) continue;
      if (run.is_interrupted()) return false;
      if (replaced.empty()) {
        run.listener().note("cross sizes: winners are tried at the other sizes, beyond the budget");
      }
      outcomes[i] = measured_at(run, outcomes[i], others);
      trials += outcomes[i].measured;
      replaced.insert(i);
      any = any || outcomes[i].measured > 0;
      if (!outcomes[i].lost.empty()) return false;
    }
    return any;
  };
  int rounds = 0;
  while (rounds < kMostCrossings && round()) ++rounds;
  if (trials > 0) {
    run.listener().note(fmt::format(
        "cross sizes: {} at {}, beyond the budget{}", count_text(trials, "trial"),
        count_text(replaced.size(), "size"),
        rounds == kMostCrossings ? "; winners still change, the same command goes on" : ""));
  } else if (!run.is_interrupted()) {
    run.listener().note("cross sizes: every winner was tried already wherever it is valid");
  }
  return {replaced.begin(), replaced.end()};
}

namespace {

SizeMeasured measured(const Study& study, const SizeOutcome& outcome) {
  SizeMeasured out{outcome.results.size, {}, outcome.searched};
  for (const Trial& trial : outcome.results.trials) {
    if (!is_valid(trial) || trial.outdated) continue;
    const double cost = cost_of(study.objective, trial).value();
    if (std::isfinite(cost) && cost > 0) out.costs.emplace_back(trial.configuration, cost);
  }
  return out;
}

std::string loss_text(double expected) {
  return std::isfinite(expected) ? fmt::format("expected loss {:.1f} %", 100 * expected)
                                 : "nothing is known of the loss yet";
}

// Shares of the budget for measuring the configurations that serve the domain, at sizes that were
// tuned before these were found. The time is for all finals, too, which are held only then: sizes
// are learned from searches.
constexpr double kEvaluationsForCrossing = 0.15;
constexpr double kSecondsForCrossing = 0.35;
constexpr int kCrossings = 4;  // at most: what fails is not measured by another one

std::uint64_t for_search(const Budget& budget) {
  if (!budget.evaluations) return 0;
  const auto all = static_cast<double>(*budget.evaluations);
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(all * (1 - kEvaluationsForCrossing)));
}

class DomainRun {
 public:
  DomainRun(DeviceRun& run, std::uint64_t seed, double begin, const std::function<double()>& now,
            const std::function<void(const SizeOutcome&)>& conclude)
      : run_(run),
        budget_(run.study().search.budget),
        now_(now),
        conclude_(conclude),
        begin_(begin),
        plan_(run.study(), run.facts(), for_search(budget_), seed) {}

  std::vector<SizeOutcome> tune() {
    std::string reason = search(1 - kSecondsForCrossing);
    cross();
    if (budget_.evaluations && evaluations_left() > 0 && plan_.is_spent()) {
      plan_.allow(evaluations_left());
      reason = search(1 - kSecondsForCrossing);
      cross();
    }
    run_.listener().note(fmt::format("domain: {}, {} evaluations, {}; ended: {}",
                                     count_text(outcomes_.size(), "size"), spent_,
                                     loss_text(plan_.expected_loss()), reason));
    return std::move(outcomes_);
  }

 private:
  double seconds_left(double share = 1) const {
    return budget_.seconds ? share * *budget_.seconds - (now_() - begin_) : 1;
  }
  std::uint64_t evaluations_left() const {
    if (!budget_.evaluations) return std::numeric_limits<std::uint64_t>::max();
    return *budget_.evaluations - std::min(*budget_.evaluations, spent_);
  }

  // Size after size, within this share of the time. Returns why it ended.
  std::string search(double share) {
    while (!run_.is_interrupted()) {
      if (seconds_left(share) <= 0) return fmt::format("{:g} s", *budget_.seconds);
      const auto step = plan_.next();
      if (!step) return plan_.reason();
      tune_size(*step, share);
    }
    return "interrupted";
  }

  // Keeps the outcome; returns what the size had before.
  std::uint64_t keep(SizeOutcome outcome) {
    const auto known = std::ranges::find(outcomes_, outcome.results.size,
                                         [](const auto& one) { return one.results.size; });
    std::uint64_t before = 0;
    if (known == outcomes_.end()) {
      outcomes_.push_back(std::move(outcome));
    } else {
      before = known->searched;
      *known = std::move(outcome);
    }
    return before;
  }

  void tune_size(const DomainStep& step, double share) {
    run_.listener().note(fmt::format("domain: size {}, {}: {}", plan_.tuned() + 1,
                                     step.size.label(), loss_text(plan_.expected_loss())));
    SizeOptions options{step.first, budget_};
    options.final = false;
    options.budget->evaluations = step.evaluations;
    if (budget_.seconds) options.budget->seconds = seconds_left(share);
    SizeOutcome outcome;
    try {
      outcome = run_.tune(step.size, options);
    } catch (const InputError& error) {
      if (outcomes_.empty()) throw;
      run_.listener().note(fmt::format("  passed over: {}", error.what()));
      plan_.tell({step.size, {}, 1});
      return;
    }
    plan_.tell(measured(run_.study(), outcome));
    spent_ += outcome.searched;
    outcome.only_begun = !outcome.any_valid && seconds_left(share) <= 0;
    if (outcome.only_begun) {
      run_.listener().note("  only begun: the time was up before this size had a right variant");
    }
    spent_ -= std::min(spent_, keep(outcome));
    conclude_(outcome);
  }

  // Measures what serves the domain wherever it was not measured, since it may have been found
  // later, and holds the finals. What serves the domain may then be something else: once more.
  void cross() {
    for (int pass = 0; pass < kCrossings && cross_once(); ++pass) continue;
  }

  // False when nothing is missing, or nothing more may be measured.
  bool cross_once() {
    const auto crossings = plan_.crossings();
    for (SizeOutcome& one : outcomes_) {
      if (run_.is_interrupted() || seconds_left() <= 0 || !one.lost.empty()) return false;
      std::vector<Configuration> others;
      const auto at = std::ranges::find(crossings, one.results.size,
                                        [](const auto& crossing) { return crossing.first; });
      if (at != crossings.end()) others = at->second;
      if (others.size() > evaluations_left()) others.resize(evaluations_left());
      cross(one, std::move(others));
    }
    return !crossings.empty() && evaluations_left() > 0;
  }

  void cross(SizeOutcome& one, std::vector<Configuration> others) {
    const ProblemSize size = one.results.size;
    const std::vector<Trial>& known = one.results.trials;
    if (known.empty()) return;
    if (others.empty() && finalists_due(run_.study(), size, run_.facts(), known).empty()) return;
    const std::string what =
        others.empty() ? "the final" : fmt::format("{} of other sizes", others.size());
    // The size's own winner is answered by the store, and shows what is too slow.
    others.insert(others.begin(), known.front().configuration);
    SizeOutcome outcome = run_.measure(
        size, others, what, true, budget_.seconds ? std::optional(seconds_left()) : std::nullopt);
    spent_ += outcome.measured;
    plan_.tell(measured(run_.study(), outcome));
    outcome.searched = one.searched;
    outcome.any_valid = outcome.any_valid || one.any_valid;  // the time may have been up at once
    outcome.only_begun = one.only_begun && !outcome.any_valid;
    conclude_(one = std::move(outcome));
  }

  DeviceRun& run_;
  Budget budget_;
  const std::function<double()>& now_;
  const std::function<void(const SizeOutcome&)>& conclude_;
  double begin_;
  DomainPlan plan_;
  std::vector<SizeOutcome> outcomes_;
  std::uint64_t spent_ = 0;
};

}  // namespace

std::vector<SizeOutcome> tune_domain(DeviceRun& run, std::uint64_t seed, double begin,
                                     const std::function<double()>& now,
                                     const std::function<void(const SizeOutcome&)>& conclude) {
  return DomainRun(run, seed, begin, now, conclude).tune();
}

}  // namespace tuner
