// Turns syntax trees into conditions on terms.

#include "tuner/space/translate.h"

#include <algorithm>
#include <utility>

namespace tuner::detail {
namespace {

// not (a < b) is a >= b, because numbers here are never NaN: what has no value makes the comparison
// fail, negated or not.
Comparison opposite(Comparison how) {
  switch (how) {
    case Comparison::kEq:
      return Comparison::kNe;
    case Comparison::kNe:
      return Comparison::kEq;
    case Comparison::kLt:
      return Comparison::kGe;
    case Comparison::kLe:
      return Comparison::kGt;
    case Comparison::kGt:
      return Comparison::kLe;
    default:
      return Comparison::kLt;
  }
}

constexpr std::size_t kMaxFlat = 64;  // arguments of one sum: nested doubling must not explode

// Operators that mean the same on values and on terms.
constexpr std::pair<Op, TermOp> kSame[] = {
    {Op::kNegate, TermOp::kNegate}, {Op::kAbs, TermOp::kAbs},
    {Op::kCeil, TermOp::kCeil},     {Op::kFloor, TermOp::kFloor},
    {Op::kLog2, TermOp::kLog2},     {Op::kLog, TermOp::kLog},
    {Op::kExp, TermOp::kExp},       {Op::kSqrt, TermOp::kSqrt},
    {Op::kInt, TermOp::kTruncate},  {Op::kRound, TermOp::kRound},
    {Op::kDivide, TermOp::kDivide}, {Op::kFloorDivide, TermOp::kFloorDivide},
    {Op::kModulo, TermOp::kModulo}, {Op::kPower, TermOp::kPower},
    {Op::kMin, TermOp::kMin},       {Op::kMax, TermOp::kMax},
    {Op::kBitAnd, TermOp::kBitAnd}, {Op::kBitOr, TermOp::kBitOr},
    {Op::kBitXor, TermOp::kBitXor}, {Op::kCeilDiv, TermOp::kCeilDivide}};

TermOp term_op(Op op) {
  return std::ranges::find(kSame, op, &std::pair<Op, TermOp>::first)->second;
}

}  // namespace

std::vector<Condition> Translator::translate(const std::vector<std::uint32_t>& constraints,
                                             const std::vector<Domain>& domains, TermGraph& graph) {
  graph_ = &graph;
  opaque_.clear();
  domains_ = &domains;
  derived_.assign(definition_.derived.size(), kNoTerm);
  has_derived_.assign(definition_.derived.size(), false);
  std::vector<Condition> out;
  for (std::uint32_t c : constraints) {
    const Expression& constraint = definition_.constraints[c];
    if (!constraint.empty()) split(constraint, *constraint.root(), false, c, out);
  }
  return out;
}

// Conditions that a configuration must meet one by one: the parts of "and", and of a negated "or".
// The smaller a condition, the fewer parameters it ties together, and the earlier it can be
// checked.
void Translator::split(const Expression& expression, const ExpressionNode& node, bool negated,
                       std::uint32_t constraint, std::vector<Condition>& out) {
  if (node.op == Op::kNot) {
    return split(expression, *node.children[0], !negated, constraint, out);
  }
  if (node.op == (negated ? Op::kOr : Op::kAnd)) {
    for (const auto& child : node.children) split(expression, *child, negated, constraint, out);
    return;
  }
  TermId term = condition(expression, node, negated);
  // Only the part that terms cannot express becomes opaque, not the whole constraint.
  if (term == kNoTerm) term = opaque_condition(expression, node, negated);
  if ((*graph_)[term].op != TermOp::kAnd) {
    out.push_back({term, constraint});
    return;
  }
  for (TermId conjunct : graph_->args(term)) out.push_back({conjunct, constraint});
}

TermId Translator::opaque_condition(const Expression& expression, const ExpressionNode& node,
                                    bool negated) {
  OpaqueRule rule{&expression, &node, negated, names_.dependencies(expression, node)};
  std::vector<TermId> positions;
  for (std::uint32_t p : rule.used.parameters) {
    positions.push_back(
        graph_->position(p, static_cast<std::int32_t>(p),
                         static_cast<double>(definition_.parameters[p].values.size())));
  }
  opaque_.push_back(std::move(rule));
  return graph_->opaque(static_cast<std::uint32_t>(opaque_.size() - 1), positions);
}

TermId Translator::condition(const Expression& expression, const ExpressionNode& node,
                             bool negated) {
  switch (node.op) {
    case Op::kNot:
      return condition(expression, *node.children[0], !negated);
    case Op::kAnd:
    case Op::kOr: {
      std::vector<TermId> args;
      for (const auto& child : node.children)
        args.push_back(condition(expression, *child, negated));
      return junction((node.op == Op::kAnd) != negated ? TermOp::kAnd : TermOp::kOr, args);
    }
    case Op::kCompare:
      return comparison(expression, node, negated);
    case Op::kIfElse: {
      const TermId test = condition(expression, *node.children[0], false);
      const TermId yes = condition(expression, *node.children[1], negated);
      const TermId no = condition(expression, *node.children[2], negated);
      return graph_->make(TermOp::kSelect, test, yes, no);
    }
    default:
      return truth_of(value(expression, node), negated);
  }
}

// Flattens, drops neutral constants, and stops at a constant that decides.
TermId Translator::junction(TermOp op, const std::vector<TermId>& args) {
  const double neutral = op == TermOp::kAnd ? 1 : 0;
  std::vector<TermId> flat;
  const auto add = [&](TermId arg) {
    if (graph_->is_constant(arg) && (*graph_)[arg].lo == neutral) return true;
    if (std::ranges::find(flat, arg) == flat.end()) flat.push_back(arg);
    return !graph_->is_constant(arg);
  };
  for (TermId arg : args) {
    if (arg == kNoTerm) return kNoTerm;
    bool open = true;
    if ((*graph_)[arg].op == op) {
      const auto inner = graph_->args(arg);
      for (TermId a : std::vector<TermId>(inner.begin(), inner.end())) open = open && add(a);
    } else {
      open = add(arg);
    }
    if (!open) break;
  }
  if (flat.empty()) return graph_->constant(neutral);
  const bool decided = graph_->is_constant(flat.back());
  const bool safe = std::ranges::none_of(flat, [&](TermId a) { return (*graph_)[a].may_fault; });
  if (decided && safe) return flat.back();
  return graph_->make(op, flat);
}

TermId Translator::comparison(const Expression& expression, const ExpressionNode& node,
                              bool negated) {
  std::vector<TermId> parts;
  TermId left = value(expression, *node.children[0]);
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    const Comparison how = node.comparisons[i];
    if (how == Comparison::kIn || how == Comparison::kNotIn) {
      const bool inside = (how == Comparison::kIn) != negated;
      parts.push_back(membership(expression, left, *node.children[i + 1], inside));
      break;
    }
    const TermId right = value(expression, *node.children[i + 1]);
    parts.push_back(compare(how, left, right, negated));
    left = right;
  }
  return junction(negated ? TermOp::kOr : TermOp::kAnd, parts);
}

