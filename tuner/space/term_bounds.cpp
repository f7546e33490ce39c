// Bounds of a term from the bounds of its arguments. Rounding is monotone, so the bounds of
// floating-point terms are those of the corners.

#include <algorithm>
#include <cmath>

#include "tuner/space/terms.h"

namespace tuner::detail {

bool TermGraph::bound(Term& term, std::span<const TermId> args) const {
  const Term& a = terms_[args[0]];
  if (is_comparison(term.op) || term.op == TermOp::kNot || term.op == TermOp::kAnd ||
      term.op == TermOp::kOr) {
    term.integral = term.boolean = true;
    term.hi = 1;
    return true;
  }
  if (term.op == TermOp::kSelect) {
    const Term& b = terms_[args[1]];
    const Term& c = terms_[args[2]];
    if (b.text != c.text) return false;
    term.lo = std::min(b.lo, c.lo);
    term.hi = std::max(b.hi, c.hi);
    term.integral = b.integral && c.integral;
    term.boolean = b.boolean && c.boolean;
    term.text = b.text;
    return true;
  }
  if (term.op >= TermOp::kSum && term.op <= TermOp::kMax) return bound_variadic(term, args);
  if (args.size() == 1) return bound_unary(term, a);
  return bound_quotient(term, a, terms_[args[1]]);
}

bool TermGraph::bound_unary(Term& term, const Term& a) const {
  term.integral = a.integral;
  if (term.op == TermOp::kLog2) {
    if (a.lo <= 0 && !a.integral) return false;
    term.may_fault = term.may_fault || a.lo <= 0;
    term.lo = std::log2(std::max(a.lo, a.integral ? 1.0 : a.lo));
    term.hi = std::max(term.lo, std::log2(std::max(a.hi, 1.0)));
    term.integral = false;
    return true;
  }
  const double low = apply_term(term.op, a.lo, 0, 0);
  const double high = apply_term(term.op, a.hi, 0, 0);
  term.lo = std::min(low, high);
  term.hi = std::max(low, high);
  if (term.op == TermOp::kAbs && a.lo < 0 && a.hi > 0) term.lo = 0;
  if (term.op != TermOp::kNegate && term.op != TermOp::kAbs) term.integral = true;
  return true;
}

bool TermGraph::bound_quotient(Term& term, const Term& a, const Term& b) const {
  const double reach = std::max(std::fabs(a.lo), std::fabs(a.hi));
  const bool through_zero = b.lo <= 0 && b.hi >= 0;
  term.integral = a.integral && b.integral;
  if (term.op == TermOp::kPower) {
    if (a.lo < 0 || b.lo < 0) return false;
    term.lo = 0;
    term.hi = std::max(1.0, std::pow(std::max(1.0, a.hi), b.hi));
    return true;
  }
  if (through_zero) term.may_fault = true;
  if (through_zero && !b.integral) return false;
  if (term.op == TermOp::kModulo) {
    term.lo = std::min(0.0, b.lo);
    term.hi = std::max(0.0, b.hi);
    if (term.integral && b.lo >= 0) term.hi = std::max(0.0, b.hi - 1);
    if (a.lo >= 0 && b.lo >= 0) term.hi = std::min(term.hi, a.hi);
    return true;
  }
  term.lo = -reach;
  term.hi = reach;
  if (!through_zero) {
    const double corners[] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
    term.lo = *std::min_element(corners, corners + 4);
    term.hi = *std::max_element(corners, corners + 4);
  }
  if (term.op == TermOp::kDivide) {
    term.integral = false;
    return true;
  }
  // Floating operands too have a whole quotient; one more on each side covers rounding.
  term.lo = std::floor(term.lo) - (term.integral ? 0 : 1);
  term.hi = std::ceil(term.hi) + (term.integral ? 0 : 1);
  term.integral = true;
  return true;
}

bool TermGraph::bound_variadic(Term& term, std::span<const TermId> args) const {
  term.integral = true;
  double magnitude = term.op == TermOp::kProduct ? 1 : 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Term& arg = terms_[args[i]];
    term.integral = term.integral && arg.integral;
    const double reach = std::max(std::fabs(arg.lo), std::fabs(arg.hi));
    if (term.op == TermOp::kProduct) magnitude *= std::max(1.0, reach);
    if (term.op == TermOp::kSum) magnitude += reach;
    if (i == 0) {
      term.lo = arg.lo;
      term.hi = arg.hi;
    } else if (term.op == TermOp::kSum) {
      term.lo += arg.lo;
      term.hi += arg.hi;
    } else if (term.op == TermOp::kProduct) {
      const double corners[] = {term.lo * arg.lo, term.lo * arg.hi, term.hi * arg.lo,
                                term.hi * arg.hi};
      term.lo = *std::min_element(corners, corners + 4);
      term.hi = *std::max_element(corners, corners + 4);
    } else {
      const bool is_min = term.op == TermOp::kMin;
      term.lo = is_min ? std::min(term.lo, arg.lo) : std::max(term.lo, arg.lo);
      term.hi = is_min ? std::min(term.hi, arg.hi) : std::max(term.hi, arg.hi);
    }
  }
  // Every partial sum or product must be exact, in whatever order it is formed.
  return magnitude <= (term.integral ? kLimit : 1e300);
}

}  // namespace tuner::detail
