// Makes the buffers and the reference's answers, and takes care of the buffers around each launch.

#include "tuner/engine/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tuner/engine/difference.h"
#include "tuner/engine/input_sets.h"
#include "tuner/engine/launch_arguments.h"
#include "tuner/engine/statistics.h"

namespace tuner {
namespace {

DeviceFailure in_context(const std::string& what, DeviceFailure failure) {
  failure.message = what + ": " + failure.message;
  return failure;
}

}  // namespace

// ---- preparing: buffers, constants, the reference -----------------------------------------------

DeviceResult<Ok> Workspace::prepare_argument(std::uint32_t index) {
  const ArgumentPlan& argument = plan_.arguments[index];
  Slot& slot = slots_[index];
  if (argument.is_scalar) return Ok{};
  slot.capacity = bytes_of(argument);
  auto data = memory_.allocate_guarded(slot.capacity);
  if (!data) return Unexpected{data.error()};
  slot.data = std::move(*data);
  // Small inputs are compared after every variant, with a copy. What a kernel reads and writes is
  // filled into a copy that is never launched on, and copied from there before each launch.
  const bool small_input = argument.role == Role::kIn && inputs_are_small();
  if (!small_input && argument.role != Role::kInOut) return Ok{};
  auto pristine = memory_.allocate_pristine(slot.capacity);
  if (!pristine && argument.role == Role::kInOut) return Unexpected{pristine.error()};
  if (pristine) slot.pristine = std::move(*pristine);
  return Ok{};
}

// Outputs get their contents in reset(), and so does what is read and written: from its copy.
DeviceResult<Ok> Workspace::fill_input(Slot& slot, const ArgumentPlan& argument) {
  const bool is_input = argument.role == Role::kIn;
  if (argument.is_scalar || (!is_input && argument.role != Role::kInOut)) return Ok{};
  if (!slot.pristine) return memory_.fill(slot.data.id(), argument);
  if (auto done = memory_.fill(slot.pristine.id(), argument); !done || !is_input) return done;
  return memory_.copy(slot.data.id(), slot.pristine.id(), slot.capacity);
}

DeviceResult<Ok> Workspace::fill_inputs() {
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    if (auto done = fill_input(slots_[i], plan_.arguments[i]); !done) {
      return Unexpected{in_context(plan_.arguments[i].name, done.error())};
    }
  }
  constant_bytes_.resize(plan_.constants.size());
  for (std::size_t i = 0; i < plan_.constants.size(); ++i) {
    auto bytes = memory_.fetched(plan_.constants[i]);
    if (!bytes) return Unexpected{in_context(plan_.constants[i].name, bytes.error())};
    constant_bytes_[i] = std::move(*bytes);
  }
  inputs_untouched_ = true;
  return Ok{};
}

DeviceResult<Ok> Workspace::prepare() {
  slots_.resize(plan_.arguments.size());
  for (std::uint32_t i = 0; i < plan_.arguments.size(); ++i) {
    if (auto done = prepare_argument(i); !done) {
      return Unexpected{in_context(plan_.arguments[i].name, done.error())};
    }
  }
  if (auto done = fill_inputs(); !done) return done;
  if (!plan_.reference) return Ok{};
  if (auto done = run_reference(*plan_.reference); !done) {
    return Unexpected{in_context("the reference", done.error())};
  }
  return study_answers();
}

DeviceResult<Ok> Workspace::use_inputs(std::uint32_t set) {
  if (set == set_) return Ok{};
  move_seeds(plan_, set_, set);
  set_ = set;
  if (auto done = fill_inputs(); !done) return done;
  auto done = run_reference(*plan_.reference);
  inputs_untouched_ = false;  // a reference is a kernel, too
  return done;
}

DeviceResult<Ok> Workspace::run_reference(const ReferencePlan& reference) {
  if (auto done = begin_reference(reference); !done) return done;
  if (auto done = launch_reference(reference); !done) return done;
  return check_reference(reference);
}

// The reference writes into buffers of its own, which are the expected answers from then on. Its
// outputs begin as poison, so that what it does not write is seen.
DeviceResult<Ok> Workspace::begin_reference(const ReferencePlan& reference) {
  for (const std::uint32_t index : reference.arguments) {
    const ArgumentPlan& argument = plan_.arguments[index];
    Slot& slot = slots_[index];
    if (argument.is_scalar || argument.role == Role::kIn) continue;
    if (!slot.expected) {
      auto expected = memory_.allocate_guarded(slot.capacity);
      if (!expected) return Unexpected{expected.error()};
      slot.expected = std::move(*expected);
    }
    const BufferId id = slot.expected.id();
    auto begun = argument.role == Role::kInOut
                     ? memory_.copy(id, slot.pristine.id(), slot.capacity)
                     : memory_.fill_bytes(id, kGuardBytes, slot.capacity,
                                          may_grow(argument) ? 0 : poison_for(argument.type));
    if (!begun) return begun;
  }
  return Ok{};
}

