// Joins equal states of a group into nodes, and numbers the valid combinations below each.

#include "tuner/space/diagram.h"

#include <algorithm>
#include <limits>

namespace tuner::detail {
namespace {

using boost::multiprecision::cpp_int;

struct Reduced {
  std::vector<DiagramLevel> levels;
  std::uint32_t root = 0;
  bool empty = true;
};

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

// Drops states without a valid completion and joins states with equal completions. From the last
// level to the first, because a node is known by its children: these must have their final numbers
// before two nodes can be compared. A state all of whose children are dead is dead as well; so dead
// ends, which expansion cannot foresee, disappear here.
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

ConfigIndex saturating_add(ConfigIndex a, ConfigIndex b) {
  return a > kMaxIndex - b ? kMaxIndex : a + b;
}
ConfigIndex saturating_multiply(ConfigIndex a, ConfigIndex b) {
  return b != 0 && a > kMaxIndex / b ? kMaxIndex : a * b;
}

// Combinations below each node of each level; below the last level there is one.
std::vector<std::vector<ConfigIndex>> count(const std::vector<DiagramLevel>& levels) {
  std::vector<std::vector<ConfigIndex>> counts(levels.size() + 1);
  counts.back() = {1};
  for (std::size_t level = levels.size(); level-- > 0;) {
    const DiagramLevel& at = levels[level];
    for (std::size_t node = 0; node + 1 < at.first.size(); ++node) {
      ConfigIndex sum = 0;
      for (std::size_t r = at.first[node]; r < at.first[node + 1]; ++r) {
        const ConfigIndex below = counts[level + 1][at.runs[r].child];
        sum = saturating_add(sum, saturating_multiply(below, at.runs[r].length));
      }
      counts[level].push_back(sum);
    }
  }
  return counts;
}

// Combinations are numbered in the order of positions, the first level slowest. So a combination's
// number is the sum, over its path, of the combinations that lie before its step: those of the
// node's earlier runs, and those of the run's earlier values. Both are kept with each run, so that
// finding a combination by number, or the number of one, takes a binary search for each level.
//
// `Count` is 64 bits wide where that is enough: half the memory and faster division.
template <typename Count>
class CountedDiagram : public Diagram {
 public:
  CountedDiagram(Reduced&& reduced, const std::vector<std::vector<ConfigIndex>>& counts) {
    levels_ = std::move(reduced.levels);
    root_ = reduced.root;
    size_ = counts[0][root_];
    numbers_.resize(levels_.size());
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const DiagramLevel& at = levels_[level];
      numbers_[level].reserve(at.runs.size());
      for (std::size_t node = 0; node + 1 < at.first.size(); ++node) {
        ConfigIndex before = 0;
        for (std::size_t r = at.first[node]; r < at.first[node + 1]; ++r) {
          const ConfigIndex each = counts[level + 1][at.runs[r].child];
          numbers_[level].push_back({static_cast<Count>(before), static_cast<Count>(each)});
          before = saturating_add(before, saturating_multiply(each, at.runs[r].length));
        }
      }
    }
  }

  ConfigIndex size() const override { return size_; }

  std::size_t bytes() const override {
    std::size_t all = Diagram::bytes();
    for (const auto& level : numbers_) all += level.capacity() * sizeof(Numbers);
    return all;
  }

  void positions(ConfigIndex number, std::span<std::uint32_t> out) const override {
    auto rest = static_cast<Count>(number);
    std::uint32_t node = root_;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const DiagramLevel& at = levels_[level];
      const Numbers* numbers = numbers_[level].data();
      std::size_t low = at.first[node];
      std::size_t count = at.first[node + 1] - low;
      // The last run that begins at or before `rest`. Without a branch that cannot be predicted.
      while (count > 1) {
        const std::size_t half = count / 2;
        low += numbers[low + half].before <= rest ? half : 0;
        count -= half;
      }
      const Run& run = at.runs[low];
      rest -= numbers[low].before;
      std::uint32_t offset = 0;
      if (run.length > 1) {
        const Count each = numbers[low].each;
        offset = static_cast<std::uint32_t>(each == 1 ? rest : rest / each);
        rest -= offset * each;
      }
      out[at.parameter] = run.start + offset;
      node = run.child;
    }
  }

  std::optional<ConfigIndex> number_of(std::span<const std::uint32_t> positions) const override {
    return number_below(0, root_, positions);
  }

  ConfigIndex before(std::size_t level, const Run& run, std::uint32_t offset) const override {
    const Numbers& numbers = numbers_of(level, run);
    return add(numbers.before, multiply(numbers.each, offset));
  }

