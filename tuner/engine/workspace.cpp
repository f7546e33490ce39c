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

DeviceResult<DeviceBuffer> Workspace::allocate_pristine(std::uint64_t bytes) {
  auto buffer = allocate(kGuardBytes + bytes);
  if (!buffer) return buffer;
  if (auto done = fill_bytes(buffer->id(), 0, kGuardBytes, kGuardByte); !done) {
    return Unexpected{done.error()};
  }
  return buffer;
}

DeviceResult<DeviceBuffer> Workspace::allocate_guarded(std::uint64_t bytes) {
  auto buffer = allocate_pristine(bytes + kGuardBytes);
  if (!buffer) return buffer;
  if (auto done = fill_bytes(buffer->id(), kGuardBytes + bytes, kGuardBytes, kGuardByte); !done) {
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

DeviceResult<Ok> Workspace::copy_contents(BufferId to, BufferId from, std::uint64_t bytes) {
  return backend_.copy(contents_of(to), contents_of(from), bytes);
}

DeviceResult<std::optional<std::string>> Workspace::outside_write(BufferId buffer,
                                                                  std::uint64_t bytes,
                                                                  const ArgumentPlan& argument) {
  std::array<std::byte, kGuardBytes> before{};
  std::array<std::byte, kGuardBytes> behind{};
  const std::uint64_t end = kGuardBytes + bytes;
  if (auto done = backend_.download({buffer, 0}, before); !done) return Unexpected{done.error()};
  if (auto done = backend_.download({buffer, end}, behind); !done) return Unexpected{done.error()};
  const auto changed = [](std::byte byte) { return byte != std::byte{kGuardByte}; };
  // The words next to the contents are the likeliest.
  const auto back = std::find_if(before.rbegin(), before.rend(), changed) - before.rbegin();
  const auto forth = std::find_if(behind.begin(), behind.end(), changed) - behind.begin();
  const auto size = static_cast<std::ptrdiff_t>(size_of(argument.type));
  const auto all = static_cast<std::ptrdiff_t>(kGuardBytes);
  if (back == all && forth == all) return std::optional<std::string>();
  for (const std::uint64_t place : {std::uint64_t{0}, end}) {
    if (auto done = fill_bytes(buffer, place, kGuardBytes, kGuardByte); !done) {
      return Unexpected{done.error()};
    }
  }
  if (forth == all) {
    return std::optional(
        fmt::format("write in front of {}: element -{}", argument.name, back / size + 1));
  }
  const auto elements = static_cast<std::ptrdiff_t>(bytes) / size;
  return std::optional(fmt::format("write past the end of {}: element {} of {}, counted from 0",
                                   argument.name, elements + forth / size, elements));
}

DeviceResult<Ok> Workspace::fill_contents(BufferId buffer, const ArgumentPlan& argument) {
  if (argument.fill.kind != FillSpec::Kind::kFile) {
    return backend_.fill(contents_of(buffer), argument.elements, fill_of(argument));
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
  return backend_.upload(contents_of(buffer), std::as_bytes(std::span(contents)).first(needed));
}

DeviceResult<Ok> Workspace::prepare_argument(std::uint32_t index) {
  const ArgumentPlan& argument = plan_.arguments[index];
  Slot& slot = slots_[index];
  if (argument.is_scalar) return Ok{};
  slot.capacity = bytes_of(argument);
  auto data = allocate_guarded(slot.capacity);
  if (!data) return Unexpected{data.error()};
  slot.data = std::move(*data);
  if (argument.role == Role::kIn) return prepare_input(slot, argument);
  if (argument.role != Role::kInOut) return Ok{};
  auto pristine = allocate_pristine(slot.capacity);
  if (!pristine) return Unexpected{pristine.error()};
  slot.pristine = std::move(*pristine);
  return fill_contents(slot.pristine.id(), argument);
}

// Small inputs are compared after every variant, with a copy.
DeviceResult<Ok> Workspace::prepare_input(Slot& slot, const ArgumentPlan& argument) {
  if (inputs_are_small()) {
    if (auto pristine = allocate_pristine(slot.capacity)) slot.pristine = std::move(*pristine);
  }
  if (!slot.pristine) return fill_contents(slot.data.id(), argument);
  if (auto done = fill_contents(slot.pristine.id(), argument); !done) return done;
  return copy_contents(slot.data.id(), slot.pristine.id(), slot.capacity);
}

// Symbols are set from the host, so the bytes are fetched once.
DeviceResult<Ok> Workspace::prepare_constant(ArgumentPlan& constant) {
  if (constant.is_scalar) {
    constant_bytes_.push_back(constant.scalar);
    return Ok{};
  }
  auto buffer = allocate_pristine(bytes_of(constant));
  if (!buffer) return Unexpected{buffer.error()};
  if (auto done = fill_contents(buffer->id(), constant); !done) return done;
  std::vector<std::byte>& bytes = constant_bytes_.emplace_back(bytes_of(constant));
  return backend_.download(contents_of(buffer->id()), bytes);
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
  inputs_untouched_ = true;
  if (!plan_.reference) return Ok{};
  if (auto done = run_reference(*plan_.reference); !done) {
    return Unexpected{in_context("the reference", done.error())};
  }
  return study_answers();
}

DeviceResult<Ok> Workspace::run_reference(const ReferencePlan& reference) {
  if (auto done = begin_reference(reference); !done) return done;
  if (auto done = launch_reference(reference); !done) return done;
  return check_reference(reference);
}

// Buffers of its own for what it writes.
DeviceResult<Ok> Workspace::begin_reference(const ReferencePlan& reference) {
  for (const std::uint32_t index : reference.arguments) {
    const ArgumentPlan& argument = plan_.arguments[index];
    Slot& slot = slots_[index];
    if (argument.is_scalar || argument.role == Role::kIn) continue;
    auto expected = allocate_guarded(slot.capacity);
    if (!expected) return Unexpected{expected.error()};
    slot.expected = std::move(*expected);
    const BufferId id = slot.expected.id();
    auto begun = argument.role == Role::kInOut
                     ? copy_contents(id, slot.pristine.id(), slot.capacity)
                     : fill_bytes(id, kGuardBytes, slot.capacity,
                                  argument.role == Role::kScratch ? 0 : poison_for(argument.type));
    if (!begun) return begun;
  }
  return Ok{};
}

DeviceResult<Ok> Workspace::check_reference(const ReferencePlan& reference) {
  for (const std::uint32_t index : reference.arguments) {
    const Slot& slot = slots_[index];
    if (!slot.expected) continue;
    auto outside = outside_write(slot.expected.id(), slot.capacity, plan_.arguments[index]);
    if (!outside) return Unexpected{outside.error()};
    if (!*outside) continue;
    const std::string where = (*outside)->substr(0, (*outside)->find(':'));
    return Unexpected{
        DeviceFailure{DeviceError::kInvalid, "writes" + where.substr(std::string("write").size())}};
  }
  // Compared with itself, an answer differs where it is NaN: nothing could ever match it.
  for (const CheckPlan& check : plan_.checks) {
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    const BufferRange answer = contents_of(slots_[check.argument].expected.id());
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

// What the right answers are good for: as decoys, and for telling right from wrong.
DeviceResult<Ok> Workspace::study_answers() {
  inputs_untouched_ = false;  // a reference is a kernel, too
  if (inputs_are_small()) {
    auto changed = repair_inputs();
    if (!changed) return Unexpected{changed.error()};
    if (*changed) warnings_.push_back("the reference changes its input " + **changed);
  }
  for (const CheckPlan& check : plan_.checks) {
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    Slot& slot = slots_[check.argument];
    const Answer answer{contents_of(slot.data.id()), contents_of(slot.expected.id()), argument.type,
                        argument.elements};
    auto dull = monotony(backend_, answer);
    if (!dull) return Unexpected{dull.error()};
    if (!dull->empty()) {
      warnings_.push_back(
          fmt::format("the reference leaves {} {}: wrong answers may pass", argument.name, *dull));
    }
    if (argument.role != Role::kOut) continue;
    auto decoy = choose_decoy(backend_, answer, check);
    if (!decoy) return Unexpected{decoy.error()};
    slot.decoy = *decoy;
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
      if (set) continue;
      if (set.error().error == DeviceError::kInvalid) wrong_constant_ = name;
      return Unexpected{in_context(name, set.error())};
    }
  }
  return Ok{};
}

}  // namespace tuner
