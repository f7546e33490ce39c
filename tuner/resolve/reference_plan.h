#pragma once
// The right answers of a problem size: how the reference is launched for each, and what is
// compared.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/plan.h"
#include "tuner/model/study.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Most answers of a reference with `per`: each takes a launch of it, and memory while a size is
// tuned.
inline constexpr std::uint64_t kMostAnswers = 64;

// One of the right answers: the values of the parameters that it depends on, in a configuration
// with whose definitions the reference is compiled.
struct ReferenceCase {
  std::uint32_t key = 0;  // AnswerPlan::key
  std::string values;     // AnswerPlan::values
  Configuration configuration;
};

// Lists one case for each combination of values of reference.per that a configuration of `space`
// has; its configuration is the first of these with the reference's own values. Without
// reference.per: one, from the space's first configuration. None without a reference, or for an
// empty space.
std::vector<ReferenceCase> reference_cases(const Study& study, const SearchSpace& space);

// Returns which of the answers is the configuration's.
std::uint32_t answer_key(const Study& study, const SearchSpace& space,
                         const Configuration& configuration);

// `names` with each combination of values of the parameters that the right answer depends on,
// whether the space has it or not. Requires study.reference.
std::vector<Bindings> answer_cases(const Study& study, const Bindings& names);

// Adds the derived names that follow from these alone.
Bindings with_derived(const Study& study, Bindings names);

// `names`: those that are the same for every configuration. Requires study.reference.
Expected<ReferencePlan, std::string> reference_plan(const Study& study, const Bindings& names,
                                                    const std::vector<ReferenceCase>& cases);

// The outputs that the study names, and every other one that the reference writes.
Expected<std::vector<CheckPlan>, std::string> check_plans(const Study& study,
                                                          const ReferencePlan& reference,
                                                          const Bindings& fixed);

}  // namespace tuner
