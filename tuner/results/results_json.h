#pragma once
// Everything that was measured, as one JSON document (docs/results-json.md). It is an export
// format, and what exporters of plugins read.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

std::string results_json(const Study& study, const std::vector<RankedResults>& results);

}  // namespace tuner
