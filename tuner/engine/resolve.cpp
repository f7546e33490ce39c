// What the run worker is told: arguments, launches, checks, from the expressions of the study.

#include "tuner/engine/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/engine/objective.h"

namespace tuner {
namespace {

// ---- values of expressions ----------------------------------------------------------------------

// Whether it has names without a value yet, which only the configuration will give them.
bool varies(const Expression& expression, const Bindings& names) {
  return std::any_of(expression.names().begin(), expression.names().end(),
                     [&](const std::string& name) { return !names.contains(name); });
}

bool varies(const std::vector<Expression>& all, const Bindings& names) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Expression& one) { return varies(one, names); });
}

// A map's buffer is not scratch, so its extents stay.
bool varies(const ArgumentSpec& argument, const Bindings& names) {
  if (argument.map) return varies(argument.map->box, names) || varies(argument.map->swizzle, names);
  if (argument.is_scalar) return varies(argument.value, names);
  return varies(argument.shape, names);
}

// Failures are sentences that begin with `what`.
Expected<Value, std::string> value_of(const Expression& expression, const Bindings& names,
                                      const std::string& what) {
  auto value = expression.evaluate(names);
  if (value) return *value;
  return Unexpected{fmt::format("{} '{}': {}", what, expression.text(), value.error().message)};
}

// A whole number from `low` to `high`; `fallback` for an empty expression.
Expected<std::uint64_t, std::string> whole(const Expression& expression, const Bindings& names,
                                           const std::string& what, std::uint64_t fallback,
                                           std::uint64_t low, std::uint64_t high) {
  if (expression.empty()) return fallback;
  const auto value = value_of(expression, names, what);
  if (!value) return Unexpected{value.error()};
  std::int64_t number = -1;
  const double real = to_number(*value);
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) {
    number = *integer;
  } else if (!std::holds_alternative<bool>(*value) && real >= 0 && real < 0x1p63 &&
             real == std::floor(real)) {
    number = static_cast<std::int64_t>(real);
  }
  if (number >= 0 && static_cast<std::uint64_t>(number) >= low &&
      static_cast<std::uint64_t>(number) <= high) {
    return static_cast<std::uint64_t>(number);
  }
  return Unexpected{fmt::format("{} '{}' is {}, must be a whole number from {} to {}", what,
                                expression.text(), to_text(*value), low, high)};
}

std::optional<std::uint32_t> position_of(const std::vector<ArgumentSpec>& arguments,
                                         const std::string& name) {
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) return i;
  }
  return std::nullopt;
}

// By name, or all of them when `wanted` is empty. Failures begin with `who`.
Expected<std::vector<std::uint32_t>, std::string> positions_of(
    const std::vector<ArgumentSpec>& arguments, const std::vector<std::string>& wanted,
    const std::string& who) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; wanted.empty() && i < arguments.size(); ++i) places.push_back(i);
  for (const std::string& name : wanted) {
    const auto place = position_of(arguments, name);
    if (!place) return Unexpected{fmt::format("{}: there is no argument '{}'", who, name)};
    places.push_back(*place);
  }
  return places;
}

// ---- arguments ----------------------------------------------------------------------------------

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 60;

Expected<std::vector<std::byte>, std::string> scalar_of(const ArgumentSpec& spec,
                                                        const Bindings& names) {
  const auto value = value_of(spec.value, names, spec.name);
  if (!value) return Unexpected{value.error()};
  if (std::holds_alternative<std::string>(*value)) {
    return Unexpected{
        fmt::format("{} '{}' is text, must be a number", spec.name, spec.value.text())};
  }
  const double real = to_number(*value);
  if (is_floating(spec.type)) return scalar_bytes(spec.type, real);
  const bool is_signed = spec.type >= DataType::kInt8 && spec.type <= DataType::kInt64;
  const int bits = static_cast<int>(size_of(spec.type)) * 8 - (is_signed ? 1 : 0);
  const double limit = std::ldexp(1.0, bits);  // exclusive
  const auto* integer = std::get_if<std::int64_t>(&*value);
  // The doubles next to 2^63 and 2^64 round up, but every int64 is in range there anyway.
  const bool fits = (integer != nullptr && bits >= 63) ||
                    (real == std::floor(real) && real >= -limit && real < limit);
  if (!fits || (!is_signed && real < 0)) {
    return Unexpected{fmt::format("{} '{}' is {}, does not fit {}", spec.name, spec.value.text(),
                                  to_text(*value), name_of(spec.type))};
  }
  return scalar_bytes(spec.type, integer != nullptr ? *integer : static_cast<std::int64_t>(real));
}

std::optional<std::string> measure_shape(const ArgumentSpec& spec, const Bindings& names,
                                         ArgumentPlan& plan) {
  plan.elements = 1;
  for (const Expression& extent : spec.shape) {
    const auto value = whole(extent, names, "the shape of " + spec.name, 1, 1, kMostElements);
    if (!value) return value.error();
    if (plan.elements > kMostElements / *value) {
      return fmt::format("{} has more than 2^60 elements", spec.name);
    }
    plan.elements *= *value;
    plan.extents.push_back(*value);
  }
  return std::nullopt;
}

