// Plans how a group is expanded: the order, and what must be remembered after each step.

#include "tuner/space/group_plan.h"

#include <algorithm>
#include <unordered_map>

namespace tuner::detail {
namespace {

// Rewrites terms for an order of parameters, so that what is known early is formed early.
class Lowering {
 public:
  // level_of[parameter]: place in the order.
  Lowering(const TermGraph& source, std::span<const std::int32_t> level_of, TermGraph& target)
      : source_(source), level_of_(level_of), target_(target) {}

  TermId lower(TermId id);

 private:
  TermId chain(TermOp op, std::vector<TermId> args);

  const TermGraph& source_;
  std::span<const std::int32_t> level_of_;
  TermGraph& target_;
  std::unordered_map<TermId, TermId> done_;
};

// Finds what is certain about a term when only parameters up to `level` are known.
class Relaxation {
 public:
  Relaxation(TermGraph& graph, std::int32_t level) : graph_(graph), level_(level) {}

  // A known condition that is 1 wherever `condition` can still become 1.
  TermId possible(TermId condition) { return relax(condition, true); }

 private:
  bool known(TermId id) const { return graph_[id].last <= level_; }
  TermId relax(TermId condition, bool possible);
  TermId relax_comparison(TermId condition, bool possible);
  // A known term that is never above (low) or never below (high) the term.
  TermId limit(TermId id, bool low);
  TermId limit_quotient(TermId id, bool low);

  TermGraph& graph_;
  std::int32_t level_;
  std::unordered_map<std::uint64_t, TermId> limits_;
};

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

// Limits sums, minima and maxima, and products without a sign, by the limits of their arguments:
// known arguments stand for themselves, unknown ones for the end of their range. So a * b with a
// known is at least a * (least b), a closer limit than the bounds of the whole product.
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

// ---- the planner
// ----------------------------------------------------------------------------------

// Parameters are chosen level by level. A prefix, that is the values chosen so far, matters to what
// follows only through the values of a few terms, the key: prefixes with equal keys have the same
// valid completions and are one state. The planner finds the key after each level, and compiles
// what leads from the key before a level and a value of its parameter to the key behind it.
//
// Example, with the condition a * b + c <= 100 and the order a, b, c: after b only the value of a *
// b matters, not which a and b made it. So the key is first a, then a * b, then nothing.
class Planner {
 public:
  Planner(const TermGraph& graph, std::span<const TermId> conditions,
          std::span<const std::uint32_t> order)
      : order_(order) {
    std::vector<std::int32_t> level_of(*std::ranges::max_element(order) + 1, -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      level_of[order[i]] = static_cast<std::int32_t>(i);
    }
    Lowering lowering(graph, level_of, graph_);
    for (TermId condition : conditions) add_root(lowering.lower(condition));
    find_uses();
  }

  GroupPlan run() {
    GroupPlan plan;
    std::vector<TermId> key;
    for (std::size_t level = 0; level < order_.size(); ++level) {
      plan.levels.push_back(step(static_cast<std::int32_t>(level), key));
    }
    plan.graph = std::move(graph_);
    return plan;
  }

 private:
  // The parts of an "and" are conditions of their own: each is checked as soon as its parameters
  // are known.
  void add_root(TermId root) {
    if (graph_[root].op == TermOp::kAnd) {
      const auto span = graph_.args(root);
      for (TermId part : std::vector<TermId>(span.begin(), span.end())) add_root(part);
      return;
    }
    if (!graph_.is_true(root)) roots_.push_back(root);
  }

  // All terms below the roots.
  void find_uses() {
    std::vector<TermId> stack = roots_;
    std::vector<bool> seen(graph_.size(), false);
    while (!stack.empty()) {
      const TermId id = stack.back();
      stack.pop_back();
      if (seen[id]) continue;
      seen[id] = true;
      terms_.push_back(id);
      for (TermId arg : graph_.args(id)) stack.push_back(arg);
    }
    // Arguments are older than the terms made of them: this order visits users first.
    std::sort(terms_.begin(), terms_.end(), std::greater<>());
    users_end_ = graph_.size();
  }

