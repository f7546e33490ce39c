#pragma once
// Results against the configuration that the user has now.

#include <optional>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

std::optional<Configuration> baseline_of(const Study& study);

// How many times as good as `baseline` a trial is, both valid: by the final where both took part in
// it, else by what the search measured.
Speedup speedup_over(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                     double confidence);

// Whether a trial is better than the baseline beyond the interval: only then is it worth a change.
bool is_worth_it(const ObjectiveSpec& objective, const Trial& baseline, const Trial& trial,
                 double confidence);

// What a ranking says of the baseline.
BaselineResult against_baseline(const ObjectiveSpec& objective, const Configuration& baseline,
                                const RankedResults& results, double confidence);

}  // namespace tuner
