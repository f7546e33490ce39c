// Parses and evaluates expressions.

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
