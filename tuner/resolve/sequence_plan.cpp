// Evaluates the launches of a sequence, and how often they are made.

#include "tuner/resolve/sequence_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/attempt.h"

namespace tuner {

namespace {

// Whether an attribute is asked for; empty: no.
bool asked(const Expression& expression, const Bindings& names, const std::string& what) {
  return !expression.empty() && truth(needed(value_of(expression, names, what)));
}

int carveout_of(const Expression& expression, const Bindings& names) {
  if (expression.empty()) return -1;
  const Value value = needed(value_of(expression, names, "carveout"));
  const double percent = to_number(value);
  if (percent == std::floor(percent) && percent >= -1 && percent <= 100) {
    return static_cast<int>(percent);
  }
  throw NoPlan{fmt::format(
      "carveout '{}' is {}, must be a percentage from 0 to 100, or -1 for the driver's choice",
      expression.text(), to_text(value))};
}

ClusterScheduling scheduling_of(const Expression& expression, const Bindings& names) {
  if (expression.empty()) return ClusterScheduling::kDefault;
  const std::string policy = to_text(needed(value_of(expression, names, "scheduling")));
  if (policy == "default") return ClusterScheduling::kDefault;
  if (policy == "spread") return ClusterScheduling::kSpread;
  if (policy == "load_balancing") return ClusterScheduling::kLoadBalancing;
  throw NoPlan{fmt::format("scheduling '{}' is {}, must be 'default', 'spread' or 'load_balancing'",
                           expression.text(), policy)};
}

}  // namespace

Expected<LaunchAttributes, std::string> launch_attributes(const LaunchAttributesSpec& spec,
                                                          const Bindings& names) {
  return attempt([&] {
    LaunchAttributes out;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string axis = std::string("cluster.") + "xyz"[i];
      out.cluster[i] =
          static_cast<std::uint32_t>(needed(whole(spec.cluster[i], names, axis, {1, 1, 16})));
    }
    out.cooperative = asked(spec.cooperative, names, "cooperative");
    out.carveout = carveout_of(spec.carveout, names);
    out.scheduling = scheduling_of(spec.scheduling, names);
    out.programmatic = asked(spec.programmatic, names, "programmatic");
    return out;
  });
}

Expected<LaunchGeometry, std::string> geometry(const LaunchSpec& launch, const Bindings& names) {
  constexpr std::uint64_t kMost = UINT32_MAX;
  const auto extent = [&](const Expression& axis, const std::string& what) {
    return static_cast<std::uint32_t>(needed(whole(axis, names, what, {1, 1, kMost})));
  };
  return attempt([&] {
    LaunchGeometry out;
    for (std::size_t i = 0; i < 3; ++i) {
      out.grid[i] = extent(launch.grid[i], std::string("grid.") + "xyz"[i]);
      out.block[i] = extent(launch.block[i], std::string("block.") + "xyz"[i]);
    }
    out.dynamic_shared_bytes =
        needed(whole(launch.dynamic_shared_bytes, names, "dynamic_shared_bytes", {0, 0, kMost}));
    out.attributes = needed(launch_attributes(launch.attributes, names));
    return out;
  });
}

Expected<bool, EvaluationError> takes_part(const NextLaunchSpec& next, const Bindings& names) {
  if (next.when.empty()) return true;
  const auto value = next.when.evaluate(names);
  if (!value) return Unexpected{value.error()};
  return truth(*value);
}

Expected<std::vector<NextLaunchPlan>, std::string> next_launches(
    const Study& study, const std::vector<NextLaunchSpec>& then, const Bindings& names) {
  return attempt([&] {
    std::vector<NextLaunchPlan> plans;
    for (const NextLaunchSpec& next : then) {
      const auto wanted = takes_part(next, names);
      if (!wanted) {
        throw NoPlan{
            fmt::format("{}: when '{}': {}", next.entry, next.when.text(), wanted.error().message)};
      }
      if (!*wanted) continue;
      const LaunchGeometry shape = needed(geometry(next.launch, names), next.entry + ": ");
      plans.push_back({next.entry, shape,
                       needed(positions_of(study.arguments, next.arguments, next.entry, names))});
    }
    return plans;
  });
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
  return attempt([&] {
    SequencePlan plan;
    plan.geometry = needed(geometry(parts.launch, names));
    auto arguments = needed(positions_of(study.arguments, parts.arguments, "the launch", names));
    if (arguments.size() != study.arguments.size() || !parts.arguments.empty()) {
      plan.arguments = std::move(arguments);
    }
    plan.then = needed(next_launches(study, parts.then, names));
    const std::uint64_t most = kMostLaunches / (1 + plan.then.size());
    plan.rounds = static_cast<std::uint32_t>(
        needed(whole(parts.rounds.repeat, names, "repeat", {1, 1, most})));
    for (const auto& [one, other] : parts.rounds.swap) {
      const auto pair = needed(positions_of(study.arguments, {one, other}, "swap", names));
      plan.swaps.emplace_back(pair.front(), pair.back());
    }
    return plan;
  });
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
