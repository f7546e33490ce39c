// Expands a group level by level over all states that can still become valid, or from a list.

#include "tuner/space/expand.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tuner/base/hash.h"
#include "tuner/space/terms.h"

namespace tuner::detail {
namespace {

// The states of one level: each different key has a number. A key is a row of `width` doubles, and
// keys are equal when their bits are (a NaN must equal itself).
class KeyTable {
 public:
  explicit KeyTable(std::size_t width) : width_(width) {}

  std::uint32_t insert(const double* row) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      hash = splitmix64(hash ^ std::bit_cast<std::uint64_t>(row[i]));
    }
    const std::uint32_t before = size();
    const std::uint32_t id = index_.insert(hash, [&](std::uint32_t other) {
      return width_ == 0 || std::memcmp(this->row(other), row, width_ * sizeof(double)) == 0;
    });
    if (id == before) rows_.insert(rows_.end(), row, row + width_);
    return id;
  }

  const double* row(std::size_t id) const { return rows_.data() + id * width_; }
  std::uint32_t size() const { return index_.size(); }
  std::size_t bytes() const { return rows_.capacity() * sizeof(double) + index_.bytes(); }

 private:
  std::size_t width_;
  std::vector<double> rows_;
  HashIndex index_;
};

// Goes from the states before one level to those behind it: every state with every value of the
// level's parameter. The plan's program checks the pair and computes its key; equal keys become one
// state.
class LevelExpander {
 public:
  LevelExpander(const LevelPlan& plan, const Domain& domain, const KeyTable& states)
      : plan_(plan), domain_(domain), states_(states), next_(plan.next_key.size()) {
    layer_.first.reserve(states.size() + 1);
    layer_.first.push_back(0);
  }

  void run(const TermGraph& graph, TermValues& values, BuildMonitor& monitor) {
    if (states_.size() > kMostPairs / std::max<std::size_t>(1, domain_.positions.size())) {
      throw BuildStopped{BuildStopped::Why::kCombinations};
    }
    std::vector<double> row(plan_.next_key.size());
    std::size_t looked = 0;
    for (std::uint32_t state = 0; state < states_.size(); ++state) {
      for (std::size_t k = 0; k < plan_.key.size(); ++k) {
        values.set(plan_.key[k], states_.row(state)[k]);
      }
      for (std::size_t i = 0; i < domain_.positions.size(); ++i) {
        if (++looked % kWatched == 0) watch(monitor);
        for (TermId leaf : plan_.program.leaves) {
          values.set(leaf, leaf_value(graph[leaf], domain_, i));
        }
        if (!values.run(plan_.program)) continue;
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = values[plan_.next_key[k]];
        layer_.edges.push_back({domain_.positions[i], next_.insert(row.data())});
      }
      layer_.first.push_back(layer_.edges.size());
    }
    watch(monitor);
  }

  Layer take_layer() { return std::move(layer_); }
  KeyTable take_states() { return std::move(next_); }

 private:
  static constexpr std::size_t kMostPairs = 100'000'000'000;  // an hour or so
  static constexpr std::size_t kWatched = 512;  // pairs between two looks at memory and clock

  void watch(BuildMonitor& monitor) {
    const std::size_t bytes = next_.bytes() + layer_.edges.capacity() * sizeof(Edge) +
                              layer_.first.capacity() * sizeof(std::uint64_t);
    monitor.hold(bytes - counted_);
    counted_ = bytes;
    monitor.poll();
  }

  const LevelPlan& plan_;
  const Domain& domain_;
  const KeyTable& states_;
  KeyTable next_;
  Layer layer_;
  std::size_t counted_ = 0;  // bytes that the monitor knows of
};

}  // namespace

std::vector<Layer> expand(const GroupPlan& plan, const std::vector<Domain>& domains,
                          const OpaqueEvaluator& opaque, BuildMonitor& monitor) {
  std::vector<Layer> layers;
  TermValues values(plan.graph, opaque);
  KeyTable states(0);  // before the first level there is one state, of which nothing is known
  states.insert(nullptr);
  std::size_t held = 0;
  for (const LevelPlan& level : plan.levels) {
    LevelExpander expander(level, domains[level.parameter], states);
    expander.run(plan.graph, values, monitor);
    monitor.release(held);
    layers.push_back(expander.take_layer());
    states = expander.take_states();
    held = states.bytes();
    if (layers.back().edges.empty()) break;
  }
  monitor.release(held);
  return layers;
}

// ---- from a list of combinations ----------------------------------------------------------------

namespace {

constexpr std::size_t kFewest = 8;  // rows; fewer are as fast the usual way

// Reader of constraints that list combinations of all parameters of a group.
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
      // A combination with a value that its domain has lost does not count any more.
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
