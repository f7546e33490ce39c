// Python's arithmetic, comparison and functions on values.

#include "tuner/expression/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace tuner::detail {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr const char* kOverflow = "the result does not fit in 64 bits";
constexpr const char* kZero = "division by zero";

bool is_text(const Value& value) { return std::holds_alternative<std::string>(value); }

// Booleans count as integers.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  if (const bool* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  return std::nullopt;
}

const char* symbol(Op op) {
  switch (op) {
    case Op::kNegate:
    case Op::kSubtract:
      return "-";
    case Op::kPlus:
    case Op::kAdd:
      return "+";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kFloorDivide:
      return "//";
    case Op::kModulo:
      return "%";
    case Op::kPower:
      return "**";
    case Op::kCeilDiv:
      return "ceil_div";
    case Op::kBitAnd:
      return "&";
    case Op::kBitOr:
      return "|";
    case Op::kBitXor:
      return "^";
    case Op::kInvert:
      return "~";
    case Op::kShiftLeft:
      return "<<";
    case Op::kShiftRight:
      return ">>";
    case Op::kAbs:
      return "abs";
    case Op::kCeil:
      return "ceil";
    case Op::kFloor:
      return "floor";
    case Op::kLog2:
      return "log2";
    case Op::kInt:
      return "int";
    case Op::kFloat:
      return "float";
    case Op::kRound:
      return "round";
    default:
      return "operator";
  }
}

Fault text_fault(Op op, const Value& culprit) {
  return std::string("'") + symbol(op) + "' takes numbers, not the text '" + to_text(culprit) + "'";
}

bool is_bitwise(Op op) { return op >= Op::kBitAnd && op <= Op::kShiftRight; }

Fault float_fault(Op op, const Value& culprit) {
  return std::string("'") + symbol(op) + "' takes integers, not the float " + to_text(culprit);
}

Fault to_integer(double rounded, Value& out) {
  // 2^63 is exact as a double; NaN fails both comparisons.
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) return kOverflow;
  out = static_cast<std::int64_t>(rounded);
  return {};
}

Fault integer_power(std::int64_t base, std::int64_t exponent, Value& out) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return kOverflow;
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return kOverflow;
  }
  out = result;
  return {};
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

Fault bits(Op op, std::int64_t a, std::int64_t b, Value& out) {
  if (op >= Op::kShiftLeft && b < 0) return "a shift by a negative number";
  if (op == Op::kBitAnd) out = a & b;
  if (op == Op::kBitOr) out = a | b;
  if (op == Op::kBitXor) out = a ^ b;
  if (op == Op::kShiftRight) out = a >> std::min<std::int64_t>(b, 63);
  if (op != Op::kShiftLeft) return {};
  for (; b > 0 && a != 0; --b) {
    if (__builtin_add_overflow(a, a, &a)) return kOverflow;
  }
  out = a;
  return {};
}

Fault integer_binary(Op op, std::int64_t a, std::int64_t b, Value& out) {
  std::int64_t result = 0;
  switch (op) {
    case Op::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return kOverflow;
      break;
    case Op::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return kOverflow;
      break;
    case Op::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return kOverflow;
      break;
    case Op::kDivide:
      if (b == 0) return kZero;
      out = static_cast<double>(a) / static_cast<double>(b);
      return {};
    case Op::kFloorDivide:
    case Op::kCeilDiv:
      if (b == 0) return kZero;
      if (a == kLowest && b == -1) return kOverflow;
      result = floor_divide(a, b);
      if (op == Op::kCeilDiv && a % b != 0) ++result;
      break;
    case Op::kModulo:
      if (b == 0) return kZero;
      result = b == -1 ? 0 : floor_modulo(a, b);
      break;
    default:  // kPower
      if (b >= 0) return integer_power(a, b, out);
      return float_power(static_cast<double>(a), static_cast<double>(b), out);
  }
  out = result;
  return {};
}

Fault float_binary(Op op, double a, double b, Value& out) {
  switch (op) {
    case Op::kAdd:
      out = a + b;
      return {};
    case Op::kSubtract:
      out = a - b;
      return {};
    case Op::kMultiply:
      out = a * b;
      return {};
    case Op::kPower:
      return float_power(a, b, out);
    default:
      break;
  }
  if (b == 0) return kZero;
  if (op == Op::kDivide) out = a / b;
  if (op == Op::kFloorDivide) out = floor_divide(a, b);
  if (op == Op::kModulo) out = floor_modulo(a, b);
  if (op == Op::kCeilDiv) return to_integer(-floor_divide(-a, b), out);
  return {};
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

std::partial_ordering compare(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto floored = static_cast<std::int64_t>(whole);
  if (a != floored) return a <=> floored;
  return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  const auto a = as_integer(left);
  const auto b = as_integer(right);
  if (a && b) return *a <=> *b;
  if (a) return compare(*a, std::get<double>(right));
  if (b) return 0 <=> compare(*b, std::get<double>(left));
  return std::get<double>(left) <=> std::get<double>(right);
}

Fault apply_unary(Op op, const Value& operand, Value& out) {
  if (is_text(operand)) return text_fault(op, operand);
  const auto integer = as_integer(operand);
  const double number = to_number(operand);
  switch (op) {
    case Op::kNegate:
      if (integer && *integer == kLowest) return kOverflow;
      out = integer ? Value(-*integer) : Value(-number);
      return {};
    case Op::kAbs:
      if (integer && *integer == kLowest) return kOverflow;
      out = integer ? Value(*integer < 0 ? -*integer : *integer) : Value(std::fabs(number));
      return {};
    case Op::kInvert:
      if (!integer) return float_fault(op, operand);
      out = ~*integer;
      return {};
    case Op::kFloat:
      out = number;
      return {};
    case Op::kLog2:
      if (!(number > 0)) return "log2 of a number that is not positive";
      out = std::log2(number);
      return {};
    case Op::kPlus:
      out = integer ? Value(*integer) : Value(number);
      return {};
    default:
      break;
  }
  if (integer) {
    out = *integer;
    return {};
  }
  if (op == Op::kCeil) return to_integer(std::ceil(number), out);
  if (op == Op::kFloor) return to_integer(std::floor(number), out);
  if (op == Op::kInt) return to_integer(std::trunc(number), out);
  return to_integer(std::nearbyint(number), out);  // kRound: ties to even, as in Python
}

Fault apply_binary(Op op, const Value& left, const Value& right, Value& out) {
  if (is_text(left)) return text_fault(op, left);
  if (is_text(right)) return text_fault(op, right);
  const auto a = as_integer(left);
  const auto b = as_integer(right);
  if (is_bitwise(op)) {
    if (!a || !b) return float_fault(op, a ? right : left);
    const Fault fault = bits(op, *a, *b, out);
    const bool both = std::holds_alternative<bool>(left) && std::holds_alternative<bool>(right);
    if (both && op <= Op::kBitXor) out = to_number(out) != 0;
    return fault;
  }
  if (a && b) return integer_binary(op, *a, *b, out);
  return float_binary(op, to_number(left), to_number(right), out);
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
