#pragma once
// What `tuner check` shows of a study's search space.

#include <string>

#include "tuner/model/problem_size.h"
#include "tuner/space/search_space.h"

namespace tuner {

// How many configurations there are, and what each constraint removes.
std::string space_text(const SearchSpace& space);
// The same for programs; with a hash of all configurations where they can be counted through.
std::string space_json_text(const SearchSpace& space);
// A domain's ranges, and of each kind a few sizes.
std::string domain_text(const SizeDomain& domain);

}  // namespace tuner
