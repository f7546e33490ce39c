// What the run worker is told.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/objective.h"
#include "tuner/engine/resolve_parts.h"

namespace tuner {
namespace {

// Facts, and what follows from them alone: derived names that no parameter enters.
Bindings fixed_names(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  Bindings names = facts_of(size, device);
  for (const NamedExpression& derived : study.derived) {
    if (varies(derived.expression, names)) continue;
    if (auto value = derived.expression.evaluate(names)) names[derived.name] = *value;
  }
  return names;
}

Expected<ReferencePlan, std::string> reference_plan(const Study& study, const Bindings& names) {
  ReferencePlan plan;
  const ReferenceSpec& spec = *study.reference;
  auto launch = geometry(spec.launch, names);
  if (!launch) return Unexpected{"reference: " + launch.error()};
  plan.geometry = *launch;
  auto arguments = positions_of(study.arguments, spec.arguments, "reference");
  if (!arguments) return Unexpected{arguments.error()};
  plan.arguments = std::move(*arguments);
  for (const std::uint32_t index : plan.arguments) {
    if (!varies(study.arguments[index], names)) continue;
    return Unexpected{fmt::format(
        "reference: argument '{}' depends on the parameters; name the reference's arguments",
        study.arguments[index].name)};
  }
  return plan;
}

Expected<double, std::string> tolerance(const Expression& expression, const Bindings& names,
                                        const std::string& what) {
  if (expression.empty()) return 0.0;
  const auto value = value_of(expression, names, what);
  if (!value) return Unexpected{value.error()};
  const double number = to_number(*value);
  if (number >= 0) return number;  // not for NaN
  return Unexpected{
      fmt::format("{} '{}' is {}, must not be negative", what, expression.text(), to_text(*value))};
}

// The outputs that the study names, and every other `out` buffer that the reference writes.
Expected<std::vector<CheckPlan>, std::string> check_plans(const Study& study,
                                                          const ReferencePlan& reference,
                                                          const Bindings& names) {
  std::vector<CheckPlan> checks;
  for (const std::uint32_t index : reference.arguments) {
    const ArgumentSpec& spec = study.arguments[index];
    if (spec.is_scalar) continue;
    const auto named = std::find_if(study.verify.begin(), study.verify.end(),
                                    [&](const auto& entry) { return entry.first == spec.name; });
    CheckPlan check{index, 0, 0};
    if (named != study.verify.end()) {
      const auto rtol = tolerance(named->second.rtol, names, "rtol of " + spec.name);
      if (!rtol) return Unexpected{rtol.error()};
      const auto atol = tolerance(named->second.atol, names, "atol of " + spec.name);
      if (!atol) return Unexpected{atol.error()};
      check.rtol = *rtol;
      check.atol = *atol;
    } else if (spec.role == Role::kOut || spec.role == Role::kInOut) {
      const DefaultTolerance usual = default_tolerance(spec.type);
      check.rtol = usual.rtol;
      check.atol = usual.atol;
    } else {
      continue;
    }
    checks.push_back(check);
  }
  return checks;
}

}  // namespace

DefaultTolerance default_tolerance(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return {1e-10, 1e-12};
    case DataType::kFloat32:
      return {1e-4, 1e-5};
    case DataType::kFloat16:
      return {1e-2, 1e-3};
    case DataType::kBFloat16:
      return {5e-2, 1e-2};
    default:
      return {0, 0};
  }
}

Expected<SizePlan, std::string> size_plan(const Study& study, const ProblemSize& size,
                                          const DeviceFacts& device) {
  const Bindings names = fixed_names(study, size, device);
  SizePlan plan;
  plan.measure = study.measure;
  plan.measure.power = needs_power(study);
  if (slow_may_be_best(study, size, device)) plan.measure.drop_above = 0;
  auto arguments = argument_plans(study.arguments, study, names);
  if (!arguments) return Unexpected{arguments.error()};
  plan.arguments = std::move(*arguments);
  auto constants = argument_plans(study.constants, study, names);
  if (!constants) return Unexpected{constants.error()};
  plan.constants = std::move(*constants);
  if (!study.reference) return plan;
  auto reference = reference_plan(study, names);
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
  const Bindings names = space.bindings(configuration);
  auto launch = geometry(study.launch, names);
  if (!launch) return Unexpected{launch.error()};
  plan.geometry = *launch;
  auto then = next_launches(study, names);
  if (!then) return Unexpected{then.error()};
  plan.then = std::move(*then);
  const Bindings& facts = space.definition().facts;
  std::uint32_t index = 0;
  for (const auto* specs : {&study.arguments, &study.constants}) {
    for (const ArgumentSpec& spec : *specs) {
      const std::uint32_t place = index++;
      if (!may_vary(spec) || !varies(spec, facts)) continue;
      auto argument = argument_plan(spec, study.arguments, names);
      if (!argument) return Unexpected{argument.error()};
      plan.overrides.emplace_back(place, std::move(*argument));
    }
  }
  return plan;
}

}  // namespace tuner
