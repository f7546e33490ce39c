#pragma once
// Buffers of structs: each member looked at as an array of its own.

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/measure/guarded_memory.h"
#include "tuner/model/plan.h"

namespace tuner {

// Bytes of one struct.
inline std::uint64_t stride_of(const ArgumentPlan& structs) { return structs.extents.back(); }

// The member of all structs as an argument "particles.mass".
ArgumentPlan member_array(const ArgumentPlan& structs, const MemberPlan& member);

// Writes the numbers of one member into the structs.
void scatter(std::span<const std::byte> numbers, const MemberPlan& member,
             std::span<std::byte> structs, std::uint64_t stride);

// One member's numbers, in a guarded buffer.
struct MemberArray {
  ArgumentPlan argument;
  DeviceBuffer data;
};
// As ArgumentPlan::members. `from`: a guarded buffer of structs.
DeviceResult<std::vector<MemberArray>> split_members(DeviceMemory& memory,
                                                     const ArgumentPlan& structs, BufferId from);

}  // namespace tuner
