// Builds a space: from constraints to one diagram for each group of parameters.

#include "tuner/space/construct.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "tuner/base/hash.h"
#include "tuner/space/domains.h"
#include "tuner/space/expand.h"
#include "tuner/space/group_plan.h"
#include "tuner/space/translate.h"

namespace tuner::detail {
namespace {

// Trying pairs of values costs more than all else in a round, and a third time hardly ever removes
// anything.
constexpr int kPairRounds = 2;
// Random combinations that estimate how much a condition lets pass: as many as a word has bits.
constexpr std::size_t kSamples = 64;

// The steps, of which each makes the next one smaller:
//
//  1. translate (translate.h): constraints become conditions on terms over the values left;
//  2. filter (domains.h): values that a condition on one or two parameters rules out are removed.
//     Fewer values mean tighter bounds, and these may decide or simplify other conditions, so the
//     first two steps are repeated until nothing changes;
//  3. group: the conditions that are left tie parameters together. Groups do not know of each
//     other: the space is their cartesian product, and each is built alone;
//  4. for each group: find an order of its parameters, plan the levels (group_plan.h), expand them
//     (expand.h), and join what is equal into a diagram (diagram.h).
class Constructor {
 public:
  Constructor(const SpaceDefinition& definition, const NameTable& names,
              const std::vector<std::uint32_t>& constraints, BuildMonitor& monitor)
      : definition_(definition),
        constraints_(constraints),
        texts_(definition, constraints),
        translator_(definition, names, texts_),
        configuration_(definition, names),
        domains_(all_domains(definition, texts_)),
        monitor_(monitor) {
    opaque_ = [this](std::uint32_t rule, std::span<const double> positions) {
      return decide(translator_.opaque_rules()[rule], positions);
    };
  }

  Construction run() {
    Construction out;
    bool shrunk = true;
    int pair_rounds = 0;
    while (shrunk && !out.empty) {
      graph_ = TermGraph();
      conditions_ = translator_.translate(constraints_, domains_, graph_);
      TermValues values(graph_, opaque_);
      shrunk = false;
      for (const Condition& condition : conditions_) {
        const Term& term = graph_[condition.term];
        if (graph_.is_true(condition.term)) continue;
        if (term.last < 0) {
          // A condition in which no parameter is left never holds, unless only the exact evaluator
          // can decide.
          const bool holds =
              term.op == TermOp::kOpaque && decide(translator_.opaque_rules()[term.payload], {});
          out.empty = out.empty || !holds;
        } else if (term.first == term.last) {
          shrunk = filter_by_value(graph_, condition.term, values, domains_) || shrunk;
        }
      }
      out.empty = out.empty || std::ranges::any_of(domains_, [](const Domain& domain) {
                    return domain.positions.empty();
                  });
      if (!shrunk && !out.empty && pair_rounds < kPairRounds) {
        ++pair_rounds;
        for (const Condition& condition : conditions_) {
          shrunk = filter_by_pairs(graph_, condition.term, values, domains_) || shrunk;
        }
      }
    }
    std::erase_if(conditions_, [&](const Condition& condition) {
      return graph_[condition.term].first >= graph_[condition.term].last;
    });
    find_groups(out);
    for (const auto& group : out.groups) {
      if (out.empty) break;
      monitor_.poll();
      auto diagram = solve(group);
      out.empty = !diagram;
      if (diagram) out.diagrams.push_back(*std::move(diagram));
    }
    if (out.empty) out.diagrams.clear();
    return out;
  }

 private:
  // A rule that terms cannot express, evaluated exactly. One that fails does not hold, and neither
  // does its negation.
  bool decide(const OpaqueRule& rule, std::span<const double> positions) {
    std::vector<std::uint32_t> places;
    for (double position : positions) places.push_back(static_cast<std::uint32_t>(position));
    configuration_.bind(rule.used, places);
    Value value;
    EvaluationError error;
    if (!evaluate_tree(*rule.expression, *rule.node, configuration_, value, error)) return false;
    return truth(value) != rule.negated;
  }

  // Union-find over parameters that share a condition. The first parameter of a group leads it, so
  // that groups come in the order of their first parameters.
  void find_groups(Construction& out) {
    const std::size_t count = definition_.parameters.size();
    std::vector<std::uint32_t> leader(count);
    std::iota(leader.begin(), leader.end(), 0U);
    const auto find = [&](std::uint32_t p) {
      while (leader[p] != p) p = leader[p] = leader[leader[p]];
      return p;
    };
    for (const Condition& condition : conditions_) {
      members_.push_back(leaves_of(graph_, condition.term));
      for (std::uint32_t p : members_.back()) {
        const std::uint32_t a = find(p);
        const std::uint32_t b = find(members_.back().front());
        leader[std::max(a, b)] = std::min(a, b);
      }
    }
    group_of_.resize(count);
    for (std::uint32_t p = 0; p < count; ++p) {
      const std::uint32_t top = find(p);
      if (top == p) {
        group_of_[p] = static_cast<std::uint32_t>(out.groups.size());
        out.groups.emplace_back();
      }
      group_of_[p] = group_of_[top];
      out.groups[group_of_[p]].push_back(p);
    }
  }

