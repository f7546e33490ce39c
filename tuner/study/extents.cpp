// Reads whole numbers.

#include "tuner/study/extents.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <variant>

namespace tuner {

Expected<std::int64_t, std::string> whole_number(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag};
  if (const auto* number = std::get_if<double>(&value)) {
    constexpr double kLimit = 9.2e18;  // inside the range of 64-bit integers
    if (*number == std::floor(*number) && std::fabs(*number) < kLimit) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return Unexpected{"'" + to_text(value) + "' is not a whole number"};
}

std::optional<std::int64_t> extent_from(const std::string& text) {
  const auto expression = Expression::parse(text);
  if (!expression || text.find('^') != std::string::npos) return std::nullopt;  // see meant_by()
  const auto value = expression->evaluate({});
  if (!value || std::holds_alternative<bool>(*value)) return std::nullopt;
  const auto number = whole_number(*value);
  return number ? std::optional(*number) : std::nullopt;
}

std::string meant_by(const std::string& text) {
  static const std::map<std::string, std::string, std::less<>> kUnits{
      {"k", "1024"},   {"K", "1024"},  {"Ki", "1024"}, {"M", "2**20"},
      {"Mi", "2**20"}, {"G", "2**30"}, {"Gi", "2**30"}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits == text.size()) return {};
  std::string better;
  if (const auto unit = kUnits.find(text.substr(digits)); unit != kUnits.end()) {
    better = text.substr(0, digits) + " * " + unit->second;
  } else {
    for (const char c : text) better += c == '^' ? "**" : std::string(1, c == ',' ? '_' : c);
  }
  const auto number = better == text ? std::nullopt : extent_from(better);
  return number ? better + " is " + std::to_string(*number) : "";
}

Position place_of(const Expression& expression, const EvaluationError& error) {
  Position where = expression.origin();
  if (where.line > 0) where.column += static_cast<int>(error.offset);
  return where;
}

}  // namespace tuner
