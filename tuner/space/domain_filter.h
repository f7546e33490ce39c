#pragma once
// Removing values that no valid configuration can have.

#include <cstdint>
#include <vector>

#include "tuner/space/lane_program.h"
#include "tuner/space/translate.h"

namespace tuner::detail {

inline bool is_leaf(const Term& term) {
  return term.op == TermOp::kVariable || term.op == TermOp::kPosition;
}

// The parameters below a term, ascending.
std::vector<std::uint32_t> leaves_of(const TermGraph& graph, TermId root);

// Takes values out of domains that cannot be part of any valid configuration.
class DomainFilter {
 public:
  DomainFilter(std::vector<Domain>& domains, LaneStorage& lanes, const OpaqueEvaluator& opaque)
      : domains_(domains), lanes_(lanes), opaque_(opaque) {}

  // By a condition on one parameter. True when a value went.
  bool by_value(const TermGraph& graph, TermId condition);

  // By a condition on two parameters: values that satisfy it with no value of the other one. Tried
  // only where a long domain may become short. True when a value went.
  bool by_pairs(const TermGraph& graph, TermId condition);

 private:
  std::vector<Domain>& domains_;
  LaneStorage& lanes_;
  const OpaqueEvaluator& opaque_;
};

}  // namespace tuner::detail
