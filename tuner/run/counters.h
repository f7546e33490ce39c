#pragma once
// The pass after a final in which hardware counters of the finalists are read.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Those that metrics of the study are, and the ones that say what a kernel is bound by.
std::vector<std::string> counters_of(const Study& study);

// Reads them of a trial that is valid. Why there are none; empty: it has them.
std::string count(SizeEvaluator& evaluator, const Study& study, const Bindings& names,
                  const Ceilings& ceilings, Trial& trial);

struct Counted {
  std::vector<Trial> trials;  // that have counters now
  std::string note;           // what the user should know; may be empty
};
// Of those that took part in the final, or of the best where none was held; what has them already
// is left alone.
Counted count_finalists_of(RankedResults& results, SizeEvaluator& evaluator, const Study& study,
                           const SearchSpace& space, double seconds);

}  // namespace tuner
