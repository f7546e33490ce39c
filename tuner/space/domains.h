#pragma once
// The values of the parameters as numbers, and removing those that no valid configuration can have.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/lane_program.h"
#include "tuner/space/search_space.h"

namespace tuner::detail {

// Texts as numbers: the place of each among all texts of a definition, sorted. Comparing ranks is
// comparing texts, and the empty text has rank 0, so that it alone is false.
class TextRanks {
 public:
  explicit TextRanks(const SpaceDefinition& definition);
  double of(const std::string& text) const;

 private:
  void collect(const ExpressionNode& node);
  std::vector<std::string> texts_;
};

// The values of a parameter that are left, as numbers.
struct Domain {
  std::vector<std::uint32_t> positions;  // among Parameter::values, ascending
  std::vector<double> values;            // empty when values mix text and numbers, or are too large
  double lo = 0;
  double hi = 0;
  bool integral = false;
  bool text = false;
};

// One for each parameter, with all of its values.
std::vector<Domain> all_domains(const SpaceDefinition& definition, const TextRanks& texts);

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
