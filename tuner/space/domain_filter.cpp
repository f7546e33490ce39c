// Removes values that no valid configuration can have, before anything is expanded.

#include "tuner/space/domain_filter.h"

#include <algorithm>

namespace tuner::detail {
namespace {

constexpr std::size_t kLongDomain = 32;      // values from which trying pairs pays
constexpr std::size_t kMostPairs = 1 << 15;  // tried for one condition

bool truncate(Domain& domain, std::size_t kept) {
  if (kept == domain.positions.size()) return false;
  domain.positions.resize(kept);
  if (domain.values.empty()) return true;
  domain.values.resize(kept);
  if (kept == 0) return true;
  const auto [lo, hi] = std::ranges::minmax(domain.values);
  domain.lo = lo;
  domain.hi = hi;
  return true;
}

bool keep(Domain& domain, const std::vector<bool>& found) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    domain.positions[kept] = domain.positions[i];
    domain.values[kept++] = domain.values[i];
  }
  return truncate(domain, kept);
}

}  // namespace

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

bool DomainFilter::by_value(const TermGraph& graph, TermId condition) {
  const LaneProgram program(graph, [&](TermId id) { return is_leaf(graph[id]); },
                            std::span(&condition, 1), {});
  Domain& domain = domains_[static_cast<std::size_t>(graph[condition].last)];
  program.prepare(lanes_, std::min(kLanes, domain.positions.size()));
  std::size_t kept = 0;
  const std::size_t before = domain.positions.size();
  for (std::size_t begin = 0; begin < before; begin += kLanes) {
    const std::size_t count = std::min(kLanes, before - begin);
    for (std::size_t i = 0; i < program.inputs().size(); ++i) {
      const bool value = graph[program.inputs()[i]].op == TermOp::kVariable;
      for (std::size_t lane = 0; lane < count; ++lane) {
        lanes_[i][lane] = value ? domain.values[begin + lane]
                                : static_cast<double>(domain.positions[begin + lane]);
      }
    }
    const std::size_t survivors = program.run(lanes_, count, opaque_);
    for (std::size_t lane = 0; lane < survivors; ++lane, ++kept) {
      const std::size_t from = begin + lanes_.ids()[lane];
      domain.positions[kept] = domain.positions[from];
      if (!domain.values.empty()) domain.values[kept] = domain.values[from];
    }
  }
  return truncate(domain, kept);
}

bool DomainFilter::by_pairs(const TermGraph& graph, TermId condition) {
  const Term& term = graph[condition];
  if (term.last < 0 || term.first == term.last || term.op == TermOp::kOpaque) return false;
  const std::vector<std::uint32_t> members = leaves_of(graph, condition);
  if (members.size() != 2) return false;
  Domain& a = domains_[members[0]];
  Domain& b = domains_[members[1]];
  const std::size_t longest = std::max(a.values.size(), b.values.size());
  if (longest < kLongDomain || a.values.size() * b.values.size() > kMostPairs) return false;
  const LaneProgram program(graph, [&](TermId id) { return is_leaf(graph[id]); },
                            std::span(&condition, 1), {});
  program.prepare(lanes_, std::min(kLanes, b.values.size()));
  std::vector<bool> a_found(a.values.size(), false);
  std::vector<bool> b_found(b.values.size(), false);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    for (std::size_t begin = 0; begin < b.values.size(); begin += kLanes) {
      const std::size_t count = std::min(kLanes, b.values.size() - begin);
      for (std::size_t input = 0; input < program.inputs().size(); ++input) {
        const bool first = graph[program.inputs()[input]].payload == members[0];
        if (first) std::fill_n(lanes_[input], count, a.values[i]);
        if (!first) std::copy_n(b.values.data() + begin, count, lanes_[input]);
      }
      const std::size_t survivors = program.run(lanes_, count, opaque_);
      if (survivors > 0) a_found[i] = true;
      for (std::size_t s = 0; s < survivors; ++s) b_found[begin + lanes_.ids()[s]] = true;
    }
  }
  const bool a_shrunk = keep(a, a_found);
  return keep(b, b_found) || a_shrunk;
}

}  // namespace tuner::detail