DeviceResult<Ok> Workspace::check_reference(const ReferencePlan& reference) {
  for (const std::uint32_t index : reference.arguments) {
    const Slot& slot = slots_[index];
    if (!slot.expected) continue;
    auto outside = memory_.outside_write(slot.expected.id(), slot.capacity, plan_.arguments[index]);
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
    auto same = backend_.memory().compare(answer, answer, argument.type, argument.elements, 0, 0);
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

// Makes decoys of the right answers, and warns where these could hardly be told from wrong ones.
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
    auto dull = monotony(backend_.memory(), answer);
    if (!dull) return Unexpected{dull.error()};
    if (!dull->empty()) {
      warnings_.push_back(
          fmt::format("the reference leaves {} {}: wrong answers may pass", argument.name, *dull));
    }
    if (argument.role != Role::kOut) continue;
    auto decoy = choose_decoy(backend_.memory(), answer, check);
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
  if (done) done = launch_and_time(launch, reference);
  backend_.unload(kernel->id);
  return done;
}

// Timed where that is cheap and each launch leaves what the first one left: nothing is zeroed here.
DeviceResult<Ok> Workspace::launch_and_time(const KernelLaunch& launch,
                                            const ReferencePlan& reference) {
  constexpr std::chrono::milliseconds kMost{100};
  const auto start = std::chrono::steady_clock::now();
  auto done = backend_.launch({launch});
  if (!done || set_ != 0 || std::chrono::steady_clock::now() - start > kMost) return done;
  TimingRequest request{5, 1, plan_.measure.cold, {}};
  for (const std::uint32_t index : reference.arguments) {
    const Slot& slot = slots_[index];
    if (may_grow(plan_.arguments[index])) return Ok{};
    if (!slot.expected || !slot.pristine) continue;  // not inout
    request.restores.push_back(
        {slot.expected.id(), slot.pristine.id(), kGuardBytes + slot.capacity});
  }
  const auto times = backend_.time({launch}, request);
  if (!times) return Unexpected{times.error()};
  reference_ms_ = median(*times);
  return Ok{};
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

// ---- around each launch -------------------------------------------------------------------------

DeviceResult<Ok> Workspace::grow_zeros(std::uint64_t bytes) {
  if (bytes <= zeros_bytes_) return Ok{};
  auto buffer = memory_.allocate_pristine(bytes);
  if (!buffer) return Unexpected{buffer.error()};
  zeros_ = std::move(*buffer);
  zeros_bytes_ = bytes;
  return memory_.fill_bytes(zeros_.id(), kGuardBytes, bytes, 0);
}

DeviceResult<Ok> Workspace::reserve(const VariantPlan& variant) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_.arguments, 0, i, variant);
    if (argument.is_scalar || !may_grow(argument)) continue;
    const std::uint64_t bytes = bytes_of(argument);
    if (bytes > slots_[i].capacity) {
      entered_.clear();
      slots_[i].data = {};  // first, so that both never exist
      slots_[i].capacity = 0;
      auto data = memory_.allocate_guarded(bytes);
      if (!data) return Unexpected{in_context(argument.name, data.error())};
      slots_[i].data = std::move(*data);
      slots_[i].capacity = bytes;
    }
    if (argument.role == Role::kWorkspace && !keeps_zeros(argument)) continue;
    if (auto done = grow_zeros(bytes); !done) return done;
  }
  return Ok{};
}

BoundLaunch Workspace::bind(const VariantPlan& variant, const LoadedKernel& kernel) const {
  BoundLaunch bound;
  KernelLaunch main{kernel.id, variant.geometry, {}};
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_.arguments, 0, i, variant);
    const Slot& slot = slots_[i];
    const std::uint64_t bytes = bytes_of(argument);
    bound.bytes.push_back(bytes);
    const BufferId buffer = slots_[slot_of(argument, i)].data.id();
    main.arguments.push_back(launch_argument(argument, buffer));
    if (argument.is_scalar) continue;
    // With the guard words in front: buffers are copied from their beginning, and what a variant
    // did to these guard words does not outlive it.
    if (argument.role == Role::kInOut) {
      bound.restores.push_back({slot.data.id(), slot.pristine.id(), kGuardBytes + bytes});
    } else if (argument.role == Role::kScratch) {
      bound.restores.push_back({slot.data.id(), zeros_.id(), kGuardBytes + bytes});
    } else if (argument.role == Role::kWorkspace) {
      bound.workspaces.push_back({&plan_.arguments[i], slot.data.id(), bytes});
      if (argument.zero == Zero::kEach) main.zeros.push_back({contents_of(slot.data.id()), bytes});
    }
  }
  bound.sequence.push_back(main);
  for (std::size_t i = 0; i < variant.then.size(); ++i) {
    const NextLaunchPlan& next = variant.then[i];
    KernelLaunch& launch = bound.sequence.emplace_back();
    launch.kernel = kernel.then.at(i).id;
    launch.geometry = next.geometry;
    for (const std::uint32_t index : next.arguments) {
      launch.arguments.push_back(main.arguments.at(index));
    }
  }
  const auto first = static_cast<std::uint32_t>(slots_.size());
  for (std::uint32_t i = 0; i < plan_.constants.size(); ++i) {
    const ArgumentPlan& constant = argument_of(plan_.constants, first, i, variant);
    bound.constants.push_back(constant.is_scalar ? constant.scalar : constant_bytes_[i]);
  }
  return bound;
}

