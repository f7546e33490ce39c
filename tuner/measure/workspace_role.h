#pragma once
// Arguments of role workspace: what a variant finds in them, and what it must leave.

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/measure/guarded_memory.h"
#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner {

// One of them, as a variant has it.
struct WorkspaceArgument {
  const ArgumentPlan* argument = nullptr;
  BufferId buffer = 0;
  std::uint64_t bytes = 0;  // may depend on the configuration
};

// Whether each launch begins with what the one before has left, and leaves nothing but zeros.
bool keeps_zeros(const ArgumentPlan& argument);

// As if it were just made, guard words in place. Those behind it move with its size: those of
// another variant may lie within.
DeviceResult<Ok> renew(GuardedMemory& memory, const WorkspaceArgument& one);

// In words, what a launch left in one that keeps zeros, when that is anything else (renewed then).
DeviceResult<std::optional<std::string>> left_behind(Backend& backend, GuardedMemory& memory,
                                                     const WorkspaceArgument& one);

}  // namespace tuner
