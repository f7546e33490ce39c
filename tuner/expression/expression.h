#pragma once
// The expression language of study files: a typed, side-effect-free subset of Python's.
//
//   + - * / // % ** ; & | ^ ~ << >> ; chained comparisons ; and or not ; x if c else y ;
//   in [..] / not in [..] ; min max abs ceil_div ceil floor log2 int float round pow ;
//   integers, floats, strings, True/False (true/false).
// "/" is true division, "//" floors, "%" has the sign of the divisor, as in Python.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/expected.h"
#include "tuner/expression/value.h"

namespace tuner {

// Why an expression has no value: overflow, division by zero, a type that does not fit, an unbound
// name. `offset` is a byte offset into the expression's text.
struct EvaluationError {
  std::string message;
  std::size_t offset = 0;
};

namespace detail {
struct ExpressionNode;
}

class Expression {
 public:
  Expression() = default;

  // Parses `text`. A syntax error, or nesting deeper than kMaxDepth, is a Complaint whose position
  // is `origin` moved right by the offset of the fault (one line assumed).
  static Expected<Expression, Complaint> parse(std::string_view text, Position origin = {});

  // Parses text that is known to be right (tests, built-in defaults). Throws InputError.
  static Expression parse_or_throw(std::string_view text);

  Expected<Value, EvaluationError> evaluate(const Bindings& names) const;

  // Every free name, each once, in order of first use; dotted names whole.
  const std::vector<std::string>& names() const { return names_; }
  // Byte offset of the first use of names()[i].
  const std::vector<std::size_t>& name_offsets() const { return name_offsets_; }

  const std::string& text() const { return text_; }
  const Position& origin() const { return origin_; }
  bool empty() const { return root_ == nullptr; }

  // The syntax tree, for those who compile it (search space, header export).
  const detail::ExpressionNode* root() const { return root_.get(); }

  static constexpr int kMaxDepth = 200;

 private:
  std::string text_;
  Position origin_;
  std::vector<std::string> names_;
  std::vector<std::size_t> name_offsets_;
  std::shared_ptr<const detail::ExpressionNode> root_;
};

// Python's truth: zero, 0.0, False and "" are false.
bool truth(const Value& value);

}  // namespace tuner
