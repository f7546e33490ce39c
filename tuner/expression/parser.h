#pragma once
// Text to tokens, and tokens to a syntax tree.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/expression/expression_tree.h"
#include "tuner/expression/value.h"

namespace tuner::detail {

struct Token {
  enum class Kind { kLiteral, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // of names, keywords and symbols
  Value value;       // of literals
  std::size_t offset = 0;
};

struct SyntaxError {
  std::string message;
  std::size_t offset = 0;
  std::string suggestion;
};

// Ends with a kEnd token. Keywords (and, or, not, if, else, in) are symbols.
Expected<std::vector<Token>, SyntaxError> tokenize(std::string_view text);

// Restrictions that were pasted from Python: "lambda p: p['X'] is not True" as "X != True", and
// math.sqrt as sqrt. What means something else here is an error.
Expected<std::vector<Token>, SyntaxError> without_python(std::vector<Token> tokens);

struct ParsedExpression {
  std::unique_ptr<ExpressionNode> root;
  std::vector<std::string> names;         // free names in order of first use
  std::vector<std::size_t> name_offsets;  // of the first use
};

// Returns an operator's or a function's spelling in expressions.
std::string_view symbol_of(Op op);

// Trees deeper than `max_depth` are an error: everything that walks a tree recurses.
Expected<ParsedExpression, SyntaxError> parse_expression(std::string_view text, int max_depth);

// ---- nodes --------------------------------------------------------------------------------------

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
