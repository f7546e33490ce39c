#pragma once
// From a definition to the diagrams of its groups.

#include <cstdint>
#include <vector>

#include "tuner/space/diagram.h"
#include "tuner/space/expand.h"
#include "tuner/space/name_table.h"

namespace tuner::detail {

struct Construction {
  std::vector<std::vector<std::uint32_t>> groups;  // parameters tied by constraints, ascending
  std::vector<Diagram> diagrams;                   // one for each group; none when empty
  bool empty = false;
};

// Applies the given constraints (numbers in definition.constraints) and no others.
// Throws InputError when the memory limit is exceeded, BuildStopped when cancelled.
Construction construct(const SpaceDefinition& definition, const NameTable& names,
                       const std::vector<std::uint32_t>& constraints, BuildMonitor& monitor);

}  // namespace tuner::detail
