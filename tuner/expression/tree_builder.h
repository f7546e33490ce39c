#pragma once
// Makes nodes of syntax trees, lists and tuples among them, and keeps the first mistake.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/expression/expression_tree.h"
#include "tuner/expression/parser.h"

namespace tuner::detail {

using Node = std::unique_ptr<ExpressionNode>;

// After a mistake everything is null.
class TreeBuilder {
 public:
  explicit TreeBuilder(int max_depth) : max_depth_(max_depth) {}

  const std::optional<SyntaxError>& error() const { return error_; }
  Node fail(std::string message, std::size_t offset, std::string suggestion = {});
  Node too_deep(std::size_t offset);
  Node misplaced(const ExpressionNode& list);

  template <typename... Children>
  Node make(Op op, std::size_t offset, Children... children) {
    std::vector<Node> all;
    (all.push_back(std::move(children)), ...);
    return make_of(op, offset, std::move(all));
  }
  Node make_of(Op op, std::size_t offset, std::vector<Node> children);

  // operands[i] how[i] operands[i + 1]. A list may be what stands behind "in". With one in front,
  // (a, b) in [(1, 2), (3, 4)] is made True in [a == 1 and b == 2, a == 3 and b == 4], so that
  // nobody who walks a tree meets a tuple.
  Node comparison(std::size_t offset, std::vector<Node> operands, std::vector<Comparison> how);
  // any() and all() of the items: kOr and kAnd.
  Node truth_of_all(Op op, std::size_t offset, std::vector<Node> items);

 private:
  void refuse_lists(const std::vector<Node>& operands, const std::vector<Comparison>& how);
  Node tuples(std::size_t offset, std::vector<Node> operands, Comparison how);
  Node equal_tuples(const ExpressionNode& left, const ExpressionNode& right);
  void look_at(const ExpressionNode& item, std::vector<Node>& all);
  Node compared(std::size_t offset, Node left, Comparison how, Node right);
  Node truths(std::size_t offset, Comparison how, std::vector<Node> items);
  Node copy(const ExpressionNode& node);

  int max_depth_;
  int copies_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace tuner::detail
