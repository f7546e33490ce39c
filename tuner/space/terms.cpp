// Builds the graph of terms, bounds every term, and simplifies what the bounds decide.

#include "tuner/space/terms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tuner/base/hash.h"
#include "tuner/expression/expression_tree.h"

namespace tuner::detail {
namespace {

constexpr double kFault = std::numeric_limits<double>::quiet_NaN();

double power_term(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kFault;  // std::pow knows better for x ** 0
  if (a == 0 && b < 0) return kFault;
  if (a < 0 && b != std::floor(b)) return kFault;
  return std::pow(a, b);
}

double bits_term(TermOp op, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return kFault;
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  return static_cast<double>(op == TermOp::kBitAnd ? x & y : op == TermOp::kBitOr ? x | y : x ^ y);
}

}  // namespace

double apply_term(TermOp op, double a, double b, double c) {
  switch (op) {
    case TermOp::kNegate:
      return -a;
    case TermOp::kAbs:
      return std::fabs(a);
    case TermOp::kCeil:
      return std::ceil(a);
    case TermOp::kFloor:
      return std::floor(a);
    case TermOp::kTruncate:
      return std::trunc(a);
    case TermOp::kRound:
      return std::nearbyint(a);
    case TermOp::kLog2:
      return a > 0 ? std::log2(a) : kFault;
    case TermOp::kLog:
      return a > 0 ? std::log(a) : kFault;
    case TermOp::kExp:
      return std::exp(a);
    case TermOp::kSqrt:
      return a < 0 ? kFault : std::sqrt(a);
    case TermOp::kNot:
      return std::isnan(a) ? a : static_cast<double>(a == 0);
    case TermOp::kDivide:
      return b == 0 ? kFault : a / b;
    case TermOp::kFloorDivide:
      return b == 0 ? kFault : floor_divide(a, b);
    case TermOp::kModulo:
      return b == 0 ? kFault : floor_modulo(a, b);
    case TermOp::kCeilDivide:
      return b == 0 ? kFault : -floor_divide(-a, b);
    case TermOp::kPower:
      return power_term(a, b);
    case TermOp::kBitAnd:
    case TermOp::kBitOr:
    case TermOp::kBitXor:
      return bits_term(op, a, b);
    case TermOp::kSum:
      return a + b;
    case TermOp::kProduct:
      return a * b;
    case TermOp::kMin:
      return std::isnan(a) || a <= b ? a : b;
    case TermOp::kMax:
      return std::isnan(a) || a >= b ? a : b;
    case TermOp::kAnd:
      return a == 1 ? b : a;
    case TermOp::kOr:
      return a == 0 ? b : a;
    case TermOp::kSelect:
      return std::isnan(a) ? a : (a != 0 ? b : c);
    default:
      break;
  }
  if (std::isnan(a) || std::isnan(b)) return kFault;
  if (op == TermOp::kEqual) return a == b ? 1 : 0;
  if (op == TermOp::kNotEqual) return a != b ? 1 : 0;
  if (op == TermOp::kLess) return a < b ? 1 : 0;
  return a <= b ? 1 : 0;
}

// The term that is there already, or a new one. Equal terms are one, so that whatever is computed
// for a term, registers and keys included, is computed once however often the study writes it.
TermId TermGraph::intern(Term term, std::span<const TermId> args) {
  std::uint64_t hash = splitmix64(static_cast<std::uint64_t>(term.op) << 32 | term.payload);
  for (TermId arg : args) hash = splitmix64(hash ^ arg);
  if (args.empty()) hash = splitmix64(hash ^ std::bit_cast<std::uint64_t>(term.lo));
  const TermId id = index_.insert(hash, [&](TermId at) {
    const Term& other = terms_[at];
    const bool leaf_equal = !args.empty() || (std::bit_cast<std::uint64_t>(other.lo) ==
                                                  std::bit_cast<std::uint64_t>(term.lo) &&
                                              other.text == term.text);
    return other.op == term.op && other.payload == term.payload && leaf_equal &&
           std::ranges::equal(this->args(at), args);
  });
  if (id < terms_.size()) return id;
  term.args_begin = static_cast<std::uint32_t>(args_.size());
  term.args_count = static_cast<std::uint32_t>(args.size());
  if (!args.empty()) term.first = std::numeric_limits<std::int32_t>::max();
  for (TermId arg : args) {
    if (is_constant(arg)) continue;
    term.first = std::min(term.first, terms_[arg].first);
    term.last = std::max(term.last, terms_[arg].last);
  }
  args_.insert(args_.end(), args.begin(), args.end());  // callers never pass a part of args_
  terms_.push_back(term);
  return id;
}

TermId TermGraph::constant(double value, bool text) {
  if (text || (value != 0 && value != 1)) return new_constant(value, text);
  TermId& known = value == 0 ? zero_ : one_;
  if (known == kNoTerm) known = new_constant(value, false);
  return known;
}

TermId TermGraph::new_constant(double value, bool text) {
  if (std::isnan(value)) return fault();
  if (!(std::fabs(value) <= 1e300)) return kNoTerm;
  Term term;
  term.integral = value == std::floor(value);
  if (term.integral && std::fabs(value) > kLimit) return kNoTerm;
  term.boolean = value == 0 || value == 1;
  term.text = text;
  term.first = -1;
  term.lo = term.hi = value == 0 ? 0.0 : value;
  return intern(term, {});
}

TermId TermGraph::fault() {
  Term term;
  term.may_fault = true;
  term.first = -1;
  term.lo = term.hi = kFault;
  return intern(term, {});
}

TermId TermGraph::variable(std::uint32_t parameter, std::int32_t level, double lo, double hi,
                           bool integral, bool text) {
  if (!(lo >= -1e300 && hi <= 1e300) || (integral && (lo < -kLimit || hi > kLimit))) return kNoTerm;
  Term term;
  term.op = TermOp::kVariable;
  term.payload = parameter;
  term.first = term.last = level;
  term.lo = lo;
  term.hi = hi;
  term.integral = integral;
  term.boolean = integral && !text && lo >= 0 && hi <= 1;
  term.text = text;
  return intern(term, {});
}

TermId TermGraph::position(std::uint32_t parameter, std::int32_t level, double count) {
  Term term;
  term.op = TermOp::kPosition;
  term.payload = parameter;
  term.first = term.last = level;
  term.hi = count - 1;
  term.integral = true;
  return intern(term, {});
}

TermId TermGraph::opaque(std::uint32_t rule, std::span<const TermId> positions) {
  Term term;
  term.op = TermOp::kOpaque;
  term.payload = rule;
  term.hi = 1;
  term.integral = term.boolean = term.may_fault = true;
  return intern(term, positions);
}

// Removes what the arguments make superfluous: neutral elements, roundings of whole numbers,
// comparisons that the bounds decide. kNoTerm: there is nothing to remove. An argument that may
// fail must not be lost, since then the whole has no value: "x and false" is false only if x always
// has a value.
TermId TermGraph::simplify(TermOp op, std::span<const TermId> args) {
  const auto term = [&](std::size_t i) -> const Term& { return terms_[args[i]]; };
  if ((op == TermOp::kAnd || op == TermOp::kOr) && args.size() == 2) {
    const double neutral = op == TermOp::kAnd ? 1 : 0;
    if (is_constant(args[0])) return term(0).lo == neutral ? args[1] : args[0];
    if (is_constant(args[1]) && term(1).lo == neutral) return args[0];
    if (is_constant(args[1]) && term(1).lo == 1 - neutral && !term(0).may_fault) return args[1];
    if (args[0] == args[1]) return args[0];
    return kNoTerm;
  }
  if (op == TermOp::kSelect) {
    if (is_constant(args[0])) return term(0).may_fault ? args[0] : args[term(0).lo != 0 ? 1 : 2];
    return kNoTerm;
  }
  if (op == TermOp::kProduct && args.size() == 2) {
    if (is_constant(args[0]) && term(0).lo == 1) return args[1];
    if (is_constant(args[1]) && term(1).lo == 1) return args[0];
  }
  if (op == TermOp::kSum && args.size() == 2) {
    if (is_constant(args[0]) && term(0).lo == 0) return args[1];
    if (is_constant(args[1]) && term(1).lo == 0) return args[0];
  }
  const bool rounding = op == TermOp::kCeil || op == TermOp::kFloor || op == TermOp::kTruncate ||
                        op == TermOp::kRound;
  if (rounding && term(0).integral) return args[0];
  if (!is_comparison(op) || term(0).may_fault || term(1).may_fault) return kNoTerm;
  const Term& a = term(0);
  const Term& b = term(1);
  const bool apart = a.hi < b.lo || b.hi < a.lo;
  if (op == TermOp::kEqual && apart) return constant(0);
  if (op == TermOp::kNotEqual && apart) return constant(1);
  if (op == TermOp::kLess && a.hi < b.lo) return constant(1);
  if (op == TermOp::kLess && a.lo >= b.hi) return constant(0);
  if (op == TermOp::kLessEqual && a.hi <= b.lo) return constant(1);
  if (op == TermOp::kLessEqual && a.lo > b.hi) return constant(0);
  return kNoTerm;
}

TermId TermGraph::fold(TermOp op, std::span<const TermId> args) {
  const auto value = [&](std::size_t i) { return terms_[args[i]].lo; };
  // Not for NaN, which is no condition.
  if (op == TermOp::kSelect && value(0) == value(0)) return args[value(0) != 0 ? 1 : 2];
  return constant(apply_term(op, args.size(), value));
}

TermId TermGraph::make(TermOp op, std::span<const TermId> args) {
  if (std::ranges::find(args, kNoTerm) != args.end()) return kNoTerm;
  if (args.size() == 1 && op >= TermOp::kSum && op <= TermOp::kOr) return args[0];
  if (std::ranges::all_of(args, [&](TermId a) { return is_constant(a); })) return fold(op, args);
  const TermId simple = simplify(op, args);
  if (simple != kNoTerm) return simple;
  Term term;
  term.op = op;
  for (TermId arg : args) term.may_fault = term.may_fault || terms_[arg].may_fault;
  if (!bound(term, args)) return kNoTerm;
  if (!(term.lo >= -1e300 && term.hi <= 1e300)) return kNoTerm;
  if (term.integral && (term.lo < -kLimit || term.hi > kLimit)) return kNoTerm;
  return intern(term, args);
}

// ---- bounds of a term, from the bounds of its arguments -----------------------------------------
//
// Rounding is monotone, so the bounds of floating-point terms are those of the corners. False means
// that no bounds can be given in which doubles are exact.

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
  if (term.op >= TermOp::kLog2 && term.op <= TermOp::kSqrt) return bound_analytic(term, a);
  if (args.size() == 1) return bound_unary(term, a);
  if (term.op >= TermOp::kBitAnd && term.op <= TermOp::kBitXor) {
    return bound_bits(term, a, terms_[args[1]]);
  }
  return bound_quotient(term, a, terms_[args[1]]);
}