// All but the value or size.
ArgumentPlan placeholder(const ArgumentSpec& spec) {
  ArgumentPlan plan;
  plan.name = spec.name;
  plan.type = spec.type;
  plan.is_scalar = spec.is_scalar;
  if (spec.is_scalar && !spec.map) plan.scalar.resize(size_of(spec.type));
  if (spec.map) plan.map.emplace();
  plan.role = spec.role;
  plan.fill = spec.fill;
  plan.zero = spec.zero;
  plan.seed = hash_of(spec.name).low;
  return plan;
}

Expected<TensorMapPlan, std::string> map_plan(const ArgumentSpec& spec,
                                              const std::vector<ArgumentSpec>& arguments,
                                              const Bindings& names) {
  constexpr std::uint64_t kMostInBox = 256;  // the copy engine's limit
  const auto of = position_of(arguments, spec.map->of);
  if (!of) return Unexpected{fmt::format("{}: there is no argument '{}'", spec.name, spec.map->of)};
  TensorMapPlan plan;
  plan.of = *of;
  plan.map.type = arguments[*of].type;
  for (const Expression& extent : arguments[*of].shape) {
    const auto value = whole(extent, names, "the shape of " + spec.map->of, 1, 1, kMostElements);
    if (!value) return Unexpected{value.error()};
    plan.map.extents.push_back(*value);
  }
  for (const Expression& extent : spec.map->box) {
    const auto value = whole(extent, names, "the box of " + spec.name, 1, 1, kMostInBox);
    if (!value) return Unexpected{value.error()};
    plan.map.box.push_back(static_cast<std::uint32_t>(*value));
  }
  const auto swizzle = whole(spec.map->swizzle, names, "the swizzle of " + spec.name, 0, 0, 128);
  if (!swizzle) return Unexpected{swizzle.error()};
  if (*swizzle != 0 && *swizzle != 32 && *swizzle != 64 && *swizzle != 128) {
    return Unexpected{fmt::format("the swizzle of {} '{}' is {}, must be 0, 32, 64 or 128",
                                  spec.name, spec.map->swizzle.text(), *swizzle)};
  }
  plan.map.swizzle = static_cast<std::uint32_t>(*swizzle);
  return plan;
}

Expected<ArgumentPlan, std::string> argument_plan(const ArgumentSpec& spec,
                                                  const std::vector<ArgumentSpec>& arguments,
                                                  const Bindings& names) {
  ArgumentPlan plan = placeholder(spec);
  if (spec.map) {
    auto map = map_plan(spec, arguments, names);
    if (!map) return Unexpected{map.error()};
    plan.map = std::move(*map);
  } else if (spec.is_scalar) {
    auto bytes = scalar_of(spec, names);
    if (!bytes) return Unexpected{bytes.error()};
    plan.scalar = std::move(*bytes);
  } else {
    if (const auto wrong = measure_shape(spec, names, plan)) return Unexpected{*wrong};
  }
  return plan;
}

// Scalars, scratch and workspaces may differ between configurations.
bool may_vary(const ArgumentSpec& spec) { return spec.is_scalar || spec.role >= Role::kScratch; }

// Placeholders where the configuration decides.
Expected<std::vector<ArgumentPlan>, std::string> argument_plans(
    const std::vector<ArgumentSpec>& specs, const Study& study, const Bindings& names) {
  std::vector<ArgumentPlan> plans;
  for (const ArgumentSpec& spec : specs) {
    if (varies(spec, names)) {
      if (!may_vary(spec)) {
        return Unexpected{fmt::format(
            "the shape of {} depends on the parameters; only scratch's or a workspace's may",
            spec.name)};
      }
      plans.push_back(placeholder(spec));
      continue;
    }
    auto plan = argument_plan(spec, study.arguments, names);
    if (!plan) return Unexpected{plan.error()};
    plans.push_back(std::move(*plan));
  }
  return plans;
}

// ---- the reference and its checks ---------------------------------------------------------------

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
  plan.seeds = static_cast<std::uint32_t>(spec.seeds);
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

// rtol and atol of an output for which the study names none; integers are compared exactly.
std::pair<double, double> default_tolerance(DataType type) {
  if (type == DataType::kFloat64) return {1e-10, 1e-12};
  if (type == DataType::kFloat32) return {1e-4, 1e-5};
  if (type == DataType::kFloat16) return {1e-2, 1e-3};
  if (type == DataType::kBFloat16) return {5e-2, 1e-2};
  return {0, 0};
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
      std::tie(check.rtol, check.atol) = default_tolerance(spec.type);
    } else {
      continue;
    }
    checks.push_back(check);
  }
  return checks;
}

}  // namespace

// ---- launches -----------------------------------------------------------------------------------

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

// ---- the plans of a size and of a variant -------------------------------------------------------

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
