#pragma once
// Terms in the order in which they are computed, for one combination of values after another.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tuner/space/terms.h"

namespace tuner::detail {

// Decides an opaque rule, given the positions of the rule's parameters.
using OpaqueEvaluator = std::function<bool(std::uint32_t rule, std::span<const double> positions)>;

// What it takes to check conditions and to compute outputs.
struct TermProgram {
  // `known` are terms whose values are given. Of their parts nothing is computed.
  TermProgram(const TermGraph& graph, std::span<const TermId> conditions,
              std::span<const TermId> outputs, std::span<const TermId> known = {});

  struct Step {
    TermId term;
    bool must_hold;  // a condition, whose value is there already; else a term to compute
  };
  std::vector<Step> steps;
  std::vector<TermId> leaves;  // parameters' values and positions that are not `known`
};

// The values of a graph's terms for one combination. The graph may grow meanwhile.
class TermValues {
 public:
  TermValues(const TermGraph& graph, const OpaqueEvaluator& opaque)
      : graph_(graph), opaque_(opaque) {}

  // Before run(): the program's leaves and what is known.
  void set(TermId id, double value) {
    if (id >= values_.size()) values_.resize(graph_.size());
    values_[id] = value;
  }
  // False as soon as a condition does not hold.
  bool run(const TermProgram& program);
  // After run(), for what the program computes.
  double operator[](TermId id) const {
    return graph_.is_constant(id) ? graph_[id].lo : values_[id];
  }

 private:
  double compute(TermId id);

  const TermGraph& graph_;
  const OpaqueEvaluator& opaque_;
  std::vector<double> values_;
  std::vector<double> positions_;
};

}  // namespace tuner::detail
