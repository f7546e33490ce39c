#pragma once
// The syntax tree of an expression: small, so that the search space can compile it and exporters
// can print it in another language; and its exact evaluation, one configuration at a time.

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
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

// Source of the values of names.
class NameSource {
 public:
  virtual ~NameSource() = default;
  // The value of expression.names()[name], or null when it has none.
  virtual const Value* find(const Expression& expression, std::size_t name) const = 0;
};

// The value of `node`, a node of `expression`'s tree. False when there is none; `error` says why.
bool evaluate_tree(const Expression& expression, const ExpressionNode& node,
                   const NameSource& names, Value& out, EvaluationError& error);

// ---- arithmetic ---------------------------------------------------------------------------------

// Empty on success; else why there is no result (`out` is then unspecified).
using Fault = std::string;

Fault apply_unary(Op op, const Value& operand, Value& out);
Fault apply_binary(Op op, const Value& left, const Value& right, Value& out);

// kEq ... kGe. Equality of text and number is false; their order is a fault.
Fault apply_comparison(Comparison how, const Value& left, const Value& right, bool& out);

// Exact also where an integer has no equal double. Neither side may be text.
std::partial_ordering compare_numbers(const Value& left, const Value& right);

// Floored division and modulo with the divisor's sign. b != 0.
double floor_divide(double a, double b);
double floor_modulo(double a, double b);

}  // namespace tuner::detail
