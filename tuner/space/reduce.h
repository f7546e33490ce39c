#pragma once
// Expanded levels to a decision diagram.

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/expand.h"

namespace tuner::detail {

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

struct Reduced {
  std::vector<DiagramLevel> levels;
  std::uint32_t root = 0;
  bool empty = true;
};

// Drops states without a valid completion and joins states with equal completions.
Reduced reduce(std::vector<Layer> layers, std::span<const std::uint32_t> parameters,
               BuildMonitor& monitor);

}  // namespace tuner::detail
