#pragma once
// The values of the parameters as numbers, and removing those that no valid configuration can have.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/search_space.h"
#include "tuner/space/terms.h"

namespace tuner::detail {

// Texts as numbers: the place of each among the texts of a definition, sorted; of its constraints
// only the given ones are read, since each of thousands may be looked at alone. Comparing ranks is
// comparing texts, and the empty text has rank 0, so that it alone is false.
class TextRanks {
 public:
  TextRanks(const SpaceDefinition& definition, const std::vector<std::uint32_t>& constraints);
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

// Makes one domain for each parameter, with all of its values.
std::vector<Domain> all_domains(const SpaceDefinition& definition, const TextRanks& texts);

// The parameters below a term, ascending.
std::vector<std::uint32_t> leaves_of(const TermGraph& graph, TermId root);

// The number that a leaf of the domain's parameter stands for, at the i-th value that is left.
inline double leaf_value(const Term& leaf, const Domain& domain, std::size_t i) {
  return leaf.op == TermOp::kVariable ? domain.values[i] : domain.positions[i];
}

// Removes values that cannot be part of any valid configuration from domains, by a condition on one
// parameter. True when one went.
bool filter_by_value(const TermGraph& graph, TermId condition, TermValues& values,
                     std::vector<Domain>& domains);
// Removes values likewise, by a condition on two parameters: those that satisfy it with no value of
// the other one. Tried only where a long domain may become short. True when one went.
bool filter_by_pairs(const TermGraph& graph, TermId condition, TermValues& values,
                     std::vector<Domain>& domains);

}  // namespace tuner::detail
