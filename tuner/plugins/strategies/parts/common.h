#pragma once
// Names and small helpers that strategies share; at the end, what population methods share.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::strategies {

using sdk::Index;
using sdk::mix64;
using sdk::Observation;
using sdk::Permutation;
using sdk::Rng;
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

// ---- populations --------------------------------------------------------------------------------

// The option "start" of population methods.
inline constexpr tuner_option_info kStartOption = {
    "start", "sensible", "the first configurations: sensible or random", "one of sensible, random"};

inline bool sensible_start_option(const sdk::Options& options) {
  return options.get<std::string>("start") == "sensible";
}

struct Member {
  Index index = 0;
  Positions positions;
  double value = kInfinity;
};

using Population = std::vector<Member>;

inline Population make_population(const Space& space, const std::vector<Index>& indices,
                                  const std::vector<double>& values) {
  Population members;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    members.push_back({indices[i], space.positions(indices[i]), values[i]});
  }
  return members;
}

// The better of two random members.
inline const Member& tournament(const Population& members, Rng& rng) {
  const Member& a = rng.pick(members);
  const Member& b = rng.pick(members);
  return b.value < a.value ? b : a;
}

}  // namespace tuner::strategies
