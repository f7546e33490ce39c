// How a variant's kernels are launched.

#include <fmt/format.h>

#include <utility>

#include "tuner/engine/resolve_parts.h"

namespace tuner {

Expected<LaunchGeometry, std::string> geometry(const LaunchSpec& launch, const Bindings& names) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  constexpr std::uint64_t kMost = UINT32_MAX;
  LaunchGeometry out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis = kAxes[i];
    const auto grid = whole(launch.grid[i], names, "grid." + axis, 1, 1, kMost);
    if (!grid) return Unexpected{grid.error()};
    out.grid[i] = static_cast<std::uint32_t>(*grid);
    const auto block = whole(launch.block[i], names, "block." + axis, 1, 1, kMost);
    if (!block) return Unexpected{block.error()};
    out.block[i] = static_cast<std::uint32_t>(*block);
  }
  const auto shared =
      whole(launch.dynamic_shared_bytes, names, "dynamic_shared_bytes", 0, 0, kMost);
  if (!shared) return Unexpected{shared.error()};
  out.dynamic_shared_bytes = *shared;
  return out;
}

Expected<bool, EvaluationError> takes_part(const NextLaunchSpec& next, const Bindings& names) {
  if (next.when.empty()) return true;
  const auto value = next.when.evaluate(names);
  if (!value) return Unexpected{value.error()};
  return truth(*value);
}

Expected<std::vector<NextLaunchPlan>, std::string> next_launches(const Study& study,
                                                                 const Bindings& names) {
  std::vector<NextLaunchPlan> plans;
  for (const NextLaunchSpec& next : study.then) {
    const auto wanted = takes_part(next, names);
    if (!wanted) {
      return Unexpected{
          fmt::format("{}: when '{}': {}", next.entry, next.when.text(), wanted.error().message)};
    }
    if (!*wanted) continue;
    const auto shape = geometry(next.launch, names);
    if (!shape) return Unexpected{next.entry + ": " + shape.error()};
    auto arguments = positions_of(study.arguments, next.arguments, next.entry);
    if (!arguments) return Unexpected{arguments.error()};
    plans.push_back({next.entry, *shape, std::move(*arguments)});
  }
  return plans;
}

}  // namespace tuner
