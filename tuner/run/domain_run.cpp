// Lets sizes of a domain be tuned until the budget is spent or little is expected to be lost.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/choice/domain_plan.h"
#include "tuner/resolve/objective.h"
#include "tuner/run/device_run.h"
#include "tuner/run/final.h"

namespace tuner {
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

// Of the budget, for what serves the domain at the sizes that were tuned before it was found. Time
// is for all finals, too, which are held only then: what is learned of sizes comes from searches.
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
    run_.listener().note(fmt::format("domain: {} size{}, {} evaluations, {}; ended: {}",
                                     outcomes_.size(), outcomes_.size() == 1 ? "" : "s", spent_,
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
    // The size's own winner is answered by the store, and says what is too slow.
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
