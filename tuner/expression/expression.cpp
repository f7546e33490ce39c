// Parses expressions, and evaluates their syntax trees exactly, one configuration at a time.

#include "tuner/expression/expression.h"

#include <algorithm>
#include <utility>

#include "tuner/expression/expression_tree.h"
#include "tuner/expression/parser.h"

namespace tuner {
namespace {

class BoundNames : public detail::NameSource {
 public:
  explicit BoundNames(const Bindings& names) : names_(names) {}
  const Value* find(const Expression& expression, std::size_t name) const override {
    const auto found = names_.find(expression.names()[name]);
    return found == names_.end() ? nullptr : &found->second;
  }

 private:
  const Bindings& names_;
};

Complaint complaint_at(const Position& origin, detail::SyntaxError error, std::string_view text) {
  Position where = origin;
  if (where.line == 0) {
    error.message += " (column " + std::to_string(error.offset + 1) + " of '" +
                     std::string(text.substr(0, 80)) + (text.size() > 80 ? "...')" : "')");
  } else {
    where.column = std::max(1, where.column) + static_cast<int>(error.offset);
  }
  return {std::move(where), std::move(error.message), std::move(error.suggestion)};
}

}  // namespace

Expected<Expression, Complaint> Expression::parse(std::string_view text, Position origin) {
  auto parsed = detail::parse_expression(text, kMaxDepth);
  if (!parsed) return Unexpected{complaint_at(origin, std::move(parsed.error()), text)};
  Expression expression;
  expression.text_ = std::string(text);
  expression.origin_ = std::move(origin);
  expression.names_ = std::move(parsed->names);
  expression.name_offsets_ = std::move(parsed->name_offsets);
  expression.root_ = std::move(parsed->root);
  return expression;
}

Expression Expression::parse_or_throw(std::string_view text) {
  auto parsed = parse(text);
  if (!parsed) throw InputError(std::move(parsed.error()));
  return std::move(*parsed);
}

Expected<Value, EvaluationError> Expression::evaluate(const Bindings& names) const {
  if (empty()) return Unexpected{EvaluationError{"an empty expression has no value", 0}};
  Value out;
  EvaluationError error;
  if (detail::evaluate_tree(*this, *root_, BoundNames(names), out, error)) return out;
  return Unexpected{std::move(error)};
}

bool truth(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  return to_number(value) != 0;
}

}  // namespace tuner

// ---- evaluation of a tree -----------------------------------------------------------------------

namespace tuner::detail {
namespace {

// Walks the tree; the first fault is kept and ends the walk.
class TreeEvaluator {
 public:
  TreeEvaluator(const Expression& expression, const NameSource& names, EvaluationError& error)
      : expression_(expression), names_(names), error_(error) {}

  bool run(const ExpressionNode& node, Value& out) {
    switch (node.op) {
      case Op::kConstant:
        out = node.value;
        return true;
      case Op::kName:
        return look_up(node, out);
      case Op::kAnd:
      case Op::kOr:
        return junction(node, out);
      case Op::kCompare:
        return comparison(node, out);
      case Op::kIfElse: {
        Value condition;
        if (!run(*node.children[0], condition)) return false;
        return run(*node.children[truth(condition) ? 1 : 2], out);
      }
      case Op::kMin:
      case Op::kMax:
        return extreme(node, out);
      case Op::kNot: {
        Value operand;
        if (!run(*node.children[0], operand)) return false;
        out = !truth(operand);
        return true;
      }
      default:
        return arithmetic(node, out);
    }
  }

 private:
  bool check(Fault fault, const ExpressionNode& node) {
    if (fault.empty()) return true;
    error_ = {std::move(fault), node.offset};
    return false;
  }

  bool look_up(const ExpressionNode& node, Value& out) {
    const Value* found = names_.find(expression_, node.name);
    if (found == nullptr) {
      return check("'" + expression_.names()[node.name] + "' has no value here", node);
    }
    out = *found;
    return true;
  }

  // Python's: the operand that decides is the result.
  bool junction(const ExpressionNode& node, Value& out) {
    for (const auto& child : node.children) {
      if (!run(*child, out)) return false;
      if (truth(out) == (node.op == Op::kOr)) return true;
    }
    return true;
  }

  bool extreme(const ExpressionNode& node, Value& out) {
    if (!run(*node.children[0], out)) return false;
    const Comparison better = node.op == Op::kMin ? Comparison::kLt : Comparison::kGt;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      Value next;
      bool wins = false;
      if (!run(*node.children[i], next)) return false;
      if (!check(apply_comparison(better, next, out, wins), node)) return false;
      if (wins) out = std::move(next);
    }
    return true;
  }

  bool arithmetic(const ExpressionNode& node, Value& out) {
    Value left;
    if (!run(*node.children[0], left)) return false;
    if (node.children.size() == 1) return check(apply_unary(node.op, left, out), node);
    Value right;
    if (!run(*node.children[1], right)) return false;
    return check(apply_binary(node.op, left, right, out), node);
  }

  bool comparison(const ExpressionNode& node, Value& out) {
    Value left;
    if (!run(*node.children[0], left)) return false;
    for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
      bool holds = false;
      Value right;
      if (!one_comparison(node, i, left, right, holds)) return false;
      if (!holds) {
        out = false;
        return true;
      }
      left = std::move(right);
    }
    out = true;
    return true;
  }

  bool one_comparison(const ExpressionNode& node, std::size_t i, const Value& left, Value& right,
                      bool& holds) {
    const Comparison how = node.comparisons[i];
    const ExpressionNode& operand = *node.children[i + 1];
    if (how != Comparison::kIn && how != Comparison::kNotIn) {
      return run(operand, right) && check(apply_comparison(how, left, right, holds), node);
    }
    bool found = false;
    for (const auto& item : operand.children) {
      Value candidate;
      if (!run(*item, candidate)) return false;
      found = found || same_value(left, candidate);
    }
    holds = found == (how == Comparison::kIn);
    return true;
  }

  const Expression& expression_;
  const NameSource& names_;
  EvaluationError& error_;
};

}  // namespace

bool evaluate_tree(const Expression& expression, const ExpressionNode& node,
                   const NameSource& names, Value& out, EvaluationError& error) {
  return TreeEvaluator(expression, names, error).run(node, out);
}

}  // namespace tuner::detail
