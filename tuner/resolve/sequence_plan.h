#pragma once
// The launches of a variant or of the reference, with all expressions evaluated.

#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"

namespace tuner {

// Grid and block extents must be whole numbers from 1 to 2^32-1, shared memory from 0; an empty
// expression is 1 (shared memory: 0). 4.0 counts as whole, since "/" divides like Python's.
Expected<LaunchAttributes, std::string> launch_attributes(const LaunchAttributesSpec& spec,
                                                          const Bindings& names);
Expected<LaunchGeometry, std::string> geometry(const LaunchSpec& launch, const Bindings& names);

// Most launches that a sequence has.
inline constexpr std::uint64_t kMostLaunches = 20000;

// Whether a launch follows the main one.
Expected<bool, EvaluationError> takes_part(const NextLaunchSpec& next, const Bindings& names);

// The launches that follow the main one with these names, in their order.
Expected<std::vector<NextLaunchPlan>, std::string> next_launches(
    const Study& study, const std::vector<NextLaunchSpec>& then, const Bindings& names);

// Plan the launches of the study, and of its reference. A failure is a sentence that names the
// expression at fault.
Expected<SequencePlan, std::string> variant_sequence(const Study& study, const Bindings& names);
Expected<SequencePlan, std::string> reference_sequence(const Study& study, const Bindings& names);

}  // namespace tuner