  void neighbours(std::span<const std::uint32_t> positions, const Allowed& allowed,
                  std::vector<ConfigIndex>& out) const override {
    // Down the old path; at each level, aside to every other value, and from there on along the old
    // positions, if these lead to a valid combination.
    ConfigIndex above = 0;  // combinations before the path so far
    std::uint32_t node = root_;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::uint32_t parameter = levels_[level].parameter;
      const std::uint32_t old = positions[parameter];
      for (const Run& run : runs(level, node)) {
        for (std::uint32_t offset = 0; offset < run.length; ++offset) {
          const std::uint32_t position = run.start + offset;
          if (position == old || !allowed(parameter, position)) continue;
          if (const auto below = number_below(level + 1, run.child, positions)) {
            out.push_back(add(add(above, before(level, run, offset)), *below));
          }
        }
      }
      const Run* run = find(level, node, old);
      if (run == nullptr) return;  // what lies below cannot repair this parameter
      above = add(above, before(level, *run, old - run->start));
      node = run->child;
    }
  }

 private:
  struct Numbers {
    Count before;  // combinations of the node's earlier runs
    Count each;    // combinations for each value of the run
  };

  // Only diagrams counted in 128 bits can reach the limit.
  static ConfigIndex add(ConfigIndex a, ConfigIndex b) {
    if constexpr (sizeof(Count) == sizeof(std::uint64_t)) return a + b;
    return saturating_add(a, b);
  }
  static ConfigIndex multiply(ConfigIndex a, ConfigIndex b) {
    if constexpr (sizeof(Count) == sizeof(std::uint64_t)) return a * b;
    return saturating_multiply(a, b);
  }

  const Numbers& numbers_of(std::size_t level, const Run& run) const {
    return numbers_[level][static_cast<std::size_t>(&run - levels_[level].runs.data())];
  }

  std::optional<ConfigIndex> number_below(std::size_t level, std::uint32_t node,
                                          std::span<const std::uint32_t> positions) const {
    ConfigIndex number = 0;
    for (; level < levels_.size(); ++level) {
      const std::uint32_t position = positions[levels_[level].parameter];
      const Run* run = find(level, node, position);
      if (run == nullptr) return std::nullopt;
      const Numbers& numbers = numbers_of(level, *run);
      number = add(number, add(numbers.before, multiply(numbers.each, position - run->start)));
      node = run->child;
    }
    return number;
  }

  std::vector<std::vector<Numbers>> numbers_;
  ConfigIndex size_ = 0;
};

std::unique_ptr<Diagram> with_counts(Reduced reduced) {
  const auto counts = count(reduced.levels);
  if (counts[0][reduced.root] <= std::numeric_limits<std::uint64_t>::max()) {
    return std::make_unique<CountedDiagram<std::uint64_t>>(std::move(reduced), counts);
  }
  return std::make_unique<CountedDiagram<ConfigIndex>>(std::move(reduced), counts);
}

}  // namespace

const Run* Diagram::find(std::size_t level, std::uint32_t node, std::uint32_t position) const {
  const DiagramLevel& at = levels_[level];
  const Run* low = at.runs.data() + at.first[node];
  std::size_t count = at.first[node + 1] - at.first[node];
  while (count > 1) {
    const std::size_t half = count / 2;
    low += low[half].start <= position ? half : 0;
    count -= half;
  }
  // Wraps around to something large when the position lies before the first run.
  return position - low->start < low->length ? low : nullptr;
}

std::size_t Diagram::bytes() const {
  std::size_t all = 0;
  for (const DiagramLevel& level : levels_) {
    all += level.first.capacity() * sizeof(std::uint32_t) + level.runs.capacity() * sizeof(Run);
  }
  return all;
}

cpp_int Diagram::exact_size() const {
  if (size() != kMaxIndex) return cpp_int(size());
  // The counts that are kept have saturated: count once more with long numbers.
  std::vector<cpp_int> below{1};
  for (std::size_t level = levels_.size(); level-- > 0;) {
    const DiagramLevel& at = levels_[level];
    std::vector<cpp_int> here;
    for (std::size_t node = 0; node + 1 < at.first.size(); ++node) {
      cpp_int sum = 0;
      for (std::size_t r = at.first[node]; r < at.first[node + 1]; ++r) {
        sum += below[at.runs[r].child] * at.runs[r].length;
      }
      here.push_back(std::move(sum));
    }
    below = std::move(here);
  }
  return below[root_];
}

std::unique_ptr<Diagram> make_diagram(std::vector<Layer> layers,
                                      std::span<const std::uint32_t> parameters,
                                      BuildMonitor& monitor) {
  Reduced reduced = reduce(std::move(layers), parameters, monitor);
  if (reduced.empty) return nullptr;
  auto diagram = with_counts(std::move(reduced));
  monitor.hold(diagram->bytes() - diagram->Diagram::bytes());
  return diagram;
}

std::unique_ptr<Diagram> make_free_diagram(std::uint32_t parameter,
                                           std::span<const std::uint32_t> positions) {
  Reduced reduced;
  DiagramLevel level;
  level.parameter = parameter;
  for (std::uint32_t position : positions) {
    if (!level.runs.empty() && level.runs.back().start + level.runs.back().length == position) {
      ++level.runs.back().length;
    } else {
      level.runs.push_back({position, 1, 0});
    }
  }
  level.first = {0, static_cast<std::uint32_t>(level.runs.size())};
  reduced.levels.push_back(std::move(level));
  return with_counts(std::move(reduced));
}

}  // namespace tuner::detail
