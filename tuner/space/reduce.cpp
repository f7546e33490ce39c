// Joins equal states of an expanded group from the last level to the first.

#include "tuner/space/reduce.h"

#include <algorithm>

namespace tuner::detail {
namespace {

constexpr std::uint32_t kDead = ~std::uint32_t{0};

std::size_t bytes_of(const DiagramLevel& level) {
  return level.first.capacity() * sizeof(std::uint32_t) + level.runs.capacity() * sizeof(Run);
}
std::size_t bytes_of(const Layer& layer) {
  return layer.first.capacity() * sizeof(std::uint64_t) + layer.edges.capacity() * sizeof(Edge);
}

// Nodes of one level. Two states with the same children for the same values have the same valid
// completions: they become one node, which is found by a hash of its runs.
class NodeTable {
 public:
  explicit NodeTable(std::uint32_t parameter) : slots_(64) {
    level_.parameter = parameter;
    level_.first.push_back(0);
  }

  // One more value of the node being made, positions ascending. Neighbouring values that lead to
  // the same child become one run.
  void add(std::uint32_t position, std::uint32_t child) {
    auto& runs = level_.runs;
    if (runs.size() > level_.first.back()) {
      Run& last = runs.back();
      if (last.child == child && last.start + last.length == position) {
        ++last.length;
        return;
      }
    }
    runs.push_back({position, 1, child});
  }

  // The node made of the runs added since the last node; kDead when there are none.
  std::uint32_t finish() {
    auto& runs = level_.runs;
    const std::size_t first = level_.first.back();
    if (runs.size() == first) return kDead;
    std::uint64_t hash = 0;
    for (std::size_t i = first; i < runs.size(); ++i) {
      hash = (hash ^ runs[i].child ^ (std::uint64_t{runs[i].start} << 32)) * 0x9E3779B97F4A7C15ULL;
      hash = (hash ^ (hash >> 29) ^ runs[i].length) * 0xBF58476D1CE4E5B9ULL;
    }
    hash ^= hash >> 32;
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t node = slots_[at] - 1;
      if (hashes_[node] != hash) continue;
      const auto begin = runs.begin() + level_.first[node];
      const auto end = runs.begin() + level_.first[node + 1];
      if (!std::equal(begin, end, runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end())) {
        continue;
      }
      runs.resize(first);
      return node;
    }
    level_.first.push_back(static_cast<std::uint32_t>(runs.size()));
    hashes_.push_back(hash);
    slots_[at] = static_cast<std::uint32_t>(hashes_.size());
    if (hashes_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(hashes_.size() - 1);
  }

  std::size_t bytes() const {
    return bytes_of(level_) + hashes_.capacity() * sizeof(std::uint64_t) +
           slots_.capacity() * sizeof(std::uint32_t);
  }

  DiagramLevel take() {
    level_.first.shrink_to_fit();
    level_.runs.shrink_to_fit();
    return std::move(level_);
  }

 private:
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (std::size_t node = 0; node < hashes_.size(); ++node) {
      std::size_t at = hashes_[node] & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = static_cast<std::uint32_t>(node + 1);
    }
  }

  DiagramLevel level_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // node + 1
};

}  // namespace

// From the last level to the first, because a node is known by its children: these must have their
// final numbers before two nodes can be compared. A state all of whose children are dead is dead as
// well; so dead ends, which expansion cannot foresee, disappear here.
Reduced reduce(std::vector<Layer> layers, std::span<const std::uint32_t> parameters,
               BuildMonitor& monitor) {
  Reduced out;
  if (layers.size() < parameters.size()) {
    for (const Layer& layer : layers) monitor.release(bytes_of(layer));
    return out;
  }
  out.levels.resize(parameters.size());
  std::vector<std::uint32_t> node_of{0};  // state of the level below -> node
  for (std::size_t level = parameters.size(); level-- > 0;) {
    monitor.poll();
    Layer& layer = layers[level];
    NodeTable nodes(parameters[level]);
    std::vector<std::uint32_t> here;
    here.reserve(layer.first.size());
    for (std::size_t state = 0; state + 1 < layer.first.size(); ++state) {
      for (std::uint64_t e = layer.first[state]; e < layer.first[state + 1]; ++e) {
        const std::uint32_t child = node_of[layer.edges[e].child];
        if (child != kDead) nodes.add(layer.edges[e].position, child);
      }
      here.push_back(nodes.finish());
    }
    monitor.hold(nodes.bytes());
    monitor.release(bytes_of(layer) + nodes.bytes());
    layer = {};
    node_of = std::move(here);
    out.levels[level] = nodes.take();
    monitor.hold(bytes_of(out.levels[level]));
  }
  out.empty = node_of[0] == kDead;
  out.root = node_of[0];
  return out;
}

}  // namespace tuner::detail
