// Compares trials with the baseline, like with like.

#include "tuner/search/baseline.h"

#include <algorithm>

#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

bool took_part_together(const Trial& a, const Trial& b) {
  return a.final && b.final && !a.final->samples.empty() &&
         a.final->samples.size() == b.final->samples.size();
}

// Times that are one another's multiple: the ends of a quotient of two intervals.
Speedup by_search(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial) {
  Speedup out;
  out.ratio = cost_of(objective, baseline) / cost_of(objective, trial);
  const Timing& was = baseline.timing;
  const Timing& is = trial.timing;
  const bool known = was.ci_low > 0 && is.ci_low > 0 && was.median > 0 && is.median > 0;
  // Relative to the medians, so that it fits a metric of the time as well.
  out.low = known ? out.ratio * (was.ci_low / was.median) / (is.ci_high / is.median) : out.ratio;
  out.high = known ? out.ratio * (was.ci_high / was.median) / (is.ci_low / is.median) : out.ratio;
  return out;
}

}  // namespace

std::optional<Configuration> baseline_of(const Study& study) {
  return study.baseline ? std::optional(study.baseline->configuration) : std::nullopt;
}

Speedup speedup_over(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                     double confidence) {
  if (baseline.configuration == trial.configuration) {
    return {1, 1, 1, trial.final.has_value()};
  }
  if (!took_part_together(baseline, trial)) return by_search(objective, baseline, trial);
  const Ratio ratio = paired_ratio(baseline.final->samples, trial.final->samples, confidence);
  return {ratio.median, ratio.interval.low, ratio.interval.high, true};
}

bool is_worth_it(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                 double confidence) {
  return speedup_over(objective, baseline, trial, confidence).low > 1;
}

BaselineResult against_baseline(const ObjectiveSpec& objective, const Configuration& baseline,
                                const RankedResults& results, double confidence) {
  BaselineResult out{baseline};
  const auto found = std::ranges::find(results.trials, baseline, &Trial::configuration);
  if (found == results.trials.end()) return out;
  out.at = static_cast<std::size_t>(found - results.trials.begin());
  if (*out.at >= results.ranked) return out;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    out.speedups.push_back(speedup_over(objective, *found, results.trials[i], confidence));
  }
  return out;
}

}  // namespace tuner
