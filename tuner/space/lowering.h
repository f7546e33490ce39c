#pragma once
// Terms rewritten for an order of parameters: known parts come first and are formed early.

#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/space/terms.h"

namespace tuner::detail {

class Lowering {
 public:
  // level_of[parameter]: place in the order.
  Lowering(const TermGraph& source, std::span<const std::int32_t> level_of, TermGraph& target)
      : source_(source), level_of_(level_of), target_(target) {}

  TermId lower(TermId id);

 private:
  TermId chain(TermOp op, std::vector<TermId> args);

  const TermGraph& source_;
  std::span<const std::int32_t> level_of_;
  TermGraph& target_;
  std::unordered_map<TermId, TermId> done_;
};

// What is certain about a term when only parameters up to `level` are known.
class Relaxation {
 public:
  Relaxation(TermGraph& graph, std::int32_t level) : graph_(graph), level_(level) {}

  // A known condition that is 1 wherever `condition` can still become 1.
  TermId possible(TermId condition) { return relax(condition, true); }

 private:
  bool known(TermId id) const { return graph_[id].last <= level_; }
  TermId relax(TermId condition, bool possible);
  TermId relax_comparison(TermId condition, bool possible);
  // A known term that is never above (low) or never below (high) the term.
  TermId limit(TermId id, bool low);
  TermId limit_quotient(TermId id, bool low);

  TermGraph& graph_;
  std::int32_t level_;
  std::unordered_map<std::uint64_t, TermId> limits_;
};

}  // namespace tuner::detail
