#pragma once
// Sets of inputs that answers are compared on: the same fills with other random numbers, and
// numbers on which kernels go wrong that are right for ordinary ones.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/model/plan.h"

namespace tuner {

// With `inputs: fresh`, sets of random numbers for timed launches. They are numbered behind all
// others: one whose right answers are known, and then as many as are needed.
inline constexpr std::uint32_t kKnownFreshSet = 1000;
inline bool is_fresh(std::uint32_t set) { return set >= kKnownFreshSet; }
// The set behind this one that no right answer is known of.
std::uint32_t next_fresh_set(std::uint32_t set);

// Whether the argument differs from one set of random numbers to the other.
bool is_random(const ArgumentPlan& argument);

// Whether there is an input that such a fill changes.
bool has_inputs_for(const SizePlan& plan, ExtremeInputs what);

// How many there are: one where nothing is random or nothing is compared. The sets of random
// numbers come first, then those of ReferencePlan::fills.
std::uint32_t input_sets(const SizePlan& plan);
// Of these, how many are of random numbers.
std::uint32_t random_sets(const SizePlan& plan);

// The argument as set number `set` of the plan fills it; set 0 is what the study says.
ArgumentPlan in_set(const SizePlan& plan, const ArgumentPlan& argument, std::uint32_t set);

// Which of its sets of inputs a problem makes for set number `set` of the plan.
std::uint32_t problem_set(const SizePlan& plan, std::uint32_t set);

// For messages: "another set of inputs", "large inputs".
std::string name_of_set(const SizePlan& plan, std::uint32_t set);
// Whether the answer's magnitude follows from that of the inputs, and absolute tolerances with it.
bool scales_answers(const SizePlan& plan, std::uint32_t set);

// Numbers that stand here and there among an input's, in the type's range: zeros of both signs,
// ones, the smallest normal numbers, subnormal ones, the ends of the fill's range. Of whole numbers
// only those of the range.
std::vector<double> special_values(const ArgumentPlan& argument);

}  // namespace tuner
