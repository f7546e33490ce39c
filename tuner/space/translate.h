#pragma once
// Translation of constraints' syntax trees into conditions on terms.

#include <cstdint>
#include <vector>

#include "tuner/space/domains.h"
#include "tuner/space/name_table.h"
#include "tuner/space/terms.h"

namespace tuner::detail {

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
  Translator(const SpaceDefinition& definition, const NameTable& names, const TextRanks& texts)
      : definition_(definition), names_(names), texts_(texts), whole_(definition, names) {}

  // Conjuncts of the given constraints over the given domains. Parameters' level is their number.
  std::vector<Condition> translate(const std::vector<std::uint32_t>& constraints,
                                   const std::vector<Domain>& domains, TermGraph& graph);

  const std::vector<OpaqueRule>& opaque_rules() const { return opaque_; }

 private:
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
  TermId bits(const Expression& expression, const ExpressionNode& node,
              const std::vector<TermId>& args);

  const SpaceDefinition& definition_;
  const NameTable& names_;
  const TextRanks& texts_;
  TermGraph* graph_ = nullptr;
  const std::vector<Domain>* domains_ = nullptr;
  std::vector<TermId> derived_;
  std::vector<bool> has_derived_;
  WholeNumbers whole_;
  std::vector<OpaqueRule> opaque_;
};

}  // namespace tuner::detail
