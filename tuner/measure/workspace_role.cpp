// Zeroes, poisons and compares the buffers of workspaces.

#include "tuner/measure/workspace_role.h"

#include <fmt/format.h>

#include "tuner/base/try.h"
#include "tuner/measure/difference.h"

namespace tuner {

bool keeps_zeros(const ArgumentPlan& argument) {
  return argument.role == Role::kWorkspace && argument.zero == Zero::kOnce;
}

DeviceResult<Ok> renew(GuardedMemory& memory, const WorkspaceArgument& one) {
  const bool is_poisoned = one.argument->zero == Zero::kNever;
  const unsigned char value = is_poisoned ? poison_for(one.argument->type) : 0;
  TUNER_TRY(memory.fill_bytes(one.buffer, 0, kGuardBytes, kGuardByte));
  TUNER_TRY(memory.fill_bytes(one.buffer, kGuardBytes, one.bytes, value));
  return memory.fill_bytes(one.buffer, kGuardBytes + one.bytes, kGuardBytes, kGuardByte);
}

DeviceResult<std::optional<std::string>> left_behind(Backend& backend, GuardedMemory& memory,
                                                     const WorkspaceArgument& one) {
  if (TUNER_TRY(memory.is_zero(one.buffer, one.bytes))) return std::optional<std::string>();
  const DeviceBuffer zeros = TUNER_TRY(memory.allocate_pristine(one.bytes));
  TUNER_TRY(memory.fill_bytes(zeros.id(), kGuardBytes, one.bytes, 0));
  const ArgumentPlan& argument = *one.argument;
  auto difference =
      TUNER_TRY(backend.memory().compare(contents_of(one.buffer), contents_of(zeros.id()),
                                         argument.type, one.bytes / size_of(argument.type), 0, 0));
  TUNER_TRY(renew(memory, one));
  // A negative zero is equal to zero, and not the same.
  const double value = difference.mismatches > 0 ? difference.first_value : -0.0;
  return std::optional(fmt::format(
      "leaves {}[{}] = {}, a workspace that must be zero after each launch (zero: once)",
      argument.name, difference.first_mismatch, number_text(value, 6)));
}

}  // namespace tuner
