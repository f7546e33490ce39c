#pragma once
// Shared by the two halves of the workspace.

#include <cstdint>
#include <string>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"

namespace tuner::detail {

// On each side of a buffer's contents; keeps what allocations are aligned to.
inline constexpr std::uint64_t kGuardBytes = 1024;
inline constexpr unsigned char kGuardByte = 0xA7;

// All ones is a NaN in every floating type; as an integer it would be -1, which is a likely answer.
inline unsigned char poison_for(DataType type) { return is_floating(type) ? 0xFF : 0xA5; }

inline std::uint64_t bytes_of(const ArgumentPlan& argument) {
  return argument.is_scalar ? 0 : argument.elements * size_of(argument.type);
}

// Whose buffer an argument passes: a map passes another's.
inline std::uint32_t slot_of(const ArgumentPlan& argument, std::uint32_t own) {
  return argument.map ? argument.map->of : own;
}

// Where a guarded buffer's contents begin.
inline BufferRange contents_of(BufferId buffer) { return {buffer, kGuardBytes}; }

inline LaunchArgument launch_argument(const ArgumentPlan& argument, BufferId buffer) {
  if (argument.map) return {true, contents_of(buffer), {}, argument.map->map};
  return {!argument.is_scalar, contents_of(buffer), argument.scalar};
}

inline DeviceFailure in_context(const std::string& what, DeviceFailure failure) {
  failure.message = what + ": " + failure.message;
  return failure;
}

}  // namespace tuner::detail
