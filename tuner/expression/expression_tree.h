#pragma once
// The syntax tree of an expression: small, so that the search space can compile it and exporters
// can print it in another language; and its exact evaluation, one configuration at a time.

#include <cstdint>
#include <memory>
#include <vector>

#include "tuner/expression/expression.h"
#include "tuner/expression/value.h"

namespace tuner::detail {

enum class Op : std::uint8_t {
  kConstant,
  kName,
  // one operand
  kNegate,
  kPlus,
  kNot,
  kInvert,
  kAbs,
  kCeil,
  kFloor,
  kLog2,
  kLog,
  kExp,
  kSqrt,
  kInt,
  kFloat,
  kRound,
  // two operands
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kCeilDiv,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  // one or more operands
  kMin,
  kMax,
  kAnd,
  kOr,
  kCompare,  // children[i] comparisons[i] children[i + 1]
  kList,     // only on the right of in / not in; the parser resolves tuples
  kIfElse,   // condition, value when true, value when false
};

enum class Comparison : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kIn, kNotIn };

struct ExpressionNode {
  Op op = Op::kConstant;
  std::size_t offset = 0;  // of the operator, name or literal in the text
  int depth = 1;           // of the subtree
  Value value;             // kConstant
  std::size_t name = 0;    // kName: place in Expression::names()
  std::vector<Comparison> comparisons;
  std::vector<std::unique_ptr<ExpressionNode>> children;
};

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
