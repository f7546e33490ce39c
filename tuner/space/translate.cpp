// Turns syntax trees into conditions on terms.

#include "tuner/space/translate.h"

#include <algorithm>
#include <cmath>

namespace tuner::detail {
namespace {

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

}  // namespace

Translator::Translator(const SpaceDefinition& definition, const NameTable& names)
    : definition_(definition), names_(names) {
  texts_.emplace_back();
  const auto collect = [&](const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) texts_.push_back(*text);
  };
  for (const Parameter& parameter : definition.parameters) {
    std::ranges::for_each(parameter.values, collect);
  }
  for (const auto& [name, value] : definition.facts) collect(value);
  for (const NamedExpression& derived : definition.derived) {
    if (!derived.expression.empty()) collect_texts(*derived.expression.root());
  }
  for (const Expression& constraint : definition.constraints) {
    if (!constraint.empty()) collect_texts(*constraint.root());
  }
  std::sort(texts_.begin(), texts_.end());
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
}

void Translator::collect_texts(const ExpressionNode& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) texts_.push_back(*text);
  for (const auto& child : node.children) collect_texts(*child);
}

double Translator::rank(const std::string& text) const {
  return static_cast<double>(std::ranges::lower_bound(texts_, text) - texts_.begin());
}

std::vector<Domain> Translator::all_domains() const {
  std::vector<Domain> all;
  for (const Parameter& parameter : definition_.parameters) {
    Domain domain;
    domain.text = std::holds_alternative<std::string>(parameter.values.front());
    domain.integral = true;
    domain.values.reserve(parameter.values.size());
    domain.positions.reserve(parameter.values.size());
    bool uniform = true;
    for (const Value& value : parameter.values) {
      const auto* text = std::get_if<std::string>(&value);
      const double number = text != nullptr ? rank(*text) : to_number(value);
      domain.positions.push_back(static_cast<std::uint32_t>(domain.positions.size()));
      domain.values.push_back(number == 0 ? 0.0 : number);
      uniform = uniform && (text != nullptr) == domain.text && std::fabs(number) <= 0x1p51;
      domain.integral = domain.integral && number == std::floor(number);
    }
    if (!uniform) domain.values.clear();
    if (uniform) {
      const auto [lo, hi] = std::ranges::minmax(domain.values);
      domain.lo = lo;
      domain.hi = hi;
    }
    all.push_back(std::move(domain));
  }
  return all;
}

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

TermId Translator::membership(const Expression& expression, TermId item, const ExpressionNode& list,
                              bool inside) {
  if (item == kNoTerm) return kNoTerm;
  if ((*graph_)[item].may_fault) return kNoTerm;
  std::vector<TermId> tests;
  for (const auto& child : list.children) {
    const TermId candidate = value(expression, *child);
    // All candidates are evaluated before the first is compared.
    if (candidate == kNoTerm || (*graph_)[candidate].may_fault) return kNoTerm;
    tests.push_back(compare(Comparison::kEq, item, candidate, !inside));
  }
  return junction(inside ? TermOp::kOr : TermOp::kAnd, tests);
}

TermId Translator::compare(Comparison how, TermId left, TermId right, bool negated) {
  if (left == kNoTerm || right == kNoTerm) return kNoTerm;
  if (negated) how = opposite(how);
  const Term& a = (*graph_)[left];
  const Term& b = (*graph_)[right];
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

}  // namespace tuner::detail
