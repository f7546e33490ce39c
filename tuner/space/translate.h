#pragma once
// From syntax trees to terms.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/name_table.h"
#include "tuner/space/terms.h"

namespace tuner::detail {

// The values of a parameter that are left, as numbers.
struct Domain {
  std::vector<std::uint32_t> positions;  // among Parameter::values, ascending
  std::vector<double> values;            // empty when values mix text and numbers, or are too large
  double lo = 0;
  double hi = 0;
  bool integral = false;
  bool text = false;
};

// A condition that terms cannot express: exact, slow, evaluated by the tree evaluator.
struct OpaqueRule {
  const Expression* expression = nullptr;
  const ExpressionNode* node = nullptr;
  bool negated = false;
  NameTable::Dependencies used;
};

// One conjunct of a constraint. A configuration is valid when every condition is 1 (not 0, not
// NaN).
struct Condition {
  TermId term = kNoTerm;
  std::uint32_t constraint = 0;  // in SpaceDefinition::constraints
};

class Translator {
 public:
  Translator(const SpaceDefinition& definition, const NameTable& names);

  std::vector<Domain> all_domains() const;

  // Conjuncts of the given constraints over the given domains. Parameters' level is their number.
  std::vector<Condition> translate(const std::vector<std::uint32_t>& constraints,
                                   const std::vector<Domain>& domains, TermGraph& graph);

  const std::vector<OpaqueRule>& opaque_rules() const { return opaque_; }

 private:
  double rank(const std::string& text) const;
  void collect_texts(const ExpressionNode& node);
  void split(const Expression& expression, const ExpressionNode& node, bool negated,
             std::uint32_t constraint, std::vector<Condition>& out);
  TermId opaque_condition(const Expression& expression, const ExpressionNode& node, bool negated);
  TermId condition(const Expression& expression, const ExpressionNode& node, bool negated);
  TermId junction(TermOp op, const std::vector<TermId>& args);
  TermId comparison(const Expression& expression, const ExpressionNode& node, bool negated);
  TermId membership(const Expression& expression, TermId item, const ExpressionNode& list,
                    bool inside);
  TermId compare(Comparison how, TermId left, TermId right, bool negated);
  TermId truth_of(TermId value, bool negated);
  TermId value(const Expression& expression, const ExpressionNode& node);
  TermId name(const Expression& expression, const ExpressionNode& node);
  TermId constant(const Value& value);
  TermId arithmetic(const Expression& expression, const ExpressionNode& node);
  TermId sum_or_product(TermOp op, TermId left, TermId right);

  const SpaceDefinition& definition_;
  const NameTable& names_;
  std::vector<std::string> texts_;  // sorted; "" first, so that it alone is false
  TermGraph* graph_ = nullptr;
  const std::vector<Domain>* domains_ = nullptr;
  std::vector<TermId> derived_;
  std::vector<bool> has_derived_;
  std::vector<OpaqueRule> opaque_;
};

}  // namespace tuner::detail
