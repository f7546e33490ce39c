#pragma once
// What single constraints do to a space, and which of them contradict each other.

#include <string>
#include <vector>

#include "tuner/space/name_table.h"
#include "tuner/space/search_space.h"

namespace tuner::detail {

// One report for each constraint, applied alone to the cartesian product. Takes milliseconds.
std::vector<ConstraintReport> report_constraints(const SpaceDefinition& definition,
                                                 const NameTable& names);

// Of constraints that leave nothing together: a sentence that lists some of which none could be
// left out.
std::string why_empty(const SpaceDefinition& definition, const NameTable& names);

}  // namespace tuner::detail
