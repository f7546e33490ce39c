// Making the buffers, and the reference's answers.

#include "tuner/engine/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/engine/workspace_detail.h"

namespace tuner {

using namespace detail;  // NOLINT: its other half

namespace {

Fill fill_of(const ArgumentPlan& argument) {
  Fill fill{Fill::Kind::kConstant, argument.type, argument.fill.a, argument.fill.b, argument.seed};
  switch (argument.fill.kind) {
    case FillSpec::Kind::kZeros:
      fill.a = 0;
      break;
    case FillSpec::Kind::kConstant:
      break;
    case FillSpec::Kind::kUniform:
      fill.kind = Fill::Kind::kUniform;
      break;
    case FillSpec::Kind::kNormal:
      fill.kind = Fill::Kind::kNormal;
      break;
    case FillSpec::Kind::kIntegers:
      fill.kind = Fill::Kind::kIntegers;
      break;
    case FillSpec::Kind::kSequence:
      fill.kind = Fill::Kind::kSequence;
      break;
    case FillSpec::Kind::kFile:
      break;  // uploaded instead
  }
  return fill;
}

}  // namespace

DeviceResult<DeviceBuffer> Workspace::allocate(std::uint64_t bytes) {
  auto id = backend_.allocate(std::max<std::uint64_t>(1, bytes));
  if (!id) return Unexpected{id.error()};
  return DeviceBuffer(backend_, *id);
}

DeviceResult<DeviceBuffer> Workspace::allocate_guarded(std::uint64_t bytes) {
  auto buffer = allocate(bytes + kGuardBytes);
  if (!buffer) return buffer;
  if (auto done = fill_bytes(buffer->id(), bytes, kGuardBytes, kGuardByte); !done) {
    return Unexpected{done.error()};
  }
  return buffer;
}

DeviceResult<Ok> Workspace::fill_bytes(BufferId buffer, std::uint64_t offset, std::uint64_t bytes,
                                       unsigned char value) {
  if (bytes == 0) return Ok{};
  return backend_.fill({buffer, offset}, bytes,
                       {Fill::Kind::kBytes, DataType::kUInt8, static_cast<double>(value), 0, 0});
}

DeviceResult<std::optional<std::uint64_t>> Workspace::first_overwritten(BufferId buffer,
                                                                        std::uint64_t bytes) {
  std::array<std::byte, kGuardBytes> guard{};
  if (auto done = backend_.download({buffer, bytes}, guard); !done) {
    return Unexpected{done.error()};
  }
  const auto changed = std::find_if(guard.begin(), guard.end(),
                                    [](std::byte b) { return b != std::byte{kGuardByte}; });
  if (changed == guard.end()) return std::optional<std::uint64_t>{};
  return std::optional(bytes + static_cast<std::uint64_t>(changed - guard.begin()));
}

DeviceResult<Ok> Workspace::fill_contents(BufferId buffer, const ArgumentPlan& argument) {
  if (argument.fill.kind != FillSpec::Kind::kFile) {
    return backend_.fill({buffer, 0}, argument.elements, fill_of(argument));
  }
  std::string contents;
  try {
    contents = read_file(argument.fill.file);
  } catch (const FatalError& error) {
    return Unexpected{DeviceFailure{DeviceError::kInvalid, error.what()}};
  }
  const std::uint64_t needed = bytes_of(argument);
  if (contents.size() < needed) {
    return Unexpected{DeviceFailure{
        DeviceError::kInvalid, fmt::format("{} holds {} bytes, {} are needed",
                                           argument.fill.file.string(), contents.size(), needed)}};
  }
  return backend_.upload({buffer, 0}, std::as_bytes(std::span(contents)).first(needed));
}

DeviceResult<Ok> Workspace::prepare_argument(std::uint32_t index) {
  const ArgumentPlan& argument = plan_.arguments[index];
  Slot& slot = slots_[index];
  if (argument.is_scalar) return Ok{};
  slot.capacity = bytes_of(argument);
  auto data = allocate_guarded(slot.capacity);
  if (!data) return Unexpected{data.error()};
  slot.data = std::move(*data);
  if (argument.role == Role::kIn) return fill_contents(slot.data.id(), argument);
  if (argument.role != Role::kInOut) return Ok{};
  auto pristine = allocate(slot.capacity);
  if (!pristine) return Unexpected{pristine.error()};
  slot.pristine = std::move(*pristine);
  return fill_contents(slot.pristine.id(), argument);
}

// Symbols are set from the host, so the bytes are fetched once.
DeviceResult<Ok> Workspace::prepare_constant(ArgumentPlan& constant) {
  if (constant.is_scalar) {
    constant_bytes_.push_back(constant.scalar);
    return Ok{};
  }
  auto buffer = allocate(bytes_of(constant));
  if (!buffer) return Unexpected{buffer.error()};
  if (auto done = fill_contents(buffer->id(), constant); !done) return done;
  std::vector<std::byte>& bytes = constant_bytes_.emplace_back(bytes_of(constant));
  return backend_.download({buffer->id(), 0}, bytes);
}

DeviceResult<Ok> Workspace::prepare() {
  slots_.resize(plan_.arguments.size());
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    if (auto done = prepare_argument(i); !done) {
      return Unexpected{in_context(plan_.arguments[i].name, done.error())};
    }
  }
  for (ArgumentPlan& constant : plan_.constants) {
    if (auto done = prepare_constant(constant); !done) {
      return Unexpected{in_context(constant.name, done.error())};
    }
  }
  if (!plan_.reference) return Ok{};
  if (auto done = run_reference(*plan_.reference); !done) {
    return Unexpected{in_context("the reference", done.error())};
  }
  return Ok{};
}

