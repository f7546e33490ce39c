// Expands a group from a list of its combinations.

#include "tuner/space/listed_rows.h"

#include <algorithm>

namespace tuner::detail {
namespace {

constexpr std::size_t kFewest = 8;  // rows; fewer are as fast the usual way

// Where each parameter of a group stands in it, and what is left of its domain.
class Rows {
 public:
  using Row = std::vector<std::uint32_t>;  // places in the domains of the group's parameters

  Rows(const TermGraph& graph, std::span<const std::uint32_t> group,
       const std::vector<Domain>& domains)
      : graph_(graph), group_(group), domains_(domains) {}

  // The rows of "a == 1 and b == 2 or a == 3 and b == 4". Nothing where it is anything else.
  std::optional<std::vector<Row>> of(TermId condition) const {
    std::vector<Row> rows;
    if (graph_[condition].op != TermOp::kOr) return std::nullopt;
    const auto alternatives = graph_.args(condition);
    if (alternatives.size() < kFewest) return std::nullopt;
    for (TermId alternative : alternatives) {
      Row row(group_.size(), kUnset);
      const bool both = graph_[alternative].op == TermOp::kAnd;
      const TermId alone[] = {alternative};
      for (TermId part : both ? graph_.args(alternative) : std::span(alone)) {
        if (!set(part, row)) return std::nullopt;
      }
      if (std::ranges::find(row, kUnset) != row.end()) return std::nullopt;
      // With a value that a domain has lost it is no combination any more.
      if (std::ranges::find(row, kGone) == row.end()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  static constexpr std::uint32_t kUnset = ~std::uint32_t{0};
  static constexpr std::uint32_t kGone = kUnset - 1;

  bool set(TermId equality, Row& row) const {
    if (graph_[equality].op != TermOp::kEqual) return false;
    TermId variable = graph_.args(equality)[0];
    TermId value = graph_.args(equality)[1];
    if (graph_.is_constant(variable)) std::swap(variable, value);
    if (graph_[variable].op != TermOp::kVariable || !graph_.is_constant(value)) return false;
    const std::vector<double>& values = domains_[graph_[variable].payload].values;
    const auto found = std::ranges::find(values, graph_[value].lo);
    const auto member = std::ranges::find(group_, graph_[variable].payload);
    if (member == group_.end()) return false;
    std::uint32_t& place = row[static_cast<std::size_t>(member - group_.begin())];
    if (place != kUnset) return false;
    place = found == values.end() ? kGone : static_cast<std::uint32_t>(found - values.begin());
    return true;
  }

  const TermGraph& graph_;
  std::span<const std::uint32_t> group_;
  const std::vector<Domain>& domains_;
};

// A tree of the rows, which are sorted: equal beginnings are one state.
std::vector<Layer> layers_of(const std::vector<Rows::Row>& rows,
                             std::span<const std::uint32_t> group,
                             const std::vector<Domain>& domains) {
  std::vector<Layer> layers(group.size());
  for (Layer& layer : layers) layer.first.push_back(0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto differs = r == 0 ? rows[r].begin() : std::ranges::mismatch(rows[r - 1], rows[r]).in2;
    const auto begin = static_cast<std::size_t>(differs - rows[r].begin());
    for (std::size_t level = begin; level < group.size(); ++level) {
      // A state begins with its first edge, behind those of the states before it.
      if (level > begin || r == 0) layers[level].first.push_back(layers[level].edges.size());
      const auto child = level + 1 < group.size()
                             ? static_cast<std::uint32_t>(layers[level + 1].first.size() - 1)
                             : 0U;
      layers[level].edges.push_back({domains[group[level]].positions[rows[r][level]], child});
      layers[level].first.back() = layers[level].edges.size();
    }
  }
  return layers;
}

}  // namespace

std::optional<std::vector<Layer>> expand_rows(const TermGraph& graph,
                                              std::span<const TermId> conditions,
                                              std::span<const std::uint32_t> group,
                                              const std::vector<Domain>& domains,
                                              const OpaqueEvaluator& opaque,
                                              BuildMonitor& monitor) {
  const Rows reader(graph, group, domains);
  std::optional<std::vector<Rows::Row>> listed;
  std::vector<TermId> others;
  for (TermId condition : conditions) {
    const bool first = !listed && (listed = reader.of(condition));
    if (!first) others.push_back(condition);
  }
  if (!listed) return std::nullopt;
  std::vector<Rows::Row> rows = *std::move(listed);
  const TermProgram program(graph, others, {});
  TermValues values(graph, opaque);
  std::erase_if(rows, [&](const Rows::Row& row) {
    for (TermId leaf : program.leaves) {
      const auto member = std::ranges::find(group, graph[leaf].payload) - group.begin();
      const auto place = row[static_cast<std::size_t>(member)];
      values.set(leaf, leaf_value(graph[leaf], domains[graph[leaf].payload], place));
    }
    return !values.run(program);
  });
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (rows.empty()) return std::vector<Layer>();
  std::vector<Layer> layers = layers_of(rows, group, domains);
  for (const Layer& layer : layers) monitor.hold(bytes_of(layer));
  return layers;
}

}  // namespace tuner::detail
