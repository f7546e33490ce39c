// Makes nodes, and resolves tuples, any() and all() into what every walker of a tree knows.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/expression/parser.h"

namespace tuner::detail {
namespace {

constexpr int kMostCopies = 200000;  // copies of copies would grow without end

bool is_membership(Comparison how) { return how == Comparison::kIn || how == Comparison::kNotIn; }

}  // namespace

Node TreeBuilder::fail(std::string message, std::size_t offset, std::string suggestion) {
  if (!error_) error_ = SyntaxError{std::move(message), offset, std::move(suggestion)};
  return nullptr;
}

Node TreeBuilder::too_deep(std::size_t offset) {
  return fail(fmt::format("nested deeper than {} levels", max_depth_), offset);
}

Node TreeBuilder::misplaced(const ExpressionNode& list) {
  return fail("a list may only follow 'in'", list.offset);
}

Node TreeBuilder::make_of(Op op, std::size_t offset, std::vector<Node> children) {
  if (error_) return nullptr;
  auto node = std::make_unique<ExpressionNode>();
  node->op = op;
  node->offset = offset;
  for (const Node& child : children) {
    node->depth = std::max(node->depth, child->depth + 1);
    const bool may_hold_lists = op == Op::kCompare || op == Op::kList;
    if (child->op == Op::kList && !may_hold_lists) return misplaced(*child);
  }
  node->children = std::move(children);
  if (node->depth > max_depth_) return too_deep(offset);
  return node;
}

Node TreeBuilder::comparison(std::size_t offset, std::vector<Node> operands,
                             std::vector<Comparison> how) {
  if (error_) return nullptr;
  if (operands.front()->op == Op::kList) {
    if (how.size() == 1) return tuples(offset, std::move(operands), how.front());
    return fail("a tuple is compared with one other or one list", operands.front()->offset);
  }
  refuse_lists(operands, how);
  Node node = make_of(Op::kCompare, offset, std::move(operands));
  if (node) node->comparisons = std::move(how);
  return node;
}

void TreeBuilder::refuse_lists(const std::vector<Node>& operands,
                               const std::vector<Comparison>& how) {
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i]->op != Op::kList) continue;
    if (!is_membership(how[i - 1])) misplaced(*operands[i]);
    for (const Node& item : operands[i]->children) {
      if (item->op != Op::kList) continue;
      fail("only a tuple is compared with a tuple, as in (A, B) in [(1, 2)]", item->offset);
    }
  }
}

// Builds a comparison of tuples. All values are looked at before the first is compared, as in
// Python.
Node TreeBuilder::tuples(std::size_t offset, std::vector<Node> operands, Comparison how) {
  const ExpressionNode& left = *operands[0];
  const bool member = is_membership(how);
  const bool equality = how == Comparison::kEq || how == Comparison::kNe;
  if (operands[1]->op != Op::kList || (!member && !equality)) {
    return fail("a tuple is compared with tuples, by 'in', 'not in', '==' or '!='", left.offset);
  }
  std::vector<Node> rows;
  if (member) {
    rows = std::vector<Node>(std::move(operands[1]->children));
  } else {
    rows.push_back(std::move(operands[1]));
  }
  std::vector<Node> all;
  for (const Node& item : left.children) look_at(*item, all);
  std::vector<Node> equal;
  for (const Node& row : rows) {
    if (row->op != Op::kList || row->children.size() != left.children.size()) {
      return fail(fmt::format("expected a tuple of {} values", left.children.size()), row->offset);
    }
    for (const Node& item : row->children) look_at(*item, all);
    equal.push_back(equal_tuples(left, *row));
    if (error_) return nullptr;
  }
  const bool inside = how == Comparison::kIn || how == Comparison::kEq;
  Node found = truths(offset, inside ? Comparison::kIn : Comparison::kNotIn, std::move(equal));
  if (all.empty() || error_) return found;
  all.push_back(std::move(found));
  return make_of(Op::kAnd, offset, std::move(all));
}

Node TreeBuilder::equal_tuples(const ExpressionNode& left, const ExpressionNode& right) {
  std::vector<Node> parts;
  for (std::size_t i = 0; i < left.children.size(); ++i) {
    parts.push_back(
        compared(right.offset, copy(*left.children[i]), Comparison::kEq, copy(*right.children[i])));
    if (error_) return nullptr;
  }
  return parts.size() == 1 ? std::move(parts[0])
                           : make_of(Op::kAnd, right.offset, std::move(parts));
}

// "x not in []" is true wherever x has a value.
void TreeBuilder::look_at(const ExpressionNode& item, std::vector<Node>& all) {
  if (item.op == Op::kList) misplaced(item);
  if (item.op == Op::kConstant || error_) return;
  Node looked = compared(item.offset, copy(item), Comparison::kNotIn, make(Op::kList, item.offset));
  if (looked) all.push_back(std::move(looked));
}

Node TreeBuilder::compared(std::size_t offset, Node left, Comparison how, Node right) {
  if (error_) return nullptr;
  Node node = make(Op::kCompare, offset, std::move(left), std::move(right));
  if (node) node->comparisons = {how};
  return node;
}

// True in [items], or True not in [items].
Node TreeBuilder::truths(std::size_t offset, Comparison how, std::vector<Node> items) {
  Node yes = make(Op::kConstant, offset);
  Node list = make_of(Op::kList, offset, std::move(items));
  if (error_) return nullptr;
  yes->value = true;
  return compared(offset, std::move(yes), how, std::move(list));
}

// any([a, b]) is True in [not not a, not not b], all([a, b]) is True not in [not a, not b]: as in
// Python all items have a value, or the whole has none.
Node TreeBuilder::truth_of_all(Op op, std::size_t offset, std::vector<Node> items) {
  for (Node& item : items) {
    if (error_) return nullptr;
    const std::size_t at = item->offset;
    item = make(Op::kNot, at, std::move(item));
    if (op == Op::kOr && item) item = make(Op::kNot, at, std::move(item));
  }
  if (error_) return nullptr;
  return truths(offset, op == Op::kOr ? Comparison::kIn : Comparison::kNotIn, std::move(items));
}

Node TreeBuilder::copy(const ExpressionNode& node) {
  if (++copies_ > kMostCopies) return fail("these are too many tuples", node.offset);
  auto twin = std::make_unique<ExpressionNode>();
  twin->op = node.op;
  twin->offset = node.offset;
  twin->depth = node.depth;
  twin->value = node.value;
  twin->name = node.name;
  twin->comparisons = node.comparisons;
  for (const Node& child : node.children) {
    twin->children.push_back(copy(*child));
    if (error_) return nullptr;
  }
  return twin;
}

}  // namespace tuner::detail
