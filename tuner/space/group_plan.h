#pragma once
// How one group of parameters is expanded: an order, and for each parameter a compiled step.
//
// After a step, the parameters chosen so far matter only through the values of the "key" terms: the
// largest known terms of conditions that are not decided yet. Prefixes with equal keys are one
// state.

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/terms.h"

namespace tuner::detail {

struct LevelPlan {
  std::uint32_t parameter = 0;
  std::vector<TermId> key;       // of the states before this step
  TermProgram program;           // from a key and a value of the parameter to the next key
  std::vector<TermId> next_key;  // what the program computes of it
};

struct GroupPlan {
  TermGraph graph;
  std::vector<LevelPlan> levels;
};

// `conditions` are terms of `graph` over the parameters in `order` (levels by parameter number).
GroupPlan plan_group(const TermGraph& graph, std::span<const TermId> conditions,
                     std::span<const std::uint32_t> order);

// ---- order --------------------------------------------------------------------------------------

// Numbers that decide how many states an order of parameters makes.
struct OrderProblem {
  struct Condition {
    std::vector<std::uint32_t> members;  // places in `values`, ascending
    double passes = 0.5;                 // fraction of combinations that satisfy it, about
  };
  std::vector<double> values;  // number of values of each parameter
  std::vector<Condition> conditions;
};

// An order in which conditions bind early and few parameters stay of interest at a time.
std::vector<std::uint32_t> find_order(const OrderProblem& problem);

}  // namespace tuner::detail
