#pragma once
// Device memory with guard words around its contents: a variant that writes outside of its buffers
// is found out, and cannot hurt the buffers of the next one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/study_plugins.h"

namespace tuner {

// Size of the guard on each side of a buffer's contents; a multiple of what allocations are aligned
// to, so that the contents are aligned as well.
inline constexpr std::uint64_t kGuardBytes = 1024;
inline constexpr unsigned char kGuardByte = 0xA7;

// All ones is a NaN in every floating type; as an integer it would be -1, which is a likely answer.
inline unsigned char poison_for(DataType type) { return is_floating(type) ? 0xFF : 0xA5; }

// Structs with a floating-point number begin as NaN, too.
inline unsigned char poison_for(const ArgumentPlan& argument) {
  for (const MemberPlan& member : argument.members) {
    if (is_floating(member.type)) return poison_for(member.type);
  }
  return poison_for(argument.type);
}

inline std::uint64_t bytes_of(const ArgumentPlan& argument) {
  return argument.is_scalar ? 0 : argument.elements * size_of(argument.type);
}

// The argument as one launch has it. Constants are counted behind the arguments.
const ArgumentPlan& argument_of(
    const SizePlan& plan, const std::vector<std::pair<std::uint32_t, ArgumentPlan>>& overrides,
    std::uint32_t index);

// Returns where a guarded buffer's contents begin.
inline BufferRange contents_of(BufferId buffer) { return {buffer, kGuardBytes}; }

// The failure with what it happened to in front of its message.
DeviceFailure in_context(const std::string& what, DeviceFailure failure);
template <typename T>
DeviceResult<T> in_context(const std::string& what, DeviceResult<T> result) {
  if (!result) result.error() = in_context(what, std::move(result.error()));
  return result;
}

// The argument as a problem sees it, without its contents.
ProblemArray problem_array(const ArgumentPlan& argument);

// Makes what a kernel receives for argument `index`: bytes, with addresses filled in, or a guarded
// buffer, as a map of it where the study says so. `buffer_of` returns an argument's buffer.
LaunchArgument launch_argument(const ArgumentPlan& argument, std::uint32_t index,
                               const std::function<BufferId(std::uint32_t)>& buffer_of);
// A table of addresses gets its bytes. As above.
DeviceResult<Ok> fill_table(DeviceMemory& memory, ArgumentPlan& table,
                            const std::function<BufferId(std::uint32_t)>& buffer_of);

// Owns one device buffer.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceMemory& memory, BufferId id) : memory_(&memory), id_(id) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~DeviceBuffer() {
    if (memory_ != nullptr) memory_->release(id_);
  }
  explicit operator bool() const { return memory_ != nullptr; }
  BufferId id() const { return id_; }

 private:
  DeviceMemory* memory_ = nullptr;
  BufferId id_ = 0;
};

DeviceResult<Ok> fill_bytes(DeviceMemory& memory, const ByteFill& how);

class GuardedMemory {
 public:
  // Both outlive this; `problem` may be null where nothing is left to one.
  explicit GuardedMemory(DeviceMemory& memory, Problem* problem = nullptr)
      : memory_(memory), problem_(problem) {}

  // Guard words, room for contents, guard words. The contents begin at `address`, unless that is 0.
  DeviceResult<DeviceBuffer> allocate_guarded(std::uint64_t bytes, std::uint64_t address = 0);
  // Guard words and room for contents, that are copied over the beginning of a guarded buffer at
  // once.
  DeviceResult<DeviceBuffer> allocate_pristine(std::uint64_t bytes);

  DeviceResult<Ok> fill_bytes(BufferId buffer, std::uint64_t offset, std::uint64_t bytes,
                              unsigned char value);
  // The contents, with what the study says of the argument.
  DeviceResult<Ok> fill(BufferId buffer, const ArgumentPlan& argument);
  // The bytes that the study fills a constant with; symbols are set from the host.
  DeviceResult<std::vector<std::byte>> fetched(const ArgumentPlan& constant);
  // Contents only.
  DeviceResult<Ok> copy(BufferId to, BufferId from, std::uint64_t bytes);
  // Whether all bits of the contents are.
  DeviceResult<bool> is_zero(BufferId buffer, std::uint64_t bytes);
  DeviceResult<bool> same_contents(BufferId one, BufferId other, std::uint64_t bytes);

  // Fills an input anew if it has changed, and says whether it had. `pristine`: what it was filled
  // with, made for the while where there is none.
  DeviceResult<bool> repair(BufferId data, const DeviceBuffer& pristine,
                            const ArgumentPlan& argument);

  // Describes where a buffer with `bytes` of contents was written outside of them, and repairs it;
  // nothing where it was not.
  DeviceResult<std::optional<std::string>> outside_write(BufferId buffer, std::uint64_t bytes,
                                                         const ArgumentPlan& argument);

 private:
  DeviceResult<DeviceBuffer> allocate(std::uint64_t bytes);
  Expected<std::vector<std::byte>, std::string> contents(const ArgumentPlan& argument);
  DeviceResult<std::vector<std::byte>> structs(const ArgumentPlan& argument);
  DeviceResult<Ok> sprinkle(BufferId buffer, const ArgumentPlan& argument);
  DeviceResult<Ok> sort(BufferId buffer, const ArgumentPlan& argument);

  DeviceMemory& memory_;
  Problem* problem_;
};

// ---- buffers of structs: each member is an array of its own
// --------------------------------------

// One member's numbers, in a guarded buffer.
struct MemberArray {
  ArgumentPlan argument;
  DeviceBuffer data;
};
// Splits `from`, a guarded buffer of structs, into one array for each of ArgumentPlan::members.
DeviceResult<std::vector<MemberArray>> split_members(DeviceMemory& memory,
                                                     const ArgumentPlan& structs, BufferId from);

// ---- arguments of role workspace: what a variant finds in them, and what it must leave
// -----------

// One of them, as a variant has it.
struct WorkspaceArgument {
  const ArgumentPlan* argument = nullptr;
  BufferId buffer = 0;
  std::uint64_t bytes = 0;  // may depend on the configuration
};

// Whether each launch begins with what the one before has left, and leaves nothing but zeros.
bool keeps_zeros(const ArgumentPlan& argument);

// Makes a workspace as if it were new, guard words in place. The words behind it move with its
// size: those of another variant may lie within.
DeviceResult<Ok> renew(GuardedMemory& memory, const WorkspaceArgument& one);

// Describes what a launch left in a workspace that must keep zeros, if that is anything else (it is
// renewed then).
DeviceResult<std::optional<std::string>> left_behind(Backend& backend, GuardedMemory& memory,
                                                     const WorkspaceArgument& one);

}  // namespace tuner
