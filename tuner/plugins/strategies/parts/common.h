#pragma once
// Names and small helpers that strategies share; at the end, what population methods share.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
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

// The places 0 .. count-1 by what `key` says of each, the smallest first; of equals the earlier.
template <typename Key>
std::vector<std::size_t> places_by(std::size_t count, Key key) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, key);
  return places;
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

inline const Member& best_of(const Population& members) {
  return *std::ranges::min_element(members, {}, &Member::value);
}

// The better of two random members.
inline const Member& tournament(const Population& members, Rng& rng) {
  const Member& a = rng.pick(members);
  const Member& b = rng.pick(members);
  return b.value < a.value ? b : a;
}

}  // namespace tuner::strategies
