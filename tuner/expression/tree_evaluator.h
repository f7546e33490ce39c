#pragma once
// Exact evaluation of a syntax tree, one configuration at a time.

#include "tuner/expression/expression.h"
#include "tuner/expression/expression_tree.h"

namespace tuner::detail {

// Where names get their values from.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // The value of expression.names()[name], or null when it has none.
  virtual const Value* find(const Expression& expression, std::size_t name) const = 0;
};

// The value of `node`, a node of `expression`'s tree. False when there is none; `error` says why.
bool evaluate_tree(const Expression& expression, const ExpressionNode& node,
                   const NameSource& names, Value& out, EvaluationError& error);

}  // namespace tuner::detail
