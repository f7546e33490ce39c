// Rewrites terms for an order of parameters, so that what is known early is formed early.

#include "tuner/space/lowering.h"

#include <algorithm>

namespace tuner::detail {

TermId Lowering::lower(TermId id) {
  if (const auto found = done_.find(id); found != done_.end()) return found->second;
  const Term term = source_[id];
  TermId result = kNoTerm;
  if (term.op == TermOp::kConstant) {
    result = term.may_fault ? target_.fault() : target_.constant(term.lo, term.text);
  } else if (term.op == TermOp::kVariable) {
    result = target_.variable(term.payload, level_of_[term.payload], term.lo, term.hi,
                              term.integral, term.text);
  } else if (term.op == TermOp::kPosition) {
    result = target_.position(term.payload, level_of_[term.payload], term.hi + 1);
  } else {
    std::vector<TermId> args;
    for (TermId arg : source_.args(id)) args.push_back(lower(arg));
    if (term.op == TermOp::kOpaque) {
      result = target_.opaque(term.payload, args);
    } else if (term.op >= TermOp::kSum && term.op <= TermOp::kOr) {
      result = chain(term.op, std::move(args));
    } else {
      result = target_.make(term.op, args);
    }
  }
  done_.emplace(id, result);
  return result;
}

// a + b + c, of which c is known last, becomes (a + b) + c: the part that is known early is a term
// of its own, which can be part of a key and decides bounds. One link for each level at which more
// becomes known.
TermId Lowering::chain(TermOp op, std::vector<TermId> args) {
  const auto last = [&](TermId id) { return target_[id].last; };
  // A fault ends "and" and "or" early, so their order may only change when there is none.
  const bool logic = op == TermOp::kAnd || op == TermOp::kOr;
  const bool fixed =
      logic && std::ranges::any_of(args, [&](TermId id) { return target_[id].may_fault; });
  const bool whole = std::ranges::all_of(args, [&](TermId id) { return target_[id].integral; });
  const bool inexact = (op == TermOp::kSum || op == TermOp::kProduct) && !whole;
  if (inexact) return target_.make(op, args);
  if (!fixed) std::ranges::stable_sort(args, {}, last);
  std::vector<TermId> link;
  std::int32_t level = -1;
  for (TermId arg : args) {
    if (last(arg) > level && !link.empty()) link = {target_.make(op, link)};
    level = std::max(level, last(arg));
    link.push_back(arg);
  }
  return target_.make(op, link);
}

// With `possible`, a known condition that is true wherever `condition` can still become true;
// without, one that is true only where `condition` is certain. "not" turns one into the other.
TermId Relaxation::relax(TermId condition, bool possible) {
  const Term term = graph_[condition];
  if (known(condition)) return condition;
  const TermId give_up = graph_.constant(possible ? 1 : 0);
  if (term.may_fault) return give_up;  // bounds hold only where there is a value
  const auto span = graph_.args(condition);
  const std::vector<TermId> args(span.begin(), span.end());
  switch (term.op) {
    case TermOp::kAnd:
    case TermOp::kOr: {
      TermId all = relax(args[0], possible);
      for (std::size_t i = 1; i < args.size(); ++i) {
        all = graph_.make(term.op, all, relax(args[i], possible));
      }
      return all;
    }
    case TermOp::kNot:
      return graph_.make(TermOp::kNot, relax(args[0], !possible));
    case TermOp::kSelect: {
      const TermId yes = relax(args[1], possible);
      const TermId no = relax(args[2], possible);
      if (known(args[0])) return graph_.make(TermOp::kSelect, args[0], yes, no);
      return graph_.make(possible ? TermOp::kOr : TermOp::kAnd, yes, no);
    }
    case TermOp::kEqual:
    case TermOp::kNotEqual:
    case TermOp::kLess:
    case TermOp::kLessEqual: {
      const TermId result = relax_comparison(condition, possible);
      return result == kNoTerm ? give_up : result;
    }
    default:
      return give_up;
  }
}

// a < b can still hold if the least that a can be is less than the most that b can be; it is
// certain if the most is less than the least. a = b can hold while the two ranges overlap.
TermId Relaxation::relax_comparison(TermId condition, bool possible) {
  const TermOp op = graph_[condition].op;
  const TermId a = graph_.args(condition)[0];
  const TermId b = graph_.args(condition)[1];
  if (op == TermOp::kLess || op == TermOp::kLessEqual) {
    return graph_.make(op, limit(a, possible), limit(b, !possible));
  }
  if ((op == TermOp::kEqual) != possible) return kNoTerm;
  const TermOp part = possible ? TermOp::kLessEqual : TermOp::kLess;
  const TermId below = graph_.make(part, limit(a, possible), limit(b, !possible));
  const TermId above = graph_.make(part, limit(b, possible), limit(a, !possible));
  return graph_.make(possible ? TermOp::kAnd : TermOp::kOr, below, above);
}

// Of sums, minima and maxima, and of products without a sign, the limit is that of the arguments'
// limits: known arguments stand for themselves, unknown ones for the end of their range. So a * b
// with a known is at least a * (least b), which says more than the bounds of the whole product.
TermId Relaxation::limit(TermId id, bool low) {
  const Term term = graph_[id];
  if (known(id)) return id;
  const std::uint64_t key = std::uint64_t{id} << 1 | (low ? 1U : 0U);
  if (const auto found = limits_.find(key); found != limits_.end()) return found->second;
  const auto span = graph_.args(id);
  const std::vector<TermId> args(span.begin(), span.end());
  TermId result = kNoTerm;
  const bool positive = std::ranges::all_of(args, [&](TermId arg) { return graph_[arg].lo >= 0; });
  switch (term.op) {
    case TermOp::kSum:
    case TermOp::kMin:
    case TermOp::kMax:
    case TermOp::kProduct: {
      if (term.op == TermOp::kProduct && !positive) break;
      result = limit(args[0], low);
      for (std::size_t i = 1; i < args.size(); ++i) {
        result = graph_.make(term.op, result, limit(args[i], low));
      }
      break;
    }
    case TermOp::kNegate:
      result = graph_.make(TermOp::kNegate, limit(args[0], !low));
      break;
    default:
      break;
  }
  if (term.op == TermOp::kDivide || term.op == TermOp::kFloorDivide ||
      term.op == TermOp::kCeilDivide) {
    result = limit_quotient(id, low);
  }
  if (result == kNoTerm) result = graph_.constant(low ? term.lo : term.hi, term.text);
  limits_.emplace(key, result);
  return result;
}

// A quotient falls when its divisor rises. Only where no sign can turn that around.
TermId Relaxation::limit_quotient(TermId id, bool low) {
  const TermId a = graph_.args(id)[0];
  const TermId b = graph_.args(id)[1];
  if (graph_[a].lo < 0 || graph_[b].lo <= 0) return kNoTerm;
  return graph_.make(graph_[id].op, limit(a, low), limit(b, !low));
}

}  // namespace tuner::detail
