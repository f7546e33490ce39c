// Parses expressions, and evaluates their syntax trees exactly, one configuration at a time.

#include "tuner/expression/expression.h"

#include <algorithm>
#include <array>
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

// Walks the tree; the first fault is kept and ends the walk. Values of names and constants, which
// may be texts, are not copied: a node's value is where it stands, or in the room that is given.
class TreeEvaluator {
 public:
  TreeEvaluator(const Expression& expression, const NameSource& names, EvaluationError& error)
      : expression_(expression), names_(names), error_(error) {}

  // Null where there is none.
  const Value* run(const ExpressionNode& node, Value& room) {
    switch (node.op) {
      case Op::kConstant:
        return &node.value;
      case Op::kName:
        return look_up(node);
      case Op::kAnd:
      case Op::kOr:
        return junction(node, room);
      case Op::kCompare:
        return comparison(node, room);
      case Op::kIfElse: {
        const Value* condition = run(*node.children[0], room);
        if (condition == nullptr) return nullptr;
        return run(*node.children[truth(*condition) ? 1 : 2], room);
      }
      case Op::kMin:
      case Op::kMax:
        return extreme(node, room);
      case Op::kNot: {
        const Value* operand = run(*node.children[0], room);
        if (operand == nullptr) return nullptr;
        room = !truth(*operand);
        return &room;
      }
      default:
        return arithmetic(node, room);
    }
  }

 private:
  bool check(Fault fault, const ExpressionNode& node) {
    if (fault.empty()) return true;
    error_ = {std::move(fault), node.offset};
    return false;
  }

  const Value* look_up(const ExpressionNode& node) {
    const Value* found = names_.find(expression_, node.name);
    if (found == nullptr) check("'" + expression_.names()[node.name] + "' has no value here", node);
    return found;
  }

  // Python's: the operand that decides is the result.
  const Value* junction(const ExpressionNode& node, Value& room) {
    const Value* last = nullptr;
    for (const auto& child : node.children) {
      last = run(*child, room);
      if (last == nullptr || truth(*last) == (node.op == Op::kOr)) return last;
    }
    return last;
  }

  const Value* extreme(const ExpressionNode& node, Value& room) {
    const Value* best = run(*node.children[0], room);
    if (best == nullptr) return nullptr;
    const Comparison better = node.op == Op::kMin ? Comparison::kLt : Comparison::kGt;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      Value other;
      bool wins = false;
      const Value* next = run(*node.children[i], other);
      if (next == nullptr || !check(apply_comparison(better, *next, *best, wins), node)) {
        return nullptr;
      }
      if (!wins) continue;
      best = next;
      if (next == &other) {
        room = std::move(other);
        best = &room;
      }
    }
    return best;
  }

  const Value* arithmetic(const ExpressionNode& node, Value& room) {
    Value first;
    const Value* left = run(*node.children[0], first);
    if (left == nullptr) return nullptr;
    if (node.children.size() == 1) {
      return check(apply_unary(node.op, *left, room), node) ? &room : nullptr;
    }
    Value second;
    const Value* right = run(*node.children[1], second);
    if (right == nullptr) return nullptr;
    return check(apply_binary(node.op, *left, *right, room), node) ? &room : nullptr;
  }

  const Value* comparison(const ExpressionNode& node, Value& room) {
    std::array<Value, 2> rooms;  // in turns: the right side becomes the next left one
    const Value* left = run(*node.children[0], rooms[0]);
    bool holds = left != nullptr;
    for (std::size_t i = 0; i < node.comparisons.size() && holds; ++i) {
      left = one_comparison(node, i, *left, rooms[(i + 1) % 2], holds);
      if (left == nullptr) break;
    }
    if (left == nullptr) return nullptr;
    room = holds;
    return &room;
  }

  // Returns the right side.
  const Value* one_comparison(const ExpressionNode& node, std::size_t i, const Value& left,
                              Value& room, bool& holds) {
    const Comparison how = node.comparisons[i];
    const ExpressionNode& operand = *node.children[i + 1];
    if (how != Comparison::kIn && how != Comparison::kNotIn) {
      const Value* right = run(operand, room);
      if (right == nullptr) return nullptr;
      return check(apply_comparison(how, left, *right, holds), node) ? right : nullptr;
    }
    bool found = false;
    for (const auto& item : operand.children) {
      const Value* candidate = run(*item, room);
      if (candidate == nullptr) return nullptr;
      found = found || same_value(left, *candidate);
    }
    holds = found == (how == Comparison::kIn);
    return &room;
  }

  const Expression& expression_;
  const NameSource& names_;
  EvaluationError& error_;
};

}  // namespace

bool evaluate_tree(const Expression& expression, const ExpressionNode& node,
                   const NameSource& names, Value& out, EvaluationError& error) {
  const Value* found = TreeEvaluator(expression, names, error).run(node, out);
  if (found != nullptr && found != &out) out = *found;
  return found != nullptr;
}

}  // namespace tuner::detail
