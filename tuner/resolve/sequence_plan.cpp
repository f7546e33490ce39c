// Evaluates the launches of a sequence, and how often they are made.

#include "tuner/resolve/sequence_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tuner/resolve/argument_plans.h"

namespace tuner {

namespace {

// Whether an attribute is asked for; empty: no.
Expected<bool, std::string> asked(const Expression& expression, const Bindings& names,
                                  const std::string& what) {
  if (expression.empty()) return false;
  const auto value = value_of(expression, names, what);
  if (!value) return Unexpected{value.error()};
  return truth(*value);
}

Expected<int, std::string> carveout_of(const Expression& expression, const Bindings& names) {
  if (expression.empty()) return -1;
  const auto value = value_of(expression, names, "carveout");
  if (!value) return Unexpected{value.error()};
  const double percent = to_number(*value);
  if (percent == std::floor(percent) && percent >= -1 && percent <= 100) {
    return static_cast<int>(percent);
  }
  return Unexpected{fmt::format(
      "carveout '{}' is {}, must be a percentage from 0 to 100, or -1 for the driver's choice",
      expression.text(), to_text(*value))};
}

Expected<ClusterScheduling, std::string> scheduling_of(const Expression& expression,
                                                       const Bindings& names) {
  if (expression.empty()) return ClusterScheduling::kDefault;
  const auto value = value_of(expression, names, "scheduling");
  if (!value) return Unexpected{value.error()};
  const std::string policy = to_text(*value);
  if (policy == "default") return ClusterScheduling::kDefault;
  if (policy == "spread") return ClusterScheduling::kSpread;
  if (policy == "load_balancing") return ClusterScheduling::kLoadBalancing;
  return Unexpected{
      fmt::format("scheduling '{}' is {}, must be 'default', 'spread' or 'load_balancing'",
                  expression.text(), policy)};
}

}  // namespace

Expected<LaunchAttributes, std::string> launch_attributes(const LaunchAttributesSpec& spec,
                                                          const Bindings& names) {
  LaunchAttributes out;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto blocks =
        whole(spec.cluster[i], names, std::string("cluster.") + "xyz" [i], { 1, 1, 16 });
    if (!blocks) return Unexpected{blocks.error()};
    out.cluster[i] = static_cast<std::uint32_t>(*blocks);
  }
  const auto cooperative = asked(spec.cooperative, names, "cooperative");
  if (!cooperative) return Unexpected{cooperative.error()};
  const auto carveout = carveout_of(spec.carveout, names);
  if (!carveout) return Unexpected{carveout.error()};
  const auto scheduling = scheduling_of(spec.scheduling, names);
  if (!scheduling) return Unexpected{scheduling.error()};
  const auto programmatic = asked(spec.programmatic, names, "programmatic");
  if (!programmatic) return Unexpected{programmatic.error()};
  out.cooperative = *cooperative;
  out.carveout = *carveout;
  out.scheduling = *scheduling;
  out.programmatic = *programmatic;
  return out;
}

Expected<LaunchGeometry, std::string> geometry(const LaunchSpec& launch, const Bindings& names) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  constexpr std::uint64_t kMost = UINT32_MAX;
  LaunchGeometry out;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis = kAxes[i];
    const auto grid = whole(launch.grid[i], names, "grid." + axis, {1, 1, kMost});
    if (!grid) return Unexpected{grid.error()};
    out.grid[i] = static_cast<std::uint32_t>(*grid);
    const auto block = whole(launch.block[i], names, "block." + axis, {1, 1, kMost});
    if (!block) return Unexpected{block.error()};
    out.block[i] = static_cast<std::uint32_t>(*block);
  }
  const auto shared =
      whole(launch.dynamic_shared_bytes, names, "dynamic_shared_bytes", {0, 0, kMost});
  if (!shared) return Unexpected{shared.error()};
  out.dynamic_shared_bytes = *shared;
  const auto attributes = launch_attributes(launch.attributes, names);
  if (!attributes) return Unexpected{attributes.error()};
  out.attributes = *attributes;
  return out;
}

Expected<bool, EvaluationError> takes_part(const NextLaunchSpec& next, const Bindings& names) {
  if (next.when.empty()) return true;
  const auto value = next.when.evaluate(names);
  if (!value) return Unexpected{value.error()};
  return truth(*value);
}

Expected<std::vector<NextLaunchPlan>, std::string> next_launches(
    const Study& study, const std::vector<NextLaunchSpec>& then, const Bindings& names) {
  std::vector<NextLaunchPlan> plans;
  for (const NextLaunchSpec& next : then) {
    const auto wanted = takes_part(next, names);
    if (!wanted) {
      return Unexpected{
          fmt::format("{}: when '{}': {}", next.entry, next.when.text(), wanted.error().message)};
    }
    if (!*wanted) continue;
    const auto shape = geometry(next.launch, names);
    if (!shape) return Unexpected{next.entry + ": " + shape.error()};
    auto arguments = positions_of(study.arguments, next.arguments, next.entry, names);
    if (!arguments) return Unexpected{arguments.error()};
    plans.push_back({next.entry, *shape, std::move(*arguments)});
  }
  return plans;
}

namespace {

struct Parts {
  const LaunchSpec& launch;
  const std::vector<std::string>& arguments;
  const std::vector<NextLaunchSpec>& then;
  const RoundsSpec& rounds;
};

Expected<SequencePlan, std::string> sequence_of(const Study& study, const Parts& parts,
                                                const Bindings& names) {
  SequencePlan plan;
  auto shape = geometry(parts.launch, names);
  if (!shape) return Unexpected{shape.error()};
  plan.geometry = *shape;
  auto arguments = positions_of(study.arguments, parts.arguments, "the launch", names);
  if (!arguments) return Unexpected{arguments.error()};
  if (arguments->size() != study.arguments.size() || !parts.arguments.empty())
    plan.arguments = std::move(*arguments);
  auto then = next_launches(study, parts.then, names);
  if (!then) return Unexpected{then.error()};
  plan.then = std::move(*then);
  const std::uint64_t most = kMostLaunches / (1 + plan.then.size());
  const auto rounds = whole(parts.rounds.repeat, names, "repeat", {1, 1, most});
  if (!rounds) return Unexpected{rounds.error()};
  plan.rounds = static_cast<std::uint32_t>(*rounds);
  for (const auto& [one, other] : parts.rounds.swap) {
    const auto pair = positions_of(study.arguments, {one, other}, "swap", names);
    if (!pair) return Unexpected{pair.error()};
    plan.swaps.emplace_back(pair->front(), pair->back());
  }
  return plan;
}

}  // namespace

Expected<SequencePlan, std::string> variant_sequence(const Study& study, const Bindings& names) {
  return sequence_of(study, {study.launch, study.launch_arguments, study.then, study.rounds},
                     names);
}

Expected<SequencePlan, std::string> reference_sequence(const Study& study, const Bindings& names) {
  const ReferenceSpec& reference = *study.reference;
  return sequence_of(
      study, {reference.launch, reference.arguments, reference.then, reference.rounds}, names);
}

}  // namespace tuner
