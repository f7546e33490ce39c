#pragma once
// How the arguments of a plan become those of a launch.

#include <cstdint>
#include <vector>

#include "tuner/engine/guarded_memory.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// The argument whose buffer is passed: a tensor map passes that of another one.
inline std::uint32_t slot_of(const ArgumentPlan& argument, std::uint32_t own) {
  return argument.map ? argument.map->of : own;
}

// Its size may depend on the configuration.
inline bool may_grow(const ArgumentPlan& argument) {
  return argument.role == Role::kScratch || argument.role == Role::kWorkspace;
}

inline LaunchArgument launch_argument(const ArgumentPlan& argument, BufferId buffer) {
  if (argument.map) return {true, contents_of(buffer), {}, argument.map->map};
  return {!argument.is_scalar, contents_of(buffer), argument.scalar};
}

// That of the variant, where it has one of its own. `offset`: of the first of `plans` among all
// arguments and constants.
inline const ArgumentPlan& argument_of(const std::vector<ArgumentPlan>& plans, std::uint32_t offset,
                                       std::uint32_t index, const VariantPlan& variant) {
  for (const auto& [place, plan] : variant.overrides) {
    if (place == offset + index) return plan;
  }
  return plans[index];
}

}  // namespace tuner
