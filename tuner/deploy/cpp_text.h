#pragma once
// Pieces of C++ source text: names, literals, expressions.

#include <functional>
#include <string>
#include <string_view>

#include "tuner/expression/expression.h"
#include "tuner/expression/value.h"

namespace tuner {

// `text` as an identifier: other characters become '_', keywords get one appended.
std::string cpp_identifier(std::string_view text);

// `text` between quotes, escaped; plain ASCII whatever it holds.
std::string cpp_string(std::string_view text);

// A literal of the value's C++ type (bool, long long, double, const char*).
std::string cpp_literal(const Value& value);

// How names of expressions are spelt in C++.
struct CppNames {
  std::function<std::string(const std::string& name)> number;  // of type `num`
  // Prints, as a bool, whether the name has that text for its value. Empty: nothing is shorter than
  // a comparison of texts.
  std::function<std::string(const std::string& name, const std::string& text)> is_text;
};

// The expression in terms of the type `num` that exported headers define (expression/numbers.hpp):
// same operators, same results, same failures.
std::string cpp_expression(const Expression& expression, const CppNames& names);

}  // namespace tuner
