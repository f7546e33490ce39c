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
// level's parameter. The plan's program checks the pairs and computes their keys for a tile of up
// to kLanes pairs at once; equal keys become one state.
//
// A tile holds several states with all values where these fit in, else a part of one state's
// values.
class LevelExpander {
 public:
  LevelExpander(const LevelPlan& plan, const KeyTable& states, const OpaqueEvaluator& opaque,
                LaneStorage& lanes)
      : plan_(plan), states_(states), opaque_(opaque), lanes_(lanes), next_(plan.next_width) {
    plan.program.prepare(lanes, std::min(kLanes, states.size() * plan.positions.size()));
    layer_.first.reserve(states.size() + 1);
    layer_.first.push_back(0);
  }

  void run(BuildMonitor& monitor) {
    const std::size_t values = plan_.positions.size();
    const std::size_t block = std::max<std::size_t>(1, kLanes / std::max<std::size_t>(1, values));
    prepare_lanes(std::min(block, std::size_t{states_.size()}), values);
    std::size_t counted = 0;
    for (std::size_t state = 0; state < states_.size(); state += block) {
      const std::size_t count = std::min(block, states_.size() - state);
      for (std::size_t begin = 0; begin < values; begin += kLanes) {
        tile(state, count, begin, std::min(kLanes, values - begin));
        monitor.poll();
      }
      if (values > kLanes) layer_.first.push_back(layer_.edges.size());
      const std::size_t bytes = this->bytes();
      monitor.hold(bytes - counted);
      counted = bytes;
    }
    monitor.hold(bytes() - counted);
  }

  std::size_t bytes() const {
    return next_.bytes() + layer_.edges.capacity() * sizeof(Edge) +
           layer_.first.capacity() * sizeof(std::uint64_t);
  }

  Layer take_layer() { return std::move(layer_); }
  KeyTable take_states() { return std::move(next_); }

 private:
  // Which state of a tile and which value a lane stands for, while a state's values fit in a tile.
  void prepare_lanes(std::size_t block, std::size_t values) {
    if (values > kLanes) return;
    for (std::size_t lane = 0; lane < block * values; ++lane) {
      lane_state_.push_back(static_cast<std::uint32_t>(lane / values));
      lane_value_.push_back(static_cast<std::uint32_t>(lane % values));
    }
  }

  void tile(std::size_t state, std::size_t states, std::size_t begin, std::size_t values) {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const LevelPlan::Input& input = plan_.inputs[i];
      double* out = lanes_[i];
      for (std::size_t s = 0; s < states; ++s, out += values) {
        if (input.from_key) {
          std::fill_n(out, values, states_.row(state + s)[input.place]);
        } else {
          std::copy_n(plan_.columns[input.place].data() + begin, values, out);
        }
      }
    }
    const std::size_t total = states * values;
    const std::size_t count = plan_.program.run(lanes_, total, opaque_);
    if (plan_.positions.size() > kLanes) {
      collect_long(begin, count);
    } else {
      collect(states, count);
    }
  }

  // The state that a lane leads to. With an empty key there is one state: nothing matters any more.
  std::uint32_t child(std::size_t lane) {
    if (plan_.next_width == 0) {
      if (next_.size() == 0) next_.insert(nullptr);
      return 0;
    }
    for (std::size_t k = 0; k < outputs_.size(); ++k) row_[k] = outputs_[k][lane];
    return next_.insert(row_.data());
  }

  void find_outputs() {
    outputs_.resize(plan_.next_width);
    row_.resize(plan_.next_width);
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      outputs_[k] = lanes_[plan_.program.output_register(k)];
    }
  }

  // Edges of the lanes that the program has let pass, which it has moved together: ids() says where
  // each came from. States in between have no edge.
  void collect(std::size_t states, std::size_t count) {
    find_outputs();
    const bool dropped = plan_.program.drops_lanes();
    std::uint32_t state = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t id = dropped ? lanes_.ids()[lane] : lane;
      for (; state < lane_state_[id]; ++state) layer_.first.push_back(layer_.edges.size());
      const std::uint32_t position = plan_.positions[lane_value_[id]];
      layer_.edges.push_back({position, child(lane)});
    }
    for (; state < states; ++state) layer_.first.push_back(layer_.edges.size());
  }

  // The same for a part of one state's values; run() ends the state.
  void collect_long(std::size_t begin, std::size_t count) {
    find_outputs();
    const bool dropped = plan_.program.drops_lanes();
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t id = dropped ? lanes_.ids()[lane] : lane;
      layer_.edges.push_back({plan_.positions[begin + id], child(lane)});
    }
  }

  const LevelPlan& plan_;
  const KeyTable& states_;
  const OpaqueEvaluator& opaque_;
  LaneStorage& lanes_;
  KeyTable next_;
  Layer layer_;
  std::vector<std::uint32_t> lane_state_;
  std::vector<std::uint32_t> lane_value_;
  std::vector<const double*> outputs_;
  std::vector<double> row_;
};

}  // namespace

std::vector<Layer> expand(const GroupPlan& plan, const OpaqueEvaluator& opaque, LaneStorage& lanes,
                          BuildMonitor& monitor) {
  std::vector<Layer> layers;
  KeyTable states(0);  // before the first level there is one state, of which nothing is known
  states.insert(nullptr);
  std::size_t held = 0;
  for (const LevelPlan& level : plan.levels) {
    LevelExpander expander(level, states, opaque, lanes);
    expander.run(monitor);
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
