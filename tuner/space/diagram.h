#pragma once
// The valid combinations of one group's parameters: a decision diagram in which equal subtrees are
// one node, with the number of combinations below every node.

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/expand.h"
#include "tuner/space/parameter.h"

namespace tuner::detail {

constexpr ConfigIndex kMaxIndex = ~ConfigIndex{0};

// `length` consecutive positions from `start`, all leading to the same node of the next level.
struct Run {
  std::uint32_t start;
  std::uint32_t length;
  std::uint32_t child;
  friend bool operator==(const Run&, const Run&) = default;
};

// Nodes of one level; those of node n are runs [first[n], first[n + 1]), starts ascending.
struct DiagramLevel {
  std::uint32_t parameter = 0;
  std::vector<std::uint32_t> first;
  std::vector<Run> runs;
};

// Combinations are numbered in the order of positions, the first level slowest.
class Diagram {
 public:
  Diagram(std::vector<DiagramLevel> levels, std::uint32_t root);

  const std::vector<DiagramLevel>& levels() const { return levels_; }
  std::uint32_t root() const { return root_; }
  std::span<const Run> runs(std::size_t level, std::uint32_t node) const {
    const DiagramLevel& at = levels_[level];
    return {at.runs.data() + at.first[node], at.runs.data() + at.first[node + 1]};
  }
  // The run of `node` that holds `position`; null when none does.
  const Run* find(std::size_t level, std::uint32_t node, std::uint32_t position) const;

  // Combinations: saturated, and exact.
  ConfigIndex size() const { return size_; }
  boost::multiprecision::cpp_int exact_size() const;
  // Bytes of its tables of numbers.
  std::size_t number_bytes() const;

  // Writes the positions of combination `number` to out[parameter].
  void positions(ConfigIndex number, std::span<std::uint32_t> out) const;

  // The number of the combination in positions[parameter]; empty when it is not valid.
  std::optional<ConfigIndex> number_of(std::span<const std::uint32_t> positions) const {
    return number_below(0, root_, positions);
  }

  // Numbers of valid combinations that differ from `positions` in one parameter of the group, to a
  // position that `allowed` accepts. Appended to `out`.
  using Allowed = std::function<bool(std::uint32_t parameter, std::uint32_t position)>;
  void neighbours(std::span<const std::uint32_t> positions, const Allowed& allowed,
                  std::vector<ConfigIndex>& out) const;

 private:
  struct Numbers {
    ConfigIndex before;  // combinations of the node's earlier runs
    ConfigIndex each;    // combinations for each value of the run
  };

  // Combinations of a run's node that come before the value at `offset` of the run.
  ConfigIndex before(std::size_t level, const Run& run, std::uint32_t offset) const;
  // The number among the combinations below a node.
  std::optional<ConfigIndex> number_below(std::size_t level, std::uint32_t node,
                                          std::span<const std::uint32_t> positions) const;

  std::vector<DiagramLevel> levels_;
  std::uint32_t root_ = 0;
  std::vector<std::vector<Numbers>> numbers_;  // of each run of each level
  ConfigIndex size_ = 0;
};

// A group's diagram among those of all groups. The index of a configuration is the sum, over the
// groups, of its number in the group's diagram times the stride.
struct NumberedDiagram {
  const Diagram* diagram = nullptr;
  ConfigIndex stride = 0;  // saturates at kMaxIndex
};

// Reduces expanded layers, bottom up. Empty when nothing is valid.
std::optional<Diagram> make_diagram(std::vector<Layer> layers,
                                    std::span<const std::uint32_t> parameters,
                                    BuildMonitor& monitor);

// A single parameter of which all the given positions are valid.
Diagram make_free_diagram(std::uint32_t parameter, std::span<const std::uint32_t> positions);

}  // namespace tuner::detail
