#pragma once
// Everything that was measured, as one JSON document (docs/exchange.md). It is an export
// format, and what exporters of plugins read.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// By their names.
nlohmann::ordered_json json_of(const ProblemSize& size);
nlohmann::ordered_json json_of(const std::vector<Parameter>& parameters,
                               const Configuration& configuration);

// Lists what each source was worth (docs/contract.md#how-soon-one-was-how-good).
nlohmann::ordered_json json_of(const std::vector<AdviceWorth>& advice);

std::string results_json(const Study& study, const std::vector<RankedResults>& results);

}  // namespace tuner
