// Python's arithmetic, comparison and functions on values. What whole numbers, comparisons and
// rounding are is written once, in numbers.hpp, which is also a part of every exported header. Of
// powers, logarithms and quotients of fractions the header has to be content with what can be a
// constant expression; here they are those of the C library.

#include <fmt/format.h>

#include <cmath>

#include "tuner/expression/expression_tree.h"
#include "tuner/expression/parser.h"

#define TUNER_FN constexpr
namespace tuner::python::detail {
#include "tuner/expression/numbers.hpp"
}
#undef TUNER_FN

namespace tuner::detail {
namespace {

using python::detail::num;

constexpr const char* kOverflow = "the result does not fit in 64 bits";
constexpr const char* kZero = "division by zero";

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }

// Booleans count as integers. Text is no number.
num number_of(const Value& value) {
  if (const bool* b = std::get_if<bool>(&value)) return num(*b);
  if (const auto* i = std::get_if<std::int64_t>(&value)) return num(static_cast<long long>(*i));
  if (const auto* d = std::get_if<double>(&value)) return num(*d);
  return num();
}

Fault text_fault(Op op, const Value& culprit) {
  return fmt::format("'{}' takes numbers, not the text '{}'", symbol_of(op), to_text(culprit));
}

Fault float_fault(Op op, const Value& culprit) {
  return fmt::format("'{}' takes integers, not the float {}", symbol_of(op), to_text(culprit));
}

Fault float_power(double base, double exponent, Value& out) {
  if (base == 0 && exponent < 0) return kZero;
  if (base < 0 && std::isfinite(exponent) && exponent != std::floor(exponent)) {
    return "a negative number to a fractional power is not a real number";
  }
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) return kOverflow;
  out = result;
  return {};
}

bool is_analytic(Op op) { return op >= Op::kLog2 && op <= Op::kSqrt; }

Fault analytic(Op op, double a, Value& out) {
  if (op == Op::kExp) {
    const double result = std::exp(a);
    if (std::isinf(result) && !std::isinf(a)) return kOverflow;
    out = result;
    return {};
  }
  if (op == Op::kSqrt) {
    if (a < 0) return "sqrt of a negative number";
    out = std::sqrt(a);
    return {};
  }
  if (!(a > 0)) return std::string(symbol_of(op)) + " of a number that is not positive";
  out = op == Op::kLog2 ? std::log2(a) : std::log(a);
  return {};
}

// Finds the reason why there is no result, which numbers.hpp does not give. At least one operand is
// a number.
Fault fault_of(Op op, const num& a, const num& b, const Value& left, const Value& right) {
  if (op >= Op::kBitAnd && op <= Op::kShiftRight) {
    if (!integers(a, b))
      return float_fault(op, a.k == python::detail::kind::integer ? right : left);
    if (b.i < 0) return "a shift by a negative number";
  }
  const bool divides =
      op == Op::kDivide || op == Op::kFloorDivide || op == Op::kModulo || op == Op::kCeilDiv;
  return divides && b.as_double() == 0 ? kZero : kOverflow;
}

num unary(Op op, const num& a) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kAbs:
      return a.k == python::detail::kind::real ? num(std::fabs(a.f)) : absolute(a);
    case Op::kInvert:
      return ~a;
    case Op::kFloat:
      return as_real(a);
    case Op::kCeil:
      return ceiling(a);
    case Op::kFloor:
      return floored(a);
    case Op::kInt:
      return truncated(a);
    case Op::kRound:
      return rounded(a);
    default:
      return +a;
  }
}

num binary(Op op, const num& a, const num& b) {
  const bool fractions = !integers(a, b) && b.as_double() != 0;
  const double x = a.as_double();
  const double y = b.as_double();
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kFloorDivide:
      return fractions ? num(floor_divide(x, y)) : floor_div(a, b);
    case Op::kModulo:
      return fractions ? num(floor_modulo(x, y)) : a % b;
    case Op::kCeilDiv:
      return fractions ? python::detail::from_double(-floor_divide(-x, y)) : ceil_div(a, b);
    case Op::kBitAnd:
      return a & b;
    case Op::kBitOr:
      return a | b;
    case Op::kBitXor:
      return a ^ b;
    case Op::kShiftLeft:
      return shift_left(a, b);
    case Op::kShiftRight:
      return shift_right(a, b);
    default:
      return power(a, b);
  }
}

Value value_of(const num& a) {
  if (a.k == python::detail::kind::real) return a.f;
  return static_cast<std::int64_t>(a.i);
}

}  // namespace

double floor_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

double floor_divide(double a, double b) {
  // By the remainder, as Python does: floor(a / b) is one too high when a / b rounds up.
  const double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? floored + 1 : floored;
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  const int order = python::detail::order(number_of(left), number_of(right));
  if (order == 2) return std::partial_ordering::unordered;
  return order <=> 0;
}

Fault apply_unary(Op op, const Value& operand, Value& out) {
  if (is_text(operand)) return text_fault(op, operand);
  const num a = number_of(operand);
  if (is_analytic(op)) return analytic(op, a.as_double(), out);
  const num result = unary(op, a);
  if (!result.ok()) return op == Op::kInvert ? float_fault(op, operand) : kOverflow;
  out = value_of(result);
  return {};
}

Fault apply_binary(Op op, const Value& left, const Value& right, Value& out) {
  if (is_text(left)) return text_fault(op, left);
  if (is_text(right)) return text_fault(op, right);
  const num a = number_of(left);
  const num b = number_of(right);
  if (op == Op::kPower && (!integers(a, b) || b.i < 0)) {
    return float_power(a.as_double(), b.as_double(), out);
  }
  const num result = binary(op, a, b);
  if (!result.ok()) return fault_of(op, a, b, left, right);
  out = value_of(result);
  const bool bits = op >= Op::kBitAnd && op <= Op::kBitXor;
  if (bits && std::holds_alternative<bool>(left) && std::holds_alternative<bool>(right)) {
    out = result.truth();
  }
  return {};
}

Fault apply_comparison(Comparison how, const Value& left, const Value& right, bool& out) {
  if (how == Comparison::kEq || how == Comparison::kNe) {
    out = same_value(left, right) == (how == Comparison::kEq);
    return {};
  }
  if (is_text(left) != is_text(right)) {
    const Value& text = is_text(left) ? left : right;
    return "text and numbers have no order ('" + to_text(text) + "')";
  }
  const std::partial_ordering order =
      is_text(left)
          ? std::partial_ordering(std::get<std::string>(left) <=> std::get<std::string>(right))
          : compare_numbers(left, right);
  if (how == Comparison::kLt) out = order < 0;
  if (how == Comparison::kLe) out = order <= 0;
  if (how == Comparison::kGt) out = order > 0;
  if (how == Comparison::kGe) out = order >= 0;
  return {};
}

}  // namespace tuner::detail