bool TermGraph::bound_unary(Term& term, const Term& a) const {
  term.integral = a.integral;
  const double low = apply_term(term.op, a.lo, 0, 0);
  const double high = apply_term(term.op, a.hi, 0, 0);
  term.lo = std::min(low, high);
  term.hi = std::max(low, high);
  if (term.op == TermOp::kAbs && a.lo < 0 && a.hi > 0) term.lo = 0;
  if (term.op != TermOp::kNegate && term.op != TermOp::kAbs) term.integral = true;
  return true;
}

// Bounds functions that rise. The C library rounds their values one by one: the bounds leave room
// for that.
bool TermGraph::bound_analytic(Term& term, const Term& a) {
  constexpr double kRoom = 1e-14;
  const bool logarithm = term.op == TermOp::kLog2 || term.op == TermOp::kLog;
  if (logarithm && a.lo <= 0 && !a.integral) return false;
  const double least = logarithm ? (a.integral ? 1.0 : a.lo) : term.op == TermOp::kSqrt ? 0 : a.lo;
  term.may_fault = term.may_fault || a.lo < least;
  term.lo = apply_term(term.op, std::max(a.lo, least), 0, 0);
  term.hi = apply_term(term.op, std::max(a.hi, least), 0, 0);
  term.lo -= std::fabs(term.lo) * kRoom;
  term.hi += std::fabs(term.hi) * kRoom;
  return true;
}

bool TermGraph::bound_bits(Term& term, const Term& a, const Term& b) {
  const double reach = std::max({std::fabs(a.lo), std::fabs(a.hi), std::fabs(b.lo), b.hi});
  const double ones = std::exp2(std::bit_width(static_cast<std::uint64_t>(reach))) - 1;
  const bool signless = a.lo >= 0 && b.lo >= 0;
  term.integral = true;
  term.boolean = a.boolean && b.boolean;
  term.lo = signless ? 0 : -ones - 1;
  term.hi = ones;
  if (term.op != TermOp::kBitAnd) return true;
  for (const Term* side : {&a, &b}) {
    if (side->lo < 0) continue;
    term.lo = 0;
    term.hi = std::min(term.hi, side->hi);
  }
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
