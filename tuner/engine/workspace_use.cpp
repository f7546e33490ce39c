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
  auto buffer = allocate(bytes);
  if (!buffer) return Unexpected{buffer.error()};
  zeros_ = std::move(*buffer);
  zeros_bytes_ = bytes;
  return fill_bytes(zeros_.id(), 0, bytes, 0);
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
    if (argument.role == Role::kInOut) {
      bound.restores.push_back({slot.data.id(), slot.pristine.id(), bytes});
    } else if (argument.role == Role::kScratch) {
      bound.restores.push_back({slot.data.id(), zeros_.id(), bytes});
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

DeviceResult<Ok> Workspace::reset(const BoundLaunch& bound) {
  for (const Restore& restore : bound.restores) {
    auto done = backend_.copy({restore.to, 0}, {restore.from, 0}, restore.bytes);
    if (!done) return done;
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar) continue;
    const BufferId id = slots_[i].data.id();
    DeviceResult<Ok> done = Ok{};
    if (argument.role == Role::kOut) {
      done = fill_bytes(id, 0, bound.bytes[i], poison_for(argument.type));
    } else if (argument.role == Role::kScratch) {
      // Its guard moves with its size, which the configuration decides.
      done = fill_bytes(id, bound.bytes[i], kGuardBytes, kGuardByte);
    }
    if (!done) return done;
  }
  return Ok{};
}

DeviceResult<std::optional<std::string>> Workspace::broken_guard(const BoundLaunch& bound) {
  std::optional<std::string> broken;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar) continue;
    const BufferId id = slots_[i].data.id();
    const std::uint64_t bytes = bound.bytes[i];
    auto overwritten = first_overwritten(id, bytes);
    if (!overwritten) return Unexpected{overwritten.error()};
    if (!*overwritten) continue;
    if (!broken) {
      const std::size_t size = size_of(argument.type);
      broken = fmt::format("write past the end of {}: element {} of {}, counted from 0",
                           argument.name, **overwritten / size, bytes / size);
    }
    if (auto done = fill_bytes(id, bytes, kGuardBytes, kGuardByte); !done) {
      return Unexpected{done.error()};
    }
  }
  return broken;
}

DeviceResult<OutputCheck> Workspace::check_outputs() {
  OutputCheck result;
  for (const CheckPlan& check : plan_.checks) {
    const ArgumentPlan& argument = plan_.arguments[check.argument];
    const Slot& slot = slots_[check.argument];
    auto difference = backend_.compare({slot.data.id(), 0}, {slot.expected.id(), 0}, argument.type,
                                       argument.elements, check.rtol, check.atol);
    if (!difference) return Unexpected{difference.error()};
    result.max_error = std::max(result.max_error, difference->max_abs_error);
    if (difference->mismatches == 0 || !result.message.empty()) continue;
    result.message = describe(argument, *difference);
  }
  return result;
}

DeviceResult<std::optional<std::string>> Workspace::repair_inputs() {
  std::optional<std::string> changed;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const ArgumentPlan& argument = plan_.arguments[i];
    if (argument.is_scalar || argument.role != Role::kIn) continue;
    const std::uint64_t bytes = slots_[i].capacity;
    auto fresh = allocate(bytes);
    if (!fresh) return Unexpected{fresh.error()};
    if (auto done = fill_contents(fresh->id(), argument); !done) return Unexpected{done.error()};
    // As bytes: an input may well hold NaN.
    const BufferRange now{slots_[i].data.id(), 0};
    auto same = backend_.compare(now, {fresh->id(), 0}, DataType::kUInt8, bytes, 0, 0);
    if (!same) return Unexpected{same.error()};
    if (same->mismatches == 0) continue;
    if (!changed) changed = argument.name;
    if (auto done = backend_.copy(now, {fresh->id(), 0}, bytes); !done) {
      return Unexpected{done.error()};
    }
  }
  return changed;
}

}  // namespace tuner
