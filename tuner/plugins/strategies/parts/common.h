#pragma once
// Names and small helpers that all strategies share.

#include <cstdint>
#include <limits>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/strategies/parts/random.h"

namespace tuner::strategies {

using sdk::Observation;
using sdk::Space;
using sdk::StrategySetup;

using Positions = std::vector<std::uint32_t>;  // one value position for each parameter

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct IndexHash {
  std::size_t operator()(Index index) const {
    const tuner_index parts = sdk::to_abi(index);
    return static_cast<std::size_t>(mix64(parts.low ^ mix64(parts.high)));
  }
};

// Failed configurations are worse than any other. NaN never wins a comparison, so it counts as one.
inline double value_of(const Observation& observation) {
  if (observation.objectives.empty()) return kInfinity;
  const double value = observation.objectives.front();
  return std::isnan(value) ? kInfinity : value;
}

}  // namespace tuner::strategies
