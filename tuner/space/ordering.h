#pragma once
// The order in which a group's parameters are expanded.

#include <cstdint>
#include <vector>

namespace tuner::detail {

// What decides how many states an order of parameters makes.
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