// item in [a, b, c] as item == a or item == b or item == c.
TermId Translator::membership(const Expression& expression, TermId item, const ExpressionNode& list,
                              bool inside) {
  if (item == kNoTerm) return kNoTerm;
  if ((*graph_)[item].may_fault) return kNoTerm;
  std::vector<TermId> tests;
  for (const auto& child : list.children) {
    const TermId candidate = value(expression, *child);
    // All candidates are evaluated before the first is compared.
    if (candidate == kNoTerm || (*graph_)[candidate].may_fault) return kNoTerm;
    // "True in [a < b, c < d]" is how any() and all() are written.
    const bool condition = graph_->is_true(item) && (*graph_)[candidate].boolean;
    tests.push_back(condition ? truth_of(candidate, !inside)
                              : compare(Comparison::kEq, item, candidate, !inside));
  }
  return junction(inside ? TermOp::kOr : TermOp::kAnd, tests);
}

TermId Translator::compare(Comparison how, TermId left, TermId right, bool negated) {
  if (left == kNoTerm || right == kNoTerm) return kNoTerm;
  if (negated) how = opposite(how);
  const Term& a = (*graph_)[left];
  const Term& b = (*graph_)[right];
  // Text and number are never equal, and comparing their order is an error. But if one of them may
  // fail, that error comes first, and only the exact evaluator knows which.
  if (a.text != b.text) {
    if (a.may_fault || b.may_fault) return kNoTerm;
    if (how == Comparison::kEq) return graph_->constant(0);
    if (how == Comparison::kNe) return graph_->constant(1);
    return graph_->fault();
  }
  switch (how) {
    case Comparison::kEq:
      return graph_->make(TermOp::kEqual, left, right);
    case Comparison::kNe:
      return graph_->make(TermOp::kNotEqual, left, right);
    case Comparison::kLt:
      return graph_->make(TermOp::kLess, left, right);
    case Comparison::kLe:
      return graph_->make(TermOp::kLessEqual, left, right);
    case Comparison::kGt:
      return graph_->make(TermOp::kLess, right, left);
    default:
      return graph_->make(TermOp::kLessEqual, right, left);
  }
}

TermId Translator::truth_of(TermId value, bool negated) {
  if (value == kNoTerm) return kNoTerm;
  if ((*graph_)[value].boolean) return negated ? graph_->make(TermOp::kNot, value) : value;
  const TermId zero = graph_->constant(0, (*graph_)[value].text);
  return graph_->make(negated ? TermOp::kEqual : TermOp::kNotEqual, value, zero);
}

// ---- numbers ------------------------------------------------------------------------------------

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
    return graph_->constant(texts_.of(*text), true);
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
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
    case Op::kInvert:
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return bits(expression, node, args);
    default:
      return graph_->make(term_op(node.op), args);
  }
}

// A term does not know 4 from 4.0, which has no bits: only what is never a float becomes one. The
// others, and shifts that may be by a negative number, are left to the exact evaluator.
TermId Translator::bits(const Expression& expression, const ExpressionNode& node,
                        const std::vector<TermId>& args) {
  for (const auto& child : node.children) {
    if (!whole_.is_whole(expression, *child)) return kNoTerm;
  }
  if (node.op == Op::kInvert) {  // -1 - x
    return sum_or_product(TermOp::kSum, graph_->constant(-1),
                          graph_->make(TermOp::kNegate, args[0]));
  }
  if (node.op != Op::kShiftLeft && node.op != Op::kShiftRight) {
    return graph_->make(term_op(node.op), args);
  }
  if ((*graph_)[args[1]].lo < 0) return kNoTerm;
  const TermId factor = graph_->make(TermOp::kPower, graph_->constant(2), args[1]);
  return node.op == Op::kShiftLeft ? sum_or_product(TermOp::kProduct, args[0], factor)
                                   : graph_->make(TermOp::kFloorDivide, args[0], factor);
}

// (a + b) + c becomes one sum of three: whole numbers may be added in any order, and so whatever
// part is known first can be formed first, not only the one that the study put in parentheses.
// Constants are folded into one. Fractions stay as written, because their rounding depends on the
// order.
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
