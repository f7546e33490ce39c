#pragma once
// Groups of which a condition lists the combinations, as in (a, b) in [(1, 2), (3, 4)].

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/domains.h"
#include "tuner/space/expand.h"

namespace tuner::detail {

// The layers of a group, in its parameters' order, when one of its conditions is such a list of
// all of its parameters: then only what is in the list is looked at, instead of every value of
// each. Empty where none is.
std::optional<std::vector<Layer>> expand_rows(const TermGraph& graph,
                                              std::span<const TermId> conditions,
                                              std::span<const std::uint32_t> group,
                                              const std::vector<Domain>& domains,
                                              const OpaqueEvaluator& opaque, BuildMonitor& monitor);

}  // namespace tuner::detail
