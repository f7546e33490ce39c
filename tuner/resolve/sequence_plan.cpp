// Evaluates the launches of a sequence, and how often they are made.

#include "tuner/resolve/sequence_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/resolve/argument_plans.h"

namespace tuner {

namespace {

// Whether an attribute is requested; empty: no.
Expected<bool, std::string> asked(const Expression& expression, const Bindings& names,
                                  const std::string& what) {
  return !expression.empty() && truth(TUNER_TRY(value_of(expression, names, what)));
}

Expected<int, std::string> carveout_of(const Expression& expression, const Bindings& names) {
  if (expression.empty()) return -1;
  const Value value = TUNER_TRY(value_of(expression, names, "carveout"));
  const double percent = to_number(value);
  if (percent == std::floor(percent) && percent >= -1 && percent <= 100) {
    return static_cast<int>(percent);
  }
  return Unexpected{fmt::format(
      "carveout '{}' is {}, must be a percentage from 0 to 100, or -1 for the driver's choice",
      expression.text(), to_text(value))};
}

Expected<ClusterScheduling, std::string> scheduling_of(const Expression& expression,
                                                       const Bindings& names) {
  if (expression.empty()) return ClusterScheduling::kDefault;
  const std::string policy = to_text(TUNER_TRY(value_of(expression, names, "scheduling")));
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
    const std::string axis = std::string("cluster.") + "xyz"[i];
    out.cluster[i] =
        static_cast<std::uint32_t>(TUNER_TRY(whole(spec.cluster[i], names, axis, {1, 1, 16})));
  }
  out.cooperative = TUNER_TRY(asked(spec.cooperative, names, "cooperative"));
  out.carveout = TUNER_TRY(carveout_of(spec.carveout, names));
  out.scheduling = TUNER_TRY(scheduling_of(spec.scheduling, names));
  out.programmatic = TUNER_TRY(asked(spec.programmatic, names, "programmatic"));
  return out;
}

Expected<LaunchGeometry, std::string> geometry(const LaunchSpec& launch, const Bindings& names) {
  constexpr std::uint64_t kMost = UINT32_MAX;
  const auto extent = [&](const Expression& axis,
                          const std::string& what) -> Expected<std::uint32_t, std::string> {
    return static_cast<std::uint32_t>(TUNER_TRY(whole(axis, names, what, {1, 1, kMost})));
  };
  LaunchGeometry out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.grid[i] = TUNER_TRY(extent(launch.grid[i], std::string("grid.") + "xyz"[i]));
    out.block[i] = TUNER_TRY(extent(launch.block[i], std::string("block.") + "xyz"[i]));
  }
  out.dynamic_shared_bytes =
      TUNER_TRY(whole(launch.dynamic_shared_bytes, names, "dynamic_shared_bytes", {0, 0, kMost}));
  out.attributes = TUNER_TRY(launch_attributes(launch.attributes, names));
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
    const LaunchGeometry shape = TUNER_TRY(in_context(next.entry, geometry(next.launch, names)));
    auto arguments = TUNER_TRY(positions_of(study.arguments, next.arguments, next.entry, names));
    plans.push_back({next.entry, shape, std::move(arguments)});
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
  plan.geometry = TUNER_TRY(geometry(parts.launch, names));
  auto arguments = TUNER_TRY(positions_of(study.arguments, parts.arguments, "the launch", names));
  const bool has_more = study.memory_is_captured;  // pieces of memory behind them
  if (arguments.size() != study.arguments.size() || !parts.arguments.empty() || has_more) {
    plan.arguments = std::move(arguments);
  }
  plan.then = TUNER_TRY(next_launches(study, parts.then, names));
  const std::uint64_t most = kMostLaunches / (1 + plan.then.size());
  plan.rounds = static_cast<std::uint32_t>(
      TUNER_TRY(whole(parts.rounds.repeat, names, "repeat", {1, 1, most})));
  for (const auto& [one, other] : parts.rounds.swap) {
    const auto pair = TUNER_TRY(positions_of(study.arguments, {one, other}, "swap", names));
    plan.swaps.emplace_back(pair.front(), pair.back());
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
