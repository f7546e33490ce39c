// Numbers the valid combinations of a group, and finds them by number.

#include "tuner/space/diagram.h"

#include <limits>

namespace tuner::detail {
namespace {

using boost::multiprecision::cpp_int;

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
