#pragma once
// How one group of parameters is expanded: an order, and for each parameter a compiled step.
//
// After a step, the parameters chosen so far matter only through the values of the "key" terms: the
// largest known terms of conditions that are not decided yet. Prefixes with equal keys are one
// state.

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/domains.h"
#include "tuner/space/lane_program.h"
#include "tuner/space/terms.h"

namespace tuner::detail {

struct LevelPlan {
  struct Input {
    bool from_key = false;  // else from a column
    std::uint32_t place = 0;
  };
  std::uint32_t parameter = 0;
  std::vector<std::uint32_t> positions;      // of the parameter's remaining values
  std::vector<std::vector<double>> columns;  // terms of this parameter alone, for each value
  std::vector<Input> inputs;                 // of the program
  LaneProgram program;                       // drops lanes; outputs are the next key
  std::size_t key_width = 0;                 // of the states before this step
  std::size_t next_width = 0;
};

struct GroupPlan {
  std::vector<LevelPlan> levels;
};

// `conditions` are terms of `graph` over the parameters in `order` (levels by parameter number).
GroupPlan plan_group(const TermGraph& graph, std::span<const TermId> conditions,
                     std::span<const std::uint32_t> order, const std::vector<Domain>& domains,
                     LaneStorage& lanes);

}  // namespace tuner::detail
