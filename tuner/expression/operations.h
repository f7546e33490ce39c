#pragma once
// Python's arithmetic on values: the one definition of what +, //, %, ... mean here.

#include <compare>
#include <string>

#include "tuner/expression/expression_tree.h"
#include "tuner/expression/value.h"

namespace tuner::detail {

// Empty on success; else why there is no result (`out` is then unspecified).
using Fault = std::string;

Fault apply_unary(Op op, const Value& operand, Value& out);
Fault apply_binary(Op op, const Value& left, const Value& right, Value& out);

// kEq ... kGe. Equality of text and number is false; their order is a fault.
Fault apply_comparison(Comparison how, const Value& left, const Value& right, bool& out);

// Exact also where an integer has no equal double. Neither side may be text.
std::partial_ordering compare_numbers(const Value& left, const Value& right);

// Floored division and modulo with the divisor's sign. b != 0.
double floor_divide(double a, double b);
double floor_modulo(double a, double b);

}  // namespace tuner::detail
