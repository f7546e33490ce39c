#pragma once
// Expanded levels to a decision diagram.

#include <span>
#include <vector>

#include "tuner/space/diagram.h"

namespace tuner::detail {

struct Reduced {
  std::vector<DiagramLevel> levels;
  std::uint32_t root = 0;
  bool empty = true;
};

// Drops states without a valid completion and joins states with equal completions.
Reduced reduce(std::vector<Layer> layers, std::span<const std::uint32_t> parameters,
               BuildMonitor& monitor);

}  // namespace tuner::detail
