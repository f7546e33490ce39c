// Plans how a group is expanded: the order, and what must be remembered after each step.

#include "tuner/space/group_plan.h"

#include <algorithm>

#include "tuner/space/lowering.h"

namespace tuner::detail {
namespace {

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
    // For each term: when it matters, as a condition on known terms; kNoTerm while no user of it
    // was met. It matters when any of its users does.
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
    // To be checked here: conditions that this parameter decides, ...
    std::vector<TermId> conditions;
    for (TermId root : roots_) {
      if (graph_[root].last == level) conditions.push_back(root);
    }
    // ... and of the others, whether they can still become true. What does not involve this
    // parameter was checked at an earlier level, unless it never holds.
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
      // Where a term does not matter, a constant stands for it: states that differ only in it
      // become one.
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
