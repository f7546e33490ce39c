// Writes a sequence out: each round's launches with the buffers that stand in their places then.
// Fills constants and sets them.

#include "tuner/measure/bound_launch.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>

#include "tuner/base/expected.h"

namespace tuner {

LaunchSequence launch_sequence(const SequencePlan& plan, const LoadedKernel& kernel,
                               std::size_t arguments, const Binder& bind,
                               const std::vector<Zeros>& zeros) {
  Places places(arguments);
  std::iota(places.begin(), places.end(), 0U);
  const std::vector<std::uint32_t> first = plan.arguments.value_or(places);
  LaunchSequence out;
  const auto add = [&](KernelId id, const LaunchGeometry& geometry,
                       const std::vector<std::uint32_t>& taken) {
    KernelLaunch& launch = out.emplace_back();
    launch.kernel = id;
    launch.geometry = geometry;
    for (const std::uint32_t argument : taken) launch.arguments.push_back(bind(argument, places));
  };
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    add(kernel.id, plan.geometry, first);
    out.back().zeros = zeros;
    for (std::size_t i = 0; i < plan.then.size(); ++i) {
      add(kernel.then.at(i).id, plan.then[i].geometry, plan.then[i].arguments);
    }
    for (const auto& [one, other] : plan.swaps) std::swap(places.at(one), places.at(other));
  }
  return out;
}

DeviceResult<Ok> begin_anew(DeviceMemory& memory, const BoundLaunch& bound) {
  for (const Restore& one : bound.restores) {
    TUNER_TRY(memory.copy({one.to, 0}, {one.from, 0}, one.bytes));
  }
  for (const ByteFill& one : bound.fills()) {
    TUNER_TRY(fill_bytes(memory, one));
  }
  return Ok{};
}

DeviceResult<Ok> Constants::fill(const InputSet& set) {
  const bool all = bytes_.empty();
  const std::uint32_t before = std::exchange(set_, set.number);
  bytes_.resize(plan_.constants.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const bool is_other = is_other_in_set(plan_, plan_.constants[i], before) ||
                          is_other_in_set(plan_, plan_.constants[i], set.number);
    if (!all && !is_other) continue;
    bytes_[i] = TUNER_TRY(in_context(plan_.constants[i].name,
                                     memory_.fetched(in_set(plan_, plan_.constants[i], set))));
    seals_.put("what the constant " + plan_.constants[i].name + " is set to", bytes_[i]);
  }
  return Ok{};
}

std::vector<BoundConstant> Constants::bind(const VariantPlan& variant) const {
  std::vector<BoundConstant> bound;
  for (std::size_t i = 0; i < plan_.constants.size(); ++i) {
    const auto place = static_cast<std::uint32_t>(plan_.arguments.size() + i);
    BoundConstant& one = bound.emplace_back();
    one.scalar = argument_of(plan_, variant.overrides, place).scalar;
    // A variant that does not use a constant may not have it.
    for (const auto& [name, lowered] : variant.artifact.symbols) {
      if (name == plan_.constants[i].name) one.symbol = lowered;
    }
  }
  return bound;
}

DeviceResult<Ok> Constants::set(KernelId kernel, const std::vector<BoundConstant>& bound) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i].symbol.empty()) continue;
    const ArgumentPlan& constant = plan_.constants[i];
    TUNER_TRY(in_context("constant " + constant.name,
                         backend_.set_symbol(kernel, bound[i].symbol,
                                             constant.is_scalar ? bound[i].scalar : bytes_[i])));
  }
  return Ok{};
}

namespace {

// Whether a symbol has room for more than `bytes`. It is written, so the kernel must not be
// launched. A backend that takes more than any symbol has does not compare sizes.
bool has_more_room(Backend& backend, KernelId kernel, const std::string& symbol,
                   std::uint64_t bytes) {
  constexpr std::uint64_t kMoreThanAny = std::uint64_t{1} << 24;
  const std::vector<std::byte> zeros(bytes + kMoreThanAny);
  return backend.set_symbol(kernel, symbol, std::span(zeros).first(bytes + 1)).has_value() &&
         !backend.set_symbol(kernel, symbol, zeros).has_value();
}

}  // namespace

std::vector<std::string> partly_set(Backend& backend, const SizePlan& plan,
                                    const Artifact& reference) {
  std::vector<std::string> found;
  if (reference.symbols.empty()) return found;
  const auto kernel = backend.load(reference);
  if (!kernel) return found;
  for (const ArgumentPlan& constant : plan.constants) {
    if (constant.is_scalar) continue;
    const std::uint64_t bytes = bytes_of(constant);
    for (const auto& [name, lowered] : reference.symbols) {
      if (name != constant.name || !has_more_room(backend, kernel->id, lowered, bytes)) continue;
      found.push_back(
          fmt::format("__constant__ '{}' has room for more than the {} bytes that it is "
                      "given: the rest keeps its initial value",
                      name, bytes));
    }
  }
  backend.unload(kernel->id);
  return found;
}

}  // namespace tuner
