// The numeric half of the translator.

#include <algorithm>

#include "tuner/space/translate.h"

namespace tuner::detail {
namespace {

constexpr std::size_t kMaxFlat = 64;  // arguments of one sum: nested doubling must not explode

TermOp term_op(Op op) {
  switch (op) {
    case Op::kNegate:
      return TermOp::kNegate;
    case Op::kAbs:
      return TermOp::kAbs;
    case Op::kCeil:
      return TermOp::kCeil;
    case Op::kFloor:
      return TermOp::kFloor;
    case Op::kLog2:
      return TermOp::kLog2;
    case Op::kInt:
      return TermOp::kTruncate;
    case Op::kRound:
      return TermOp::kRound;
    case Op::kDivide:
      return TermOp::kDivide;
    case Op::kFloorDivide:
      return TermOp::kFloorDivide;
    case Op::kModulo:
      return TermOp::kModulo;
    case Op::kPower:
      return TermOp::kPower;
    case Op::kMin:
      return TermOp::kMin;
    case Op::kMax:
      return TermOp::kMax;
    default:
      return TermOp::kCeilDivide;
  }
}

}  // namespace

TermId Translator::value(const Expression& expression, const ExpressionNode& node) {
  switch (node.op) {
    case Op::kConstant:
      return constant(node.value);
    case Op::kName:
      return name(expression, node);
    case Op::kNot:
    case Op::kCompare:
      return condition(expression, node, false);
    case Op::kAnd:
    case Op::kOr: {
      // The result is an operand; only among booleans is that the same as the truth.
      for (const auto& child : node.children) {
        const TermId operand = value(expression, *child);
        if (operand == kNoTerm || !(*graph_)[operand].boolean) return kNoTerm;
      }
      return condition(expression, node, false);
    }
    case Op::kIfElse: {
      const TermId test = condition(expression, *node.children[0], false);
      const TermId yes = value(expression, *node.children[1]);
      const TermId no = value(expression, *node.children[2]);
      return graph_->make(TermOp::kSelect, test, yes, no);
    }
    default:
      return arithmetic(expression, node);
  }
}

TermId Translator::name(const Expression& expression, const ExpressionNode& node) {
  const Meaning& meaning = names_.meaning(expression, node.name);
  if (meaning.kind == Meaning::Kind::kFact) return constant(*meaning.fact);
  if (meaning.kind == Meaning::Kind::kDerived) {
    const std::uint32_t d = meaning.index;
    if (!has_derived_[d]) {
      const Expression& derived = definition_.derived[d].expression;
      derived_[d] = derived.empty() ? kNoTerm : value(derived, *derived.root());
      has_derived_[d] = true;
    }
    return derived_[d];
  }
  const Domain& domain = (*domains_)[meaning.index];
  if (domain.values.empty()) return kNoTerm;
  if (domain.values.size() == 1) return graph_->constant(domain.values[0], domain.text);
  return graph_->variable(meaning.index, static_cast<std::int32_t>(meaning.index), domain.lo,
                          domain.hi, domain.integral, domain.text);
}

TermId Translator::constant(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return graph_->constant(rank(*text), true);
  }
  return graph_->constant(to_number(value));
}

TermId Translator::arithmetic(const Expression& expression, const ExpressionNode& node) {
  std::vector<TermId> args;
  bool any_text = false;
  for (const auto& child : node.children) {
    args.push_back(value(expression, *child));
    if (args.back() == kNoTerm) return kNoTerm;
    any_text = any_text || (*graph_)[args.back()].text;
  }
  const bool extreme = node.op == Op::kMin || node.op == Op::kMax;
  if (any_text) return extreme ? kNoTerm : graph_->fault();
  switch (node.op) {
    case Op::kPlus:
    case Op::kFloat:
      return args[0];
    case Op::kAdd:
      return sum_or_product(TermOp::kSum, args[0], args[1]);
    case Op::kSubtract:
      return sum_or_product(TermOp::kSum, args[0], graph_->make(TermOp::kNegate, args[1]));
    case Op::kMultiply:
      return sum_or_product(TermOp::kProduct, args[0], args[1]);
    default:
      return graph_->make(term_op(node.op), args);
  }
}

// Whole numbers may be added in any order, so that any known part can be formed early.
TermId Translator::sum_or_product(TermOp op, TermId left, TermId right) {
  if (left == kNoTerm || right == kNoTerm) return kNoTerm;
  if (!(*graph_)[left].integral || !(*graph_)[right].integral) {
    return graph_->make(op, left, right);
  }
  TermId known = graph_->constant(op == TermOp::kSum ? 0 : 1);
  std::vector<TermId> flat;
  for (TermId side : {left, right}) {
    const auto inner = graph_->args(side);
    const bool same = (*graph_)[side].op == op && inner.size() <= kMaxFlat;
    for (TermId arg :
         same ? std::vector<TermId>(inner.begin(), inner.end()) : std::vector<TermId>{side}) {
      if (graph_->is_constant(arg)) {
        known = graph_->make(op, known, arg);
      } else {
        flat.push_back(arg);
      }
    }
  }
  if (known == kNoTerm) return kNoTerm;
  if (flat.empty()) return known;
  const bool neutral = (*graph_)[known].lo == (op == TermOp::kSum ? 0 : 1);
  if (!neutral) flat.push_back(known);
  if (flat.size() > kMaxFlat) return graph_->make(op, left, right);
  return graph_->make(op, flat);
}

}  // namespace tuner::detail
