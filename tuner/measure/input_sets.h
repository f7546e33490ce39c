#pragma once
// Sets of inputs that answers are compared on: the same fills with other random numbers, and
// numbers on which kernels go wrong that are right for ordinary ones.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/plan.h"

namespace tuner {

// Contents of all inputs. Set 0 is what the study says and is always the same; of all others the
// random numbers are drawn when the set is put in place, so that no kernel has met them before.
struct InputSet {
  std::uint32_t number = 0;
  std::uint64_t draw = 0;  // added to the seeds of what is random
  bool operator==(const InputSet&) const = default;
};

// Inputs of a timed launch: only what the device fills quickly is drawn, unless the study asks for
// fresh inputs.
inline constexpr std::uint32_t kTimedSet = 1000;

// Whether timed launches can have inputs of their own that change the answer, and the right answer
// can be had for them. With hot caches they cannot: there a sample repeats a launch.
bool can_draw_timed_inputs(const SizePlan& plan);

// Whether the argument differs from one set of random numbers to the other.
bool is_random(const ArgumentPlan& argument);

// Whether there is an input that such a fill changes.
bool has_inputs_for(const SizePlan& plan, ExtremeInputs what);

// How many there are: one where nothing is random or nothing is compared. The sets of random
// numbers come first, then those of ReferencePlan::fills.
std::uint32_t input_sets(const SizePlan& plan);
// Returns how many of the input sets are of random numbers.
std::uint32_t random_sets(const SizePlan& plan);

// The argument as the set fills it.
ArgumentPlan in_set(const SizePlan& plan, const ArgumentPlan& argument, const InputSet& set);
// Whether the argument does not hold in the set what it holds in set 0.
bool is_other_in_set(const SizePlan& plan, const ArgumentPlan& argument, std::uint32_t number);

// Which of its sets of inputs a problem makes for this one.
std::uint32_t problem_set(const SizePlan& plan, const InputSet& set);

// How warnings begin of inputs that nobody knows the answers for, and for which these overflow.
inline constexpr std::string_view kNotCompared = "answers are not compared on";
inline constexpr std::string_view kNotFinite = "there are infinities in the right answer on";

// Names a set of inputs for messages: "another set of inputs", "large inputs".
std::string name_of_set(const SizePlan& plan, std::uint32_t set);
// "right for one set of inputs, wrong for large inputs: y differs".
std::string wrong_on_set(const SizePlan& plan, std::uint32_t set, const std::string& how);
// Whether the answer's magnitude follows from that of the inputs, and absolute tolerances with it.
bool scales_answers(const SizePlan& plan, std::uint32_t set);

// Numbers that stand here and there among an input's, in the type's range: zeros of both signs,
// ones, the smallest normal numbers, subnormal ones, the ends of the fill's range. Of whole numbers
// only those of the range.
std::vector<double> special_values(const ArgumentPlan& argument);

}  // namespace tuner
