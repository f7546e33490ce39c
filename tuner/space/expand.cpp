// Expands a group level by level over all states that can still become valid.

#include "tuner/space/expand.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tuner/base/hash.h"
#include "tuner/space/hash_index.h"

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

}  // namespace tuner::detail