DeviceResult<Ok> Workspace::renew_workspaces(const BoundLaunch& bound) {
  for (const WorkspaceArgument& one : bound.workspaces) {
    if (auto done = renew(memory_, one); !done) return done;
  }
  entered_ = bound.bytes;
  return Ok{};
}

DeviceResult<std::optional<std::string>> Workspace::left_behind(const BoundLaunch& bound) {
  for (const WorkspaceArgument& one : bound.workspaces) {
    if (!keeps_zeros(*one.argument)) continue;
    auto left = tuner::left_behind(backend_, memory_, one, zeros_.id());
    if (!left || *left) return left;
  }
  return std::optional<std::string>();
}

DeviceResult<Ok> Workspace::reset(const BoundLaunch& bound, Outputs outputs) {
  inputs_untouched_ = false;
  if (auto done = enter(bound); !done) return done;
  for (const Restore& restore : bound.restores) {
    auto done = backend_.memory().copy({restore.to, 0}, {restore.from, 0}, restore.bytes);
    if (!done) return done;
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar) continue;
    const Slot& slot = slots_[i];
    const BufferId id = slot.data.id();
    DeviceResult<Ok> done = Ok{};
    if (argument.role == Role::kOut && outputs == Outputs::kDecoys && slot.decoy) {
      done = place(
          backend_.memory(), *slot.decoy,
          {contents_of(id), contents_of(slot.expected.id()), argument.type, argument.elements});
    } else if (argument.role == Role::kOut ||
               (argument.role == Role::kWorkspace && argument.zero == Zero::kNever)) {
      done = memory_.fill_bytes(id, kGuardBytes, bound.bytes[i], poison_for(argument.type));
    } else if (argument.role == Role::kScratch) {
      // A scratch buffer's size depends on the configuration: the guard words behind it move.
      done = memory_.fill_bytes(id, kGuardBytes + bound.bytes[i], kGuardBytes, kGuardByte);
    }
    if (!done) return done;
  }
  return Ok{};
}

bool Workspace::has_decoys() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.decoy.has_value(); });
}

DeviceResult<std::optional<std::string>> Workspace::broken_guard(const BoundLaunch& bound) {
  std::optional<std::string> broken;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (plan_.arguments[i].is_scalar) continue;
    auto outside = memory_.outside_write(slots_[i].data.id(), bound.bytes[i], plan_.arguments[i]);
    if (!outside) return outside;
    if (!broken) broken = std::move(*outside);
  }
  return broken;
}

DeviceResult<OutputCheck> Workspace::check_outputs() {
  OutputCheck result;
  for (const CheckPlan& check : plan_.checks) {
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    const Slot& slot = slots_[check.argument];
    auto difference =
        backend_.memory().compare(contents_of(slot.data.id()), contents_of(slot.expected.id()),
                                  argument.type, argument.elements, check.rtol, check.atol);
    if (!difference) return Unexpected{difference.error()};
    result.max_error = std::max(result.max_error, difference->max_abs_error);
    if (difference->mismatches == 0 || !result.message.empty()) continue;
    result.message = describe(argument, check, *difference);
  }
  return result;
}

bool Workspace::inputs_are_small() const {
  constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;
  std::uint64_t bytes = 0;
  for (const ArgumentPlan& argument : plan_.arguments) {
    if (argument.role == Role::kIn) bytes += bytes_of(argument);
  }
  return bytes <= kSmall;
}

DeviceResult<std::optional<std::string>> Workspace::repair_inputs() {
  std::optional<std::string> changed;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar || argument.role != Role::kIn) continue;
    const Slot& slot = slots_[i];
    auto repaired = memory_.repair(slot.data.id(), slot.pristine, argument);
    if (!repaired) return Unexpected{repaired.error()};
    if (*repaired && !changed) changed = argument.name;
  }
  inputs_untouched_ = true;
  return changed;
}

}  // namespace tuner
