#pragma once
// Construction of the diagrams of a definition's groups, and reports of what single constraints do
// to it.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/diagram.h"
#include "tuner/space/expand.h"
#include "tuner/space/name_table.h"
#include "tuner/space/search_space.h"

namespace tuner::detail {

struct Construction {
  std::vector<std::vector<std::uint32_t>> groups;  // parameters tied by constraints, ascending
  std::vector<Diagram> diagrams;                   // one for each group; none when empty
  bool empty = false;
};

// Applies the given constraints (numbers in definition.constraints) and no others.
// Throws InputError beyond the memory limit or an hour of work, BuildStopped when cancelled.
Construction construct(const SpaceDefinition& definition, const NameTable& names,
                       const std::vector<std::uint32_t>& constraints, BuildMonitor& monitor);

// ---- what constraints do ------------------------------------------------------------------------

// One report for each constraint, applied alone to the cartesian product. Takes milliseconds.
std::vector<ConstraintReport> report_constraints(const SpaceDefinition& definition,
                                                 const NameTable& names);

// Explains why constraints leave nothing together: a sentence that lists some of which none could
// be left out.
std::string why_empty(const SpaceDefinition& definition, const NameTable& names);

}  // namespace tuner::detail
