#pragma once
// Recorded results of one place as prior knowledge for the search in another.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/exchange/recording.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/parameter.h"

namespace tuner {

// A space to search, as far as it matters here: SearchSpace, RecordedSpace.
struct PriorTarget {
  const std::vector<Parameter>& parameters;
  std::function<std::optional<ConfigIndex>(std::span<const std::uint32_t>)> index_of;
};

template <typename Space>
PriorTarget prior_target(const Space& space) {
  return {space.parameters(),
          [&space](std::span<const std::uint32_t> positions) { return space.index_of(positions); }};
}

// Parameters are matched by name and values by equality; a parameter with a single value may be
// missing on either side, and of a recorded parameter that the space does not have the best value
// counts. Results are sorted by index; none when a parameter of the space was not recorded, or when
// the objectives have no ratio (zeros, both signs).
Prior prior_of(const Recording& recording, bool maximize, const PriorTarget& target,
               double likeness);

}  // namespace tuner