  struct KeyTerm {
    TermId term;
    TermId when;  // it matters
  };

  // The largest known terms below conditions that are not decided yet. Walking from users to
  // arguments stops at a term that is known: what it was made of does not matter any more.
  std::vector<KeyTerm> key_after(std::int32_t level) {
    // Conditions (on known terms) under which each term matters; kNoTerm while no user of it was
    // met. It matters when any of its users does.
    std::vector<TermId> matters(users_end_, kNoTerm);
    for (TermId root : roots_) {
      if (graph_[root].last > level) matters[root] = graph_.constant(1);
    }
    std::vector<KeyTerm> key;
    for (TermId id : terms_) {
      if (matters[id] == kNoTerm) continue;
      if (graph_[id].last <= level) {
        key.push_back({id, matters[id]});
        continue;
      }
      for (std::size_t i = 0; i < graph_[id].args_count; ++i) {
        const TermId arg = graph_.args(id)[i];  // looked up again: new terms move the lists
        if (graph_.is_constant(arg)) continue;
        const TermId guarded = guard(id, i, level);
        const TermId when =
            guarded == kNoTerm ? matters[id] : graph_.make(TermOp::kAnd, matters[id], guarded);
        TermId& known = matters[arg];
        if (known == kNoTerm) known = when;
        if (known != when) known = graph_.make(TermOp::kOr, known, when);
      }
    }
    return key;
  }

  // When argument i of `id` still matters, given what is known at `level`. kNoTerm: always. In
  // "x and y" with x known, y matters only where x is true; likewise for "or" and "if".
  TermId guard(TermId id, std::size_t i, std::int32_t level) {
    const TermOp op = graph_[id].op;
    if (i == 0 || (op != TermOp::kAnd && op != TermOp::kOr && op != TermOp::kSelect)) {
      return kNoTerm;
    }
    const TermId first = graph_.args(id)[0];
    const Term& about = graph_[first];
    if (about.last > level || about.may_fault || !about.boolean) return kNoTerm;
    const bool when_true = op == TermOp::kAnd || (op == TermOp::kSelect && i == 1);
    return when_true ? first : graph_.make(TermOp::kNot, first);
  }

  LevelPlan step(std::int32_t level, std::vector<TermId>& key) {
    // Collects the conditions that this parameter decides.
    std::vector<TermId> conditions;
    for (TermId root : roots_) {
      if (graph_[root].last == level) conditions.push_back(root);
    }
    // Adds whether the others can still become true. Conditions that do not involve this
    // parameter were checked at an earlier level, unless they never hold.
    Relaxation relaxation(graph_, level);
    for (TermId root : roots_) {
      if (graph_[root].last <= level) continue;
      const TermId possible = relaxation.possible(root);
      if (graph_[possible].last == level || graph_.is_false(possible)) {
        conditions.push_back(possible);
      }
    }
    std::vector<TermId> next_key;
    std::vector<TermId> outputs;
    for (const auto& [term, when] : key_after(level)) {
      const Term about = graph_[term];
      next_key.push_back(term);
      // A constant stands for a term where it does not matter: states that differ only in it become
      // one.
      outputs.push_back(graph_.is_true(when) ? term
                                             : graph_.make(TermOp::kSelect, when, term,
                                                           graph_.constant(about.lo, about.text)));
    }
    // Relaxed conditions make new terms of old parameters: those are formed from the key again.
    TermProgram program(graph_, conditions, outputs, key);
    LevelPlan plan{order_[static_cast<std::size_t>(level)], std::move(key), std::move(program),
                   std::move(outputs)};
    key = std::move(next_key);
    return plan;
  }

  TermGraph graph_;
  std::span<const std::uint32_t> order_;
  std::vector<TermId> roots_;
  std::vector<TermId> terms_;
  std::size_t users_end_ = 0;  // terms made later are conditions on the key
};

}  // namespace

GroupPlan plan_group(const TermGraph& graph, std::span<const TermId> conditions,
                     std::span<const std::uint32_t> order) {
  return Planner(graph, conditions, order).run();
}

}  // namespace tuner::detail
