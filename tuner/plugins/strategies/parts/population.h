#pragma once
// What population methods share.

#include <vector>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

// The option "start" of population methods.
inline constexpr tuner_option_info kStartOption = {"start", "sensible",
                                                   "the first configurations: sensible or random"};

inline bool sensible_start_option(const StrategySetup& setup) {
  return setup.options.choice("start", {"sensible", "random"}) == "sensible";
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
