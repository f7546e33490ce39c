// The inner loops of compiled programs. Plain loops: the compiler makes vectors of them.

#include <cmath>
#include <limits>

#include "tuner/space/lane_program.h"

namespace tuner::detail {
namespace {

constexpr double kFault = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounder = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer

template <typename F>
void each(double* __restrict out, const double* __restrict a, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i]);
}
template <typename F>
void each(double* __restrict out, const double* a, const double* b, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
}

// a - n * b for the integer n nearest to a / b: exact, at most one b away from Python's a % b.
// A zero divisor makes it NaN by itself.
double near_remainder(double a, double b, double& n) {
  n = (a / b + kRounder) - kRounder;
  return a - n * b;
}
double wrong_sign(double r, double b) {
  const bool wrong = (r < 0 && b > 0) || (r > 0 && b < 0);
  return wrong ? 1.0 : 0.0;
}
double whole_modulo(double a, double b) {
  double n = 0;
  const double r = near_remainder(a, b, n);
  return r + wrong_sign(r, b) * b;
}
double whole_floor_divide(double a, double b) {
  double n = 0;
  const double r = near_remainder(a, b, n);
  return (n - wrong_sign(r, b)) + (r - r);
}

bool whole(double x) { return std::fabs(x) <= 0x1p51 && (x + kRounder) - kRounder == x; }

double any_modulo(double a, double b) {
  return whole(a) && whole(b) ? whole_modulo(a, b) : apply_term(TermOp::kModulo, a, b, 0);
}

template <typename F>
void compare(double* __restrict out, const double* a, const double* b, std::size_t count,
             bool may_fault, F f) {
  if (!may_fault)
    return each(out, a, b, count, [f](double x, double y) { return f(x, y) ? 1.0 : 0.0; });
  each(out, a, b, count, [f](double x, double y) {
    return std::isnan(x) || std::isnan(y) ? kFault : (f(x, y) ? 1.0 : 0.0);
  });
}

}  // namespace

void LaneProgram::apply(const Instruction& code, LaneStorage& lanes, std::size_t count) {
  double* out = lanes[code.out];
  const double* a = lanes[code.a];
  const double* b = lanes[code.b];
  switch (code.op) {
    case TermOp::kNegate:
      return each(out, a, count, [](double x) { return -x; });
    case TermOp::kNot:
      return each(out, a, count, [](double x) { return std::isnan(x) ? x : (x == 0 ? 1.0 : 0.0); });
    case TermOp::kSum:
      return each(out, a, b, count, [](double x, double y) { return x + y; });
    case TermOp::kProduct:
      return each(out, a, b, count, [](double x, double y) { return x * y; });
    case TermOp::kAnd:
      return each(out, a, b, count, [](double x, double y) { return x == 1 ? y : x; });
    case TermOp::kOr:
      return each(out, a, b, count, [](double x, double y) { return x == 0 ? y : x; });
    case TermOp::kEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x == y; });
    case TermOp::kNotEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x != y; });
    case TermOp::kLess:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x < y; });
    case TermOp::kLessEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x <= y; });
    case TermOp::kDivide:
      if (!code.may_fault) return each(out, a, b, count, [](double x, double y) { return x / y; });
      break;
    case TermOp::kModulo:
      if (code.exact) return each(out, a, b, count, whole_modulo);
      return each(out, a, b, count, any_modulo);
    case TermOp::kFloorDivide:
      if (code.exact) return each(out, a, b, count, whole_floor_divide);
      break;
    case TermOp::kCeilDivide:
      if (code.exact) {
        return each(out, a, b, count,
                    [](double x, double y) { return -whole_floor_divide(-x, y); });
      }
      break;
    case TermOp::kSelect: {
      const double* c = lanes[code.c];
      for (std::size_t i = 0; i < count; ++i)
        out[i] = apply_term(TermOp::kSelect, a[i], b[i], c[i]);
      return;
    }
    default:
      break;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = apply_term(code.op, a[i], b[i], 0);
}

}  // namespace tuner::detail
