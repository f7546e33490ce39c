// Joins equal states of a group into nodes, and numbers the valid combinations below each.

#include "tuner/space/diagram.h"

#include <algorithm>

#include "tuner/base/hash.h"
#include "tuner/space/terms.h"

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

// Nodes of one level. Two states with the same children for the same values have the same valid
// completions: they become one node, which is found by a hash of its runs.
class NodeTable {
 public:
  explicit NodeTable(std::uint32_t parameter) {
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
      hash = splitmix64(hash ^ runs[i].child ^ std::uint64_t{runs[i].start} << 32);
      hash = splitmix64(hash ^ runs[i].length);
    }
    const std::uint32_t before = index_.size();
    const std::uint32_t node = index_.insert(hash, [&](std::uint32_t other) {
      return std::ranges::equal(std::span(runs).subspan(first),
                                std::span(runs)
                                    .subspan(level_.first[other])
                                    .first(level_.first[other + 1] - level_.first[other]));
    });
    if (node == before) {
      level_.first.push_back(static_cast<std::uint32_t>(runs.size()));
    } else {
      runs.resize(first);
    }
    return node;
  }

  std::size_t bytes() const { return bytes_of(level_) + index_.bytes(); }

  DiagramLevel take() {
    level_.first.shrink_to_fit();
    level_.runs.shrink_to_fit();
    return std::move(level_);
  }

 private:
  DiagramLevel level_;
  HashIndex index_;
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

// Indices stay at the highest; long numbers grow.
ConfigIndex add(ConfigIndex a, ConfigIndex b) {
  ConfigIndex sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMaxIndex : sum;
}
ConfigIndex multiply(ConfigIndex a, std::uint32_t b) {
  ConfigIndex product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMaxIndex : product;
}

cpp_int add(const cpp_int& a, const cpp_int& b) { return a + b; }
cpp_int multiply(const cpp_int& a, std::uint32_t b) { return a * b; }

// Division of 128 bits is slow, and most numbers have 64.
ConfigIndex quotient(ConfigIndex a, ConfigIndex b) {
  const bool narrow = a >> 64 == 0 && b >> 64 == 0;
  return narrow ? static_cast<std::uint64_t>(a) / static_cast<std::uint64_t>(b) : a / b;
}

// Combinations below each node of each level; below the last level there is one.
template <typename Number>
std::vector<std::vector<Number>> count(const std::vector<DiagramLevel>& levels) {
  std::vector<std::vector<Number>> counts(levels.size() + 1);
  counts.back() = {1};
  for (std::size_t level = levels.size(); level-- > 0;) {
    const DiagramLevel& at = levels[level];
    for (std::size_t node = 0; node + 1 < at.first.size(); ++node) {
      Number sum = 0;
      for (std::size_t r = at.first[node]; r < at.first[node + 1]; ++r) {
        const Number& below = counts[level + 1][at.runs[r].child];
        sum = add(sum, multiply(below, at.runs[r].length));
      }
      counts[level].push_back(sum);
    }
  }
  return counts;
}

}  // namespace

// A combination's number is the sum, over its path, of the combinations that lie before its step:
// those of the node's earlier runs, and those of the run's earlier values. Both are kept with each
// run, so that finding a combination by number, or the number of one, takes a binary search for
// each level.
Diagram::Diagram(std::vector<DiagramLevel> levels, std::uint32_t root)
    : levels_(std::move(levels)), root_(root), numbers_(levels_.size()) {
  const auto counts = count<ConfigIndex>(levels_);
  size_ = counts[0][root_];
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const DiagramLevel& at = levels_[level];
    numbers_[level].reserve(at.runs.size());
    for (std::size_t node = 0; node + 1 < at.first.size(); ++node) {
      ConfigIndex before = 0;
      for (std::size_t r = at.first[node]; r < at.first[node + 1]; ++r) {
        const ConfigIndex each = counts[level + 1][at.runs[r].child];
        numbers_[level].push_back({before, each});
        before = add(before, multiply(each, at.runs[r].length));
      }
    }
  }
}

void Diagram::positions(ConfigIndex number, std::span<std::uint32_t> out) const {
  std::uint32_t node = root_;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const DiagramLevel& at = levels_[level];
    // The last run that begins at or before `number`.
    const auto numbers =
        std::span(numbers_[level]).first(at.first[node + 1]).subspan(at.first[node]);
    const auto found = std::prev(std::ranges::upper_bound(numbers, number, {}, &Numbers::before));
    const Run& run = at.runs[at.first[node] + static_cast<std::size_t>(found - numbers.begin())];
    number -= found->before;
    std::uint32_t offset = 0;
    if (run.length > 1) {
      offset = static_cast<std::uint32_t>(quotient(number, found->each));
      number -= offset * found->each;
    }
    out[at.parameter] = run.start + offset;
    node = run.child;
  }
}

std::optional<ConfigIndex> Diagram::number_below(std::size_t level, std::uint32_t node,
                                                 std::span<const std::uint32_t> positions) const {
  ConfigIndex number = 0;
  for (; level < levels_.size(); ++level) {
    const std::uint32_t position = positions[levels_[level].parameter];
    const Run* run = find(level, node, position);
    if (run == nullptr) return std::nullopt;
    number = add(number, before(level, *run, position - run->start));
    node = run->child;
  }
  return number;
}

ConfigIndex Diagram::before(std::size_t level, const Run& run, std::uint32_t offset) const {
  const auto at = static_cast<std::size_t>(&run - levels_[level].runs.data());
  const Numbers& numbers = numbers_[level][at];
  return add(numbers.before, multiply(numbers.each, offset));
}

void Diagram::neighbours(std::span<const std::uint32_t> positions, const Allowed& allowed,
                         std::vector<ConfigIndex>& out) const {
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

const Run* Diagram::find(std::size_t level, std::uint32_t node, std::uint32_t position) const {
  const auto all = runs(level, node);
  const auto after = std::ranges::upper_bound(all, position, {}, &Run::start);
  if (after == all.begin()) return nullptr;
  const Run& run = *std::prev(after);
  return position - run.start < run.length ? &run : nullptr;
}

std::size_t Diagram::number_bytes() const {
  std::size_t all = 0;
  for (const auto& level : numbers_) all += level.capacity() * sizeof(Numbers);
  return all;
}

cpp_int Diagram::exact_size() const {
  return size() != kMaxIndex ? cpp_int(size()) : count<cpp_int>(levels_)[0][root_];
}

std::optional<Diagram> make_diagram(std::vector<Layer> layers,
                                    std::span<const std::uint32_t> parameters,
                                    BuildMonitor& monitor) {
  Reduced reduced = reduce(std::move(layers), parameters, monitor);
  if (reduced.empty) return std::nullopt;
  Diagram diagram(std::move(reduced.levels), reduced.root);
  monitor.hold(diagram.number_bytes());
  return diagram;
}

Diagram make_free_diagram(std::uint32_t parameter, std::span<const std::uint32_t> positions) {
  NodeTable nodes(parameter);
  for (std::uint32_t position : positions) nodes.add(position, 0);
  nodes.finish();
  std::vector<DiagramLevel> levels;
  levels.push_back(nodes.take());
  return Diagram(std::move(levels), 0);
}

}  // namespace tuner::detail
