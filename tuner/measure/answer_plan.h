#pragma once
// Finds what an answer's plan says, and names the answer in messages.

#include <algorithm>
#include <cstdint>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/resolve/argument_names.h"

namespace tuner {

// " for STEPS=4", where there are several answers.
inline std::string of_values(const AnswerPlan& plan) {
  return plan.values.empty() ? std::string() : " for " + plan.values;
}

// "the reference for STEPS=4". What is wrong with a launch that has all arguments is as wrong with
// the kernel's.
inline std::string who(const SizePlan& plan, const AnswerPlan& answer,
                       const DeviceFailure& failure) {
  const bool is_shared =
      is_about_arguments(failure) && plan.reference->arguments.size() == plan.arguments.size();
  return "the reference" + of_values(answer) +
         (is_shared ? ", which is given all arguments like the kernel" : "");
}

inline const AnswerPlan* plan_with(const ReferencePlan& reference, std::uint32_t key) {
  const auto found = std::ranges::find(reference.answers, key, &AnswerPlan::key);
  return found == reference.answers.end() ? nullptr : &*found;
}

// The argument as this answer's launch has it.
inline const ArgumentPlan& argument_of(const SizePlan& plan, const AnswerPlan& answer,
                                       std::uint32_t index) {
  for (const auto& [place, argument] : answer.overrides) {
    if (place == index) return argument;
  }
  return plan.arguments[index];
}

}  // namespace tuner