DeviceResult<Ok> Workspace::run_reference(const ReferencePlan& reference) {
  for (const std::uint32_t index : reference.arguments) {
    const ArgumentPlan& argument = plan_.arguments[index];
    Slot& slot = slots_[index];
    if (argument.is_scalar || argument.role == Role::kIn) continue;
    auto expected = allocate_guarded(slot.capacity);
    if (!expected) return Unexpected{expected.error()};
    slot.expected = std::move(*expected);
    const BufferId id = slot.expected.id();
    auto begun = argument.role == Role::kInOut
                     ? backend_.copy({id, 0}, {slot.pristine.id(), 0}, slot.capacity)
                     : fill_bytes(id, 0, slot.capacity,
                                  argument.role == Role::kScratch ? 0 : poison_for(argument.type));
    if (!begun) return begun;
  }
  if (auto done = launch_reference(reference); !done) return done;
  for (const std::uint32_t index : reference.arguments) {
    if (!slots_[index].expected) continue;
    auto overwritten = first_overwritten(slots_[index].expected.id(), slots_[index].capacity);
    if (!overwritten) return Unexpected{overwritten.error()};
    if (*overwritten) {
      return Unexpected{DeviceFailure{DeviceError::kInvalid,
                                      "writes past the end of " + plan_.arguments[index].name}};
    }
  }
  // Compared with itself, an answer differs where it is NaN: nothing could ever match it.
  for (const CheckPlan& check : plan_.checks) {
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    const BufferRange answer{slots_[check.argument].expected.id(), 0};
    auto same = backend_.compare(answer, answer, argument.type, argument.elements, 0, 0);
    if (!same) return Unexpected{same.error()};
    if (same->mismatches == 0) continue;
    return Unexpected{DeviceFailure{
        DeviceError::kInvalid,
        fmt::format("leaves {} of {} elements of {} as NaN, the first at {}: they are not written "
                    "(then the role is inout) or wrong",
                    same->mismatches, argument.elements, argument.name, same->first_mismatch)}};
  }
  return Ok{};
}

DeviceResult<Ok> Workspace::launch_reference(const ReferencePlan& reference) {
  KernelLaunch launch{0, reference.geometry, {}};
  for (const std::uint32_t index : reference.arguments) {
    const Slot& slot = slots_[slot_of(plan_.arguments[index], index)];
    const BufferId buffer = slot.expected ? slot.expected.id() : slot.data.id();
    launch.arguments.push_back(launch_argument(plan_.arguments[index], buffer));
  }
  auto kernel = backend_.load(reference.artifact);
  if (!kernel) return Unexpected{kernel.error()};
  launch.kernel = kernel->id;
  auto done = set_constants(kernel->id, reference.artifact);
  if (done) done = backend_.launch({launch});
  backend_.unload(kernel->id);
  return done;
}

DeviceResult<Ok> Workspace::set_constants(KernelId kernel, const Artifact& artifact) {
  for (std::size_t i = 0; i < plan_.constants.size(); ++i) {
    const ArgumentPlan& constant = plan_.constants[i];
    for (const auto& [name, lowered] : artifact.symbols) {
      if (name != constant.name) continue;
      auto set = backend_.set_symbol(kernel, lowered,
                                     constant.is_scalar ? constant.scalar : constant_bytes_[i]);
      if (!set) return Unexpected{in_context(name, set.error())};
    }
  }
  return Ok{};
}

}  // namespace tuner
