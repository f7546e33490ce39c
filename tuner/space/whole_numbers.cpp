// Looks through expressions for what may be a float.

#include "tuner/space/whole_numbers.h"

#include <algorithm>

namespace tuner::detail {

bool WholeNumbers::is_whole(const Expression& expression, const ExpressionNode& node) {
  const auto integer = [](const Value& value) {
    return std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value);
  };
  switch (node.op) {
    case Op::kConstant:
      return integer(node.value);
    case Op::kName: {
      const Meaning& meaning = names_.meaning(expression, node.name);
      if (meaning.kind == Meaning::Kind::kFact) return integer(*meaning.fact);
      if (meaning.kind == Meaning::Kind::kParameter) {
        return std::ranges::all_of(definition_.parameters[meaning.index].values, integer);
      }
      std::optional<bool>& known = derived_[meaning.index];
      const Expression& derived = definition_.derived[meaning.index].expression;
      if (!known) known = !derived.empty() && is_whole(derived, *derived.root());
      return *known;
    }
    case Op::kDivide:
    case Op::kFloat:
    case Op::kLog2:
    case Op::kLog:
    case Op::kExp:
    case Op::kSqrt:
      return false;
    case Op::kCompare:
    case Op::kNot:
    case Op::kCeil:
    case Op::kFloor:
    case Op::kInt:
    case Op::kRound:
    case Op::kCeilDiv:
    case Op::kInvert:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return true;
    default:  // as its operands; the condition of "if" does not matter
      return std::all_of(node.children.begin() + (node.op == Op::kIfElse ? 1 : 0),
                         node.children.end(),
                         [&](const auto& child) { return is_whole(expression, *child); });
  }
}

}  // namespace tuner::detail
