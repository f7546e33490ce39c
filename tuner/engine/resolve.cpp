// What the run worker is told: launches, and the plans of a size and of a variant.

#include "tuner/engine/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/engine/argument_plans.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/reference_plan.h"

namespace tuner {

// ---- launches -----------------------------------------------------------------------------------

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

// ---- what is left to plugins --------------------------------------------------------------------

namespace {

PluginPlan plugin_plan(const std::string& name, const OptionList& options) {
  PluginPlan plan{name, {}};
  for (const OptionValue& one : options) plan.options.emplace_back(one.name, one.value);
  return plan;
}

// Metrics of one observer with the same options come from one object.
std::vector<ObserverPlan> observer_plans(const Study& study) {
  std::vector<ObserverPlan> plans;
  for (const ObserverSpec& spec : study.observers) {
    PluginPlan plugin = plugin_plan(spec.name, spec.options);
    auto same = std::ranges::find_if(plans, [&](const ObserverPlan& one) {
      return one.plugin.name == plugin.name && one.plugin.options == plugin.options;
    });
    if (same == plans.end()) same = plans.insert(same, {std::move(plugin), {}});
    same->metrics.emplace_back(spec.metric, spec.value);
  }
  return plans;
}

}  // namespace

// ---- the plans of a size and of a variant -------------------------------------------------------

Expected<SizePlan, std::string> size_plan(const Study& study, const ProblemSize& size,
                                          const DeviceFacts& device,
                                          const std::vector<ReferenceCase>& cases) {
  const Bindings names = with_derived(study, facts_of(size, device));
  SizePlan plan;
  plan.measure = study.measure;
  plan.measure.power = needs_power(study);
  plan.deterministic = study.deterministic;
  if (study.problem) plan.problem = plugin_plan(study.problem->name, study.problem->options);
  plan.extents = size.dims;
  plan.observers = observer_plans(study);
  if (slow_may_be_best(study, size, device)) plan.measure.drop_above = 0;
  auto arguments = argument_plans(study.arguments, study.arguments, names);
  if (!arguments) return Unexpected{arguments.error()};
  plan.arguments = std::move(*arguments);
  auto constants = argument_plans(study.constants, study.arguments, names);
  if (!constants) return Unexpected{constants.error()};
  plan.constants = std::move(*constants);
  if (!study.reference || cases.empty()) return plan;
  auto reference = reference_plan(study, names, cases);
  if (!reference) return Unexpected{reference.error()};
  auto checks = check_plans(study, *reference, names);
  if (!checks) return Unexpected{checks.error()};
  plan.reference = std::move(*reference);
  plan.checks = std::move(*checks);
  return plan;
}

Expected<VariantPlan, std::string> variant_plan(const Study& study, const SearchSpace& space,
                                                const Configuration& configuration) {
  VariantPlan plan;
  plan.answer = answer_key(study, space, configuration);
  const Bindings names = space.bindings(configuration);
  auto launch = geometry(study.launch, names);
  if (!launch) return Unexpected{launch.error()};
  plan.geometry = *launch;
  auto then = next_launches(study, names);
  if (!then) return Unexpected{then.error()};
  plan.then = std::move(*then);
  std::uint32_t index = 0;
  for (const auto* specs : {&study.arguments, &study.constants}) {
    for (const ArgumentSpec& spec : *specs) {
      const std::uint32_t place = index++;
      if (!may_vary(spec) || !varies(spec, space.definition().facts)) continue;
      auto argument = argument_plan(spec, study.arguments, names);
      if (!argument) return Unexpected{argument.error()};
      plan.overrides.emplace_back(place, std::move(*argument));
    }
  }
  return plan;
}

}  // namespace tuner
