#pragma once
// The value of a parameter or an expression: boolean, integer, float or text.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tuner {

using Value = std::variant<bool, std::int64_t, double, std::string>;

// "true", "64", "0.5", "static": shortest text that reads back as the same value.
std::string to_text(const Value& value);

// Writes a value as it stands in an expression, text in quotes.
std::string to_literal(const Value& value);

// The value as a number, true being 1. Text has none: returns NaN.
double to_number(const Value& value);

// Python's ==: 1 == 1.0 == True, text only equals text.
bool same_value(const Value& a, const Value& b);

// Names with values. Dotted names ("device.max_threads_per_block") are ordinary names.
using Bindings = std::map<std::string, Value, std::less<>>;

}  // namespace tuner
