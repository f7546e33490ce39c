// Makes numbers of the parameters' values, and removes values that no valid configuration can have
// before anything is expanded.

#include "tuner/space/domains.h"

#include <algorithm>
#include <cmath>

#include "tuner/expression/expression_tree.h"

namespace tuner::detail {
namespace {

constexpr std::size_t kLongDomain = 32;      // values from which trying pairs pays
constexpr std::size_t kMostPairs = 1 << 15;  // tried for one condition

// Keeps what was found. True when something went.
bool keep(Domain& domain, const std::vector<bool>& found) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    domain.positions[kept] = domain.positions[i];
    if (!domain.values.empty()) domain.values[kept] = domain.values[i];
    ++kept;
  }
  if (kept == found.size()) return false;
  domain.positions.resize(kept);
  if (domain.values.empty()) return true;
  domain.values.resize(kept);
  if (kept == 0) return true;
  const auto [lo, hi] = std::ranges::minmax(domain.values);
  domain.lo = lo;
  domain.hi = hi;
  return true;
}

}  // namespace

TextRanks::TextRanks(const SpaceDefinition& definition,
                     const std::vector<std::uint32_t>& constraints) {
  texts_.emplace_back();
  const auto add = [&](const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) texts_.push_back(*text);
  };
  for (const Parameter& parameter : definition.parameters) {
    std::ranges::for_each(parameter.values, add);
  }
  for (const auto& [name, value] : definition.facts) add(value);
  for (const NamedExpression& derived : definition.derived) {
    if (!derived.expression.empty()) collect(*derived.expression.root());
  }
  for (const std::uint32_t number : constraints) {
    const Expression& constraint = definition.constraints[number];
    if (!constraint.empty()) collect(*constraint.root());
  }
  std::sort(texts_.begin(), texts_.end());
  texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
}

void TextRanks::collect(const ExpressionNode& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) texts_.push_back(*text);
  for (const auto& child : node.children) collect(*child);
}

double TextRanks::of(const std::string& text) const {
  return static_cast<double>(std::ranges::lower_bound(texts_, text) - texts_.begin());
}

std::vector<Domain> all_domains(const SpaceDefinition& definition, const TextRanks& texts) {
  std::vector<Domain> all;
  for (const Parameter& parameter : definition.parameters) {
    Domain domain;
    domain.text = std::holds_alternative<std::string>(parameter.values.front());
    domain.integral = true;
    domain.values.reserve(parameter.values.size());
    domain.positions.reserve(parameter.values.size());
    bool uniform = true;
    for (const Value& value : parameter.values) {
      const auto* text = std::get_if<std::string>(&value);
      const double number = text != nullptr ? texts.of(*text) : to_number(value);
      domain.positions.push_back(static_cast<std::uint32_t>(domain.positions.size()));
      domain.values.push_back(number == 0 ? 0.0 : number);  // -0 becomes 0: equal, with equal bits
      uniform =
          uniform && (text != nullptr) == domain.text && std::fabs(number) <= TermGraph::kLimit;
      domain.integral = domain.integral && number == std::floor(number);
    }
    if (!uniform) domain.values.clear();
    if (uniform) {
      const auto [lo, hi] = std::ranges::minmax(domain.values);
      domain.lo = lo;
      domain.hi = hi;
    }
    all.push_back(std::move(domain));
  }
  return all;
}

std::vector<std::uint32_t> leaves_of(const TermGraph& graph, TermId root) {
  std::vector<std::uint32_t> found;
  std::vector<bool> seen(graph.size(), false);
  std::vector<TermId> stack{root};
  while (!stack.empty()) {
    const TermId id = stack.back();
    stack.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    if (is_leaf(graph[id])) found.push_back(graph[id].payload);
    for (TermId arg : graph.args(id)) stack.push_back(arg);
  }
  // A parameter may appear both by value and by position.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool filter_by_value(const TermGraph& graph, TermId condition, TermValues& values,
                     std::vector<Domain>& domains) {
  const TermProgram program(graph, std::span(&condition, 1), {});
  Domain& domain = domains[static_cast<std::size_t>(graph[condition].last)];
  std::vector<bool> found(domain.positions.size(), false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (TermId leaf : program.leaves) values.set(leaf, leaf_value(graph[leaf], domain, i));
    found[i] = values.run(program);
  }
  return keep(domain, found);
}

// Filtering matters most with many values: a filter costs their product once, expansion costs it
// for every state.
bool filter_by_pairs(const TermGraph& graph, TermId condition, TermValues& values,
                     std::vector<Domain>& domains) {
  const Term& term = graph[condition];
  if (term.last < 0 || term.first == term.last || term.op == TermOp::kOpaque) return false;
  const std::vector<std::uint32_t> members = leaves_of(graph, condition);
  if (members.size() != 2) return false;
  Domain& a = domains[members[0]];
  Domain& b = domains[members[1]];
  const std::size_t longest = std::max(a.values.size(), b.values.size());
  if (longest < kLongDomain || a.values.size() * b.values.size() > kMostPairs) return false;
  const TermProgram program(graph, std::span(&condition, 1), {});
  std::vector<bool> a_found(a.values.size(), false);
  std::vector<bool> b_found(b.values.size(), false);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    for (std::size_t j = 0; j < b.values.size(); ++j) {
      for (TermId leaf : program.leaves) {
        const bool first = graph[leaf].payload == members[0];
        values.set(leaf, first ? a.values[i] : b.values[j]);
      }
      if (!values.run(program)) continue;
      a_found[i] = true;
      b_found[j] = true;
    }
  }
  const bool a_shrunk = keep(a, a_found);
  return keep(b, b_found) || a_shrunk;
}

}  // namespace tuner::detail