  std::optional<Diagram> solve(const std::vector<std::uint32_t>& group) {
    // Conditions on it alone were dealt with by the filter: all values left are valid.
    if (group.size() == 1) return make_free_diagram(group[0], domains_[group[0]].positions);
    std::vector<std::size_t> own;  // conditions of this group
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      if (group_of_[members_[c].front()] == group_of_[group.front()]) own.push_back(c);
    }
    std::vector<TermId> terms;
    terms.reserve(own.size());
    for (std::size_t c : own) terms.push_back(conditions_[c].term);
    if (auto rows = expand_rows(graph_, terms, group, domains_, opaque_, monitor_)) {
      return make_diagram(*std::move(rows), group, monitor_);
    }
    const std::vector<std::uint32_t> order = choose_order(group, own);
    try {
      const GroupPlan plan = plan_group(graph_, terms, order);
      return make_diagram(expand(plan, domains_, opaque_, monitor_), order, monitor_);
    } catch (const BuildStopped& stop) {
      if (stop.why == BuildStopped::Why::kCancelled) throw;
      throw InputError(too_large(own, stop.why));
    }
  }

  // Blames the constraint that ties the most parameters together.
  Complaint too_large(const std::vector<std::size_t>& own, BuildStopped::Why why) const {
    const std::size_t widest =
        *std::ranges::max_element(own, {}, [&](std::size_t c) { return members_[c].size(); });
    const Expression& constraint = definition_.constraints[conditions_[widest].constraint];
    const std::string limit = why == BuildStopped::Why::kMemory
                                  ? fmt::format("{} MiB", monitor_.limit() >> 20)
                                  : "an hour: it is tried for every pair of values";
    return {constraint.origin(),
            fmt::format("the constraint '{}' spans {} parameters and makes the space too large to "
                        "be built in {}",
                        constraint.text(), members_[widest].size(), limit),
            "name part of it as a parameter, drop values, or split it"};
  }

  std::vector<std::uint32_t> choose_order(const std::vector<std::uint32_t>& group,
                                          const std::vector<std::size_t>& own) {
    OrderProblem problem;
    std::vector<std::uint32_t> place(definition_.parameters.size(), 0);
    for (std::uint32_t p : group) {
      place[p] = static_cast<std::uint32_t>(problem.values.size());
      problem.values.push_back(static_cast<double>(domains_[p].positions.size()));
    }
    const std::vector<double> passes = sample(own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      OrderProblem::Condition condition;
      for (std::uint32_t p : members_[own[i]]) condition.members.push_back(place[p]);
      condition.passes = passes[i];
      problem.conditions.push_back(std::move(condition));
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i : find_order(problem)) order.push_back(group[i]);
    return order;
  }

  // The fraction of random combinations that satisfy each condition, among those that satisfy the
  // conditions on only some of its parameters: these are usually decided before.
  std::vector<double> sample(const std::vector<std::size_t>& own) {
    std::vector<TermId> terms;
    for (std::size_t c : own) {
      const bool opaque = graph_[conditions_[c].term].op == TermOp::kOpaque;
      terms.push_back(opaque ? graph_.constant(1) : conditions_[c].term);
    }
    const TermProgram program(graph_, {}, terms);
    TermValues values(graph_, opaque_);
    std::vector<std::uint64_t> holds(own.size(), 0);  // one bit for each sample
    for (std::size_t s = 0; s < kSamples; ++s) {
      for (std::size_t i = 0; i < program.leaves.size(); ++i) {
        // Always the same numbers: the order of a study must not vary.
        const std::uint64_t random = splitmix64(i * kSamples + s) >> 32;
        const Domain& domain = domains_[graph_[program.leaves[i]].payload];
        values.set(program.leaves[i], domain.values[random * domain.values.size() >> 32]);
      }
      values.run(program);
      for (std::size_t i = 0; i < own.size(); ++i) {
        holds[i] |= std::uint64_t{values[terms[i]] == 1} << s;
      }
    }
    std::vector<double> passes;
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::uint64_t relevant = ~std::uint64_t{0};
      for (std::size_t j = 0; j < own.size(); ++j) {
        const auto& inner = members_[own[j]];
        const auto& outer = members_[own[i]];
        if (inner.size() < outer.size() && std::ranges::includes(outer, inner))
          relevant &= holds[j];
      }
      const bool opaque = graph_[conditions_[own[i]].term].op == TermOp::kOpaque;
      // Half a sample more that passes and one more in all: no estimate is 0 or 1, which a few
      // samples cannot prove. Opaque rules are too slow to be sampled.
      passes.push_back(opaque ? 0.5
                              : (std::popcount(holds[i] & relevant) + 0.5) /
                                    (std::popcount(relevant) + 1.0));
    }
    return passes;
  }

  const SpaceDefinition& definition_;
  const std::vector<std::uint32_t>& constraints_;
  TextRanks texts_;
  Translator translator_;
  ConfigurationNames configuration_;
  std::vector<Domain> domains_;
  BuildMonitor& monitor_;
  OpaqueEvaluator opaque_;
  TermGraph graph_;
  std::vector<Condition> conditions_;
  std::vector<std::vector<std::uint32_t>> members_;  // parameters of each condition
  std::vector<std::uint32_t> group_of_;
};

}  // namespace

Construction construct(const SpaceDefinition& definition, const NameTable& names,
                       const std::vector<std::uint32_t>& constraints, BuildMonitor& monitor) {
  return Constructor(definition, names, constraints, monitor).run();
}

}  // namespace tuner::detail
