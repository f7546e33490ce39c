// Evaluates the launches of a sequence, and how often they are made.

#include "tuner/resolve/sequence_plan.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/resolve/argument_plans.h"

namespace tuner {

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
    auto arguments = positions_of(study.arguments, next.arguments, next.entry);
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
  auto arguments = positions_of(study.arguments, parts.arguments, "the launch");
  if (!arguments) return Unexpected{arguments.error()};
  if (!parts.arguments.empty()) plan.arguments = std::move(*arguments);
  auto then = next_launches(study, parts.then, names);
  if (!then) return Unexpected{then.error()};
  plan.then = std::move(*then);
  const std::uint64_t most = kMostLaunches / (1 + plan.then.size());
  const auto rounds = whole(parts.rounds.repeat, names, "repeat", {1, 1, most});
  if (!rounds) return Unexpected{rounds.error()};
  plan.rounds = static_cast<std::uint32_t>(*rounds);
  for (const auto& [one, other] : parts.rounds.swap) {
    const auto pair = positions_of(study.arguments, {one, other}, "swap");
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
