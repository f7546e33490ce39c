// Expands a group level by level over all states that can still become valid.

#include "tuner/space/expand.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tuner::detail {
namespace {

// Gives each different key a number, in order of first appearance: the states of one level. A key
// is a row of `width` doubles, and keys are equal when their bits are (a NaN must equal itself).
// Open addressing in one vector, because this table is where expansion spends its time.
class KeyTable {
 public:
  explicit KeyTable(std::size_t width) : width_(width), slots_(64) {}

  std::uint32_t insert(const double* row) {
    const std::uint64_t hash = hash_of(row);
    std::size_t at = (hash >> 32) & (slots_.size() - 1);
    const std::uint64_t tag = hash << 32;
    while (slots_[at] != 0) {
      const auto id = static_cast<std::uint32_t>(slots_[at]) - 1;
      if ((slots_[at] ^ tag) >> 32 == 0 && same(id, row)) return id;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = tag | (count_ + 1);
    rows_.insert(rows_.end(), row, row + width_);
    ++count_;
    if (std::size_t{count_} * 2 > slots_.size()) grow();
    return count_ - 1;
  }

  const double* row(std::size_t id) const { return rows_.data() + id * width_; }
  std::uint32_t size() const { return count_; }
  std::size_t bytes() const {
    return rows_.capacity() * sizeof(double) + slots_.capacity() * sizeof(std::uint64_t);
  }
  void drop_index() { std::vector<std::uint64_t>().swap(slots_); }

 private:
  std::uint64_t hash_of(const double* row) const {
    std::uint64_t hash = 0x243F6A8885A308D3ULL;
    for (std::size_t i = 0; i < width_; ++i) {
      hash = (std::rotl(hash, 23) ^ std::bit_cast<std::uint64_t>(row[i])) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return hash * 0xBF58476D1CE4E5B9ULL;
  }
  bool same(std::uint32_t id, const double* row) const {
    return width_ == 0 || std::memcmp(this->row(id), row, width_ * sizeof(double)) == 0;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 4);
    old.swap(slots_);
    for (std::uint32_t id = 0; id < count_; ++id) {
      const std::uint64_t hash = hash_of(row(id));
      std::size_t at = (hash >> 32) & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = hash << 32 | (id + 1);
    }
  }

  std::size_t width_;
  std::uint32_t count_ = 0;
  std::vector<double> rows_;
  std::vector<std::uint64_t> slots_;  // low half: id + 1; high half: tag
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
    states.drop_index();
    held = states.bytes();
    if (layers.back().edges.empty()) break;
  }
  monitor.release(held);
  return layers;
}

}  // namespace tuner::detail
