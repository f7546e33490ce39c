#pragma once
// One configuration measured by itself; and hardware counters, which are read after everything
// else.

#include <optional>
#include <string>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/bench/settings.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"
#include "tuner/ports/evaluator.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Those that metrics of the study are, and the ones that say what a kernel is bound by.
std::vector<std::string> counters_of(const Study& study);

// Compiles, verifies and times this configuration of the task's space by itself. With `no_counters`
// its counters are read, too, and that is told why there are none. Nothing: it was interrupted.
std::optional<Trial> measure_one(MeasuringDevice& device, SizeTask task,
                                 const Configuration& configuration, const Note& no_counters = {});

struct Counted {
  std::vector<Trial> trials;  // that have counters now
  std::string note;           // what the user should know; may be empty
};
// Reads the counters of trials that took part in the final, or of the best where none was held;
// trials that have them already are left alone.
Counted count_finalists_of(RankedResults& results, SizeEvaluator& evaluator, const Study& study,
                           const SearchSpace& space, double seconds);

}  // namespace tuner
