// What happens to the buffers around each launch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tuner/engine/workspace.h"
#include "tuner/engine/workspace_detail.h"

namespace tuner {

using namespace detail;  // NOLINT: its other half

namespace {

const ArgumentPlan& argument_of(const std::vector<ArgumentPlan>& plans, std::uint32_t offset,
                                std::uint32_t index, const VariantPlan& variant) {
  for (const auto& [place, plan] : variant.overrides) {
    if (place == offset + index) return plan;
  }
  return plans[index];
}

// The sign of a NaN says nothing.
std::string number_text(double value, int digits) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);
}

std::string describe(const ArgumentPlan& argument, const Comparison& difference) {
  constexpr int kFew = 6;
  constexpr int kAll = 17;  // where a few digits would show the same number twice
  std::string value = number_text(difference.first_value, kFew);
  std::string expected = number_text(difference.first_expected, kFew);
  if (value == expected) {
    value = number_text(difference.first_value, kAll);
    expected = number_text(difference.first_expected, kAll);
  }
  return fmt::format("{}[{}] = {}, expected {} ({} of {} elements differ, max error {:g})",
                     argument.name, difference.first_mismatch, value, expected,
                     difference.mismatches, argument.elements, difference.max_abs_error);
}

}  // namespace

DeviceResult<Ok> Workspace::grow_zeros(std::uint64_t bytes) {
  if (bytes <= zeros_bytes_) return Ok{};
  auto buffer = allocate_pristine(bytes);
  if (!buffer) return Unexpected{buffer.error()};
  zeros_ = std::move(*buffer);
  zeros_bytes_ = bytes;
  return fill_bytes(zeros_.id(), kGuardBytes, bytes, 0);
}

DeviceResult<Ok> Workspace::reserve(const VariantPlan& variant) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = argument_of(plan_.arguments, 0, i, variant);
    if (argument.is_scalar || argument.role != Role::kScratch) continue;
    const std::uint64_t bytes = bytes_of(argument);
    if (bytes > slots_[i].capacity) {
      slots_[i].data = {};  // first, so that both never exist
      slots_[i].capacity = 0;
      auto data = allocate_guarded(bytes);
      if (!data) return Unexpected{in_context(argument.name, data.error())};
      slots_[i].data = std::move(*data);
      slots_[i].capacity = bytes;
    }
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
    // With the guard words in front, so that whole buffers are copied from their beginning.
    if (argument.role == Role::kInOut) {
      bound.restores.push_back({slot.data.id(), slot.pristine.id(), kGuardBytes + bytes});
    } else if (argument.role == Role::kScratch) {
      bound.restores.push_back({slot.data.id(), zeros_.id(), kGuardBytes + bytes});
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

DeviceResult<Ok> Workspace::reset(const BoundLaunch& bound, Outputs outputs) {
  inputs_untouched_ = false;
  for (const Restore& restore : bound.restores) {
    auto done = backend_.copy({restore.to, 0}, {restore.from, 0}, restore.bytes);
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
          backend_, *slot.decoy,
          {contents_of(id), contents_of(slot.expected.id()), argument.type, argument.elements});
    } else if (argument.role == Role::kOut) {
      done = fill_bytes(id, kGuardBytes, bound.bytes[i], poison_for(argument.type));
    } else if (argument.role == Role::kScratch) {
      // Its guard moves with its size, which the configuration decides.
      done = fill_bytes(id, kGuardBytes + bound.bytes[i], kGuardBytes, kGuardByte);
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
    auto outside = outside_write(slots_[i].data.id(), bound.bytes[i], plan_.arguments[i]);
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
    auto difference = backend_.compare(contents_of(slot.data.id()), contents_of(slot.expected.id()),
                                       argument.type, argument.elements, check.rtol, check.atol);
    if (!difference) return Unexpected{difference.error()};
    result.max_error = std::max(result.max_error, difference->max_abs_error);
    if (difference->mismatches == 0 || !result.message.empty()) continue;
    result.message = describe(argument, *difference);
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

// As numbers without meaning: an input may well hold NaN.
DeviceResult<bool> Workspace::same_bytes(BufferId one, BufferId other, std::uint64_t bytes) {
  constexpr std::uint64_t kWord = 4;
  const std::uint64_t rest = bytes % kWord;
  const BufferRange left{one, kGuardBytes + bytes - rest};
  const BufferRange right{other, kGuardBytes + bytes - rest};
  auto words = backend_.compare(contents_of(one), contents_of(other), DataType::kUInt32,
                                bytes / kWord, 0, 0);
  if (!words) return Unexpected{words.error()};
  if (rest == 0 || words->mismatches > 0) return words->mismatches == 0;
  auto last = backend_.compare(left, right, DataType::kUInt8, rest, 0, 0);
  if (!last) return Unexpected{last.error()};
  return last->mismatches == 0;
}

// Its name when it had to be.
DeviceResult<std::optional<std::string>> Workspace::repair_input(Slot& slot,
                                                                 const ArgumentPlan& argument) {
  DeviceBuffer made;
  if (!slot.pristine) {
    auto fresh = allocate_pristine(slot.capacity);
    if (!fresh) return Unexpected{fresh.error()};
    made = std::move(*fresh);
    if (auto done = fill_contents(made.id(), argument); !done) return Unexpected{done.error()};
  }
  const BufferId pristine = slot.pristine ? slot.pristine.id() : made.id();
  auto same = same_bytes(slot.data.id(), pristine, slot.capacity);
  if (!same) return Unexpected{same.error()};
  if (*same) return std::optional<std::string>();
  if (auto done = copy_contents(slot.data.id(), pristine, slot.capacity); !done) {
    return Unexpected{done.error()};
  }
  return std::optional(argument.name);
}

DeviceResult<std::optional<std::string>> Workspace::repair_inputs() {
  std::optional<std::string> changed;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar || argument.role != Role::kIn) continue;
    auto name = repair_input(slots_[i], argument);
    if (!name) return name;
    if (!changed) changed = std::move(*name);
  }
  inputs_untouched_ = true;
  return changed;
}

}  // namespace tuner
