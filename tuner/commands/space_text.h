#pragma once
// The search space of a study as `tuner check` shows it.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tuner/model/problem_size.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Writes how many configurations there are, and how many each constraint removes.
std::string space_text(const SearchSpace& space);
// Writes the search space as JSON; with a hash of all configurations where they can be counted
// through.
nlohmann::json space_json(const SearchSpace& space);
// A domain's ranges, and of each kind a few sizes.
std::string domain_text(const SizeDomain& domain);

}  // namespace tuner
