// Puts terms into the order in which they are computed, and computes them.

#include "tuner/space/terms.h"

namespace tuner::detail {

TermProgram::TermProgram(const TermGraph& graph, std::span<const TermId> conditions,
                         std::span<const TermId> outputs, std::span<const TermId> known) {
  std::vector<bool> done(graph.size(), false);
  for (TermId id : known) done[id] = true;
  const auto compute = [&](TermId id, const auto& self) -> void {
    if (done[id] || graph.is_constant(id)) return;
    done[id] = true;
    if (is_leaf(graph[id])) return leaves.push_back(id);
    for (TermId arg : graph.args(id)) self(arg, self);
    steps.push_back({id, false});
  };
  for (TermId condition : conditions) {
    compute(condition, compute);
    steps.push_back({condition, true});
  }
  for (TermId output : outputs) compute(output, compute);
}

bool TermValues::run(const TermProgram& program) {
  for (const TermProgram::Step& step : program.steps) {
    if (!step.must_hold) {
      values_[step.term] = compute(step.term);
    } else if ((*this)[step.term] != 1) {
      return false;
    }
  }
  return true;
}

double TermValues::compute(TermId id) {
  const Term& term = graph_[id];
  const auto args = graph_.args(id);
  if (term.op != TermOp::kOpaque) {
    return apply_term(term.op, args.size(), [&](std::size_t i) { return (*this)[args[i]]; });
  }
  positions_.clear();
  for (TermId arg : args) positions_.push_back((*this)[arg]);
  return opaque_(term.payload, positions_) ? 1 : 0;
}

}  // namespace tuner::detail
