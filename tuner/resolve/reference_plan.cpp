// Finds the values that the right answer depends on, and plans the reference for each.

#include "tuner/resolve/reference_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/sequence_plan.h"

namespace tuner {
namespace {

// Places of reference.per among the parameters.
std::vector<std::size_t> per_places(const Study& study, const std::vector<Parameter>& parameters) {
  std::vector<std::size_t> places;
  if (!study.reference) return places;
  for (const std::string& name : study.reference->per) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found != parameters.end()) {
      places.push_back(static_cast<std::size_t>(found - parameters.begin()));
    }
  }
  return places;
}

std::size_t place_of(const Parameter& parameter, const Value& value) {
  const auto same = [&](const Value& one) { return same_value(one, value); };
  const auto found = std::ranges::find_if(parameter.values, same);
  return static_cast<std::size_t>(found - parameter.values.begin());
}

// Values that the reference is compiled with, whatever the answer is.
void apply(const ReferenceSpec& reference, const std::vector<Parameter>& parameters,
           Configuration& configuration) {
  for (const auto& assignment : reference.configuration) {
    const auto chosen = std::ranges::find(parameters, assignment.first, &Parameter::name);
    if (chosen == parameters.end()) continue;
    configuration[static_cast<std::size_t>(chosen - parameters.begin())] = assignment.second;
  }
}

// The first configuration of the space with these values, where it has one.
std::optional<Configuration> first_with(const SearchSpace& space,
                                        const std::vector<std::size_t>& places,
                                        const std::vector<Value>& values) {
  SpaceDefinition narrowed = space.definition();
  for (std::size_t i = 0; i < places.size(); ++i) {
    narrowed.parameters[places[i]].values = {values[i]};
  }
  const SearchSpace part = SearchSpace::build(std::move(narrowed));
  if (part.size() == 0) return std::nullopt;
  return part.configuration(0);
}

// Adds the case of one combination of values, if the space has it.
void add_case(const Study& study, const SearchSpace& space, const std::vector<std::size_t>& places,
              const std::vector<Value>& values, std::vector<ReferenceCase>& out) {
  auto configuration = first_with(space, places, values);
  if (!configuration) return;
  ReferenceCase one;
  for (std::size_t i = 0; i < places.size(); ++i) {
    one.values += fmt::format("{}{}={}", i > 0 ? " " : "", space.parameters()[places[i]].name,
                              to_text(values[i]));
  }
  one.key = answer_key(study, space, *configuration);
  apply(*study.reference, space.parameters(), *configuration);
  one.configuration = std::move(*configuration);
  out.push_back(std::move(one));
}

}  // namespace

std::uint32_t answer_key(const Study& study, const SearchSpace& space,
                         const Configuration& configuration) {
  std::size_t key = 0;
  for (const std::size_t p : per_places(study, space.parameters())) {
    const Parameter& parameter = space.parameters()[p];
    key = key * parameter.values.size() + place_of(parameter, configuration.at(p));
  }
  return static_cast<std::uint32_t>(key);
}

std::vector<ReferenceCase> reference_cases(const Study& study, const SearchSpace& space) {
  std::vector<ReferenceCase> cases;
  if (!study.reference || space.size() == 0) return cases;
  const std::vector<std::size_t> places = per_places(study, space.parameters());
  if (places.empty()) {
    ReferenceCase& only = cases.emplace_back();
    only.configuration = space.configuration(0);
    apply(*study.reference, space.parameters(), only.configuration);
    return cases;
  }
  std::uint64_t count = 1;
  for (const std::size_t p : places) count *= space.parameters()[p].values.size();
  for (std::uint64_t number = 0; number < count; ++number) {
    std::vector<Value> values(places.size());
    std::uint64_t rest = number;
    for (std::size_t i = places.size(); i-- > 0;) {
      const std::vector<Value>& all = space.parameters()[places[i]].values;
      values[i] = all[rest % all.size()];
      rest /= all.size();
    }
    add_case(study, space, places, values, cases);
  }
  return cases;
}

std::vector<Bindings> answer_cases(const Study& study, const Bindings& names) {
  std::vector<Bindings> cases{names};
  for (const std::size_t p : per_places(study, study.parameters)) {
    std::vector<Bindings> more;
    for (const Bindings& one : cases) {
      for (const Value& value : study.parameters[p].values) {
        more.push_back(one);
        more.back()[study.parameters[p].name] = value;
      }
    }
    cases = std::move(more);
  }
  return cases;
}

Bindings with_derived(const Study& study, Bindings names) {
  for (const NamedExpression& derived : study.derived) {
    if (names.contains(derived.name) || varies(derived.expression, names)) continue;
    if (auto value = derived.expression.evaluate(names)) names[derived.name] = *value;
  }
  return names;
}

namespace {

// Collects the names for the reference's expressions: what is the same for all configurations of a
// case, and what the study says that the reference has.
Bindings names_of(const Study& study, const Bindings& fixed, const ReferenceCase& one) {
  Bindings names = fixed;
  for (const std::size_t p : per_places(study, study.parameters)) {
    names[study.parameters[p].name] = one.configuration.at(p);
  }
  for (const auto& [name, value] : study.reference->configuration) names[name] = value;
  return with_derived(study, std::move(names));
}

using Overrides = std::vector<std::pair<std::uint32_t, ArgumentPlan>>;

// Outputs that a file fills with what is right.
Expected<Overrides, std::string> answer_files(const Study& study, const ReferencePlan& reference,
                                              const Bindings& names) {
  Overrides files;
  for (const std::uint32_t index : reference.arguments) {
    ArgumentSpec output = study.arguments[index];
    if (!is_there(output, names)) continue;
    const auto& all = study.reference->files;
    const auto file = std::ranges::find(all, output.name, &std::pair<std::string, FillSpec>::first);
    if (file == all.end()) continue;
    output.fill = file->second;
    files.emplace_back(
        index, TUNER_TRY(in_context("reference", argument_plan(output, study.arguments, names))));
  }
  return files;
}

Expected<AnswerPlan, std::string> answer_plan(const Study& study, const ReferencePlan& reference,
                                              const Bindings& fixed, const ReferenceCase& one) {
  AnswerPlan plan;
  plan.key = one.key;
  plan.values = one.values;
  const std::string who = one.values.empty() ? "reference" : "reference, " + one.values;
  plan.by_problem = study.reference->from == AnswerSource::kProblem;
  const Bindings names = names_of(study, fixed, one);
  for (std::uint32_t i = 0; i < study.arguments.size(); ++i) {
    if (is_there(study.arguments[i], names)) continue;
    plan.overrides.emplace_back(i, idle_argument(study.arguments[i]));
  }
  if (plan.by_problem) return plan;
  if (study.reference->is_given()) {
    plan.files = TUNER_TRY(answer_files(study, reference, names));
    return plan;
  }
  static_cast<SequencePlan&>(plan) = TUNER_TRY(in_context(who, reference_sequence(study, names)));
  for (const std::uint32_t index : reference.arguments) {
    const ArgumentSpec& spec = study.arguments[index];
    if (!is_there(spec, names) || !varies(spec, fixed)) continue;
    if (varies(spec, names)) {
      return Unexpected{fmt::format(
          "reference: argument '{}' depends on the parameters; name the reference's arguments, or "
          "say the values in its 'configuration'",
          spec.name)};
    }
    plan.overrides.emplace_back(
        index, TUNER_TRY(in_context(who, argument_plan(spec, study.arguments, names))));
  }
  return plan;
}

// Lists the arguments that any of the reference's launches takes, each once; those that it reaches
// through addresses, too.
Expected<std::vector<std::uint32_t>, std::string> taken_by(const Study& study,
                                                           const ReferenceSpec& spec) {
  auto all = TUNER_TRY(positions_of(study.arguments, spec.arguments, "reference", {}));
  for (const NextLaunchSpec& next : spec.then) {
    const auto more = TUNER_TRY(positions_of(study.arguments, next.arguments, "reference", {}));
    for (const std::uint32_t one : more) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  }
  return with_reached(study.arguments, std::move(all));
}

}  // namespace

Expected<ReferencePlan, std::string> reference_plan(const Study& study, const Bindings& names,
                                                    const std::vector<ReferenceCase>& cases) {
  ReferencePlan plan;
  const ReferenceSpec& spec = *study.reference;
  plan.arguments = TUNER_TRY(taken_by(study, spec));
  // Files have the answers for one set of inputs.
  plan.seeds = spec.is_given() ? 1 : static_cast<std::uint32_t>(spec.seeds);
  if (!spec.is_given()) plan.fills = spec.fills;
  for (const ReferenceCase& one : cases) {
    plan.answers.push_back(TUNER_TRY(answer_plan(study, plan, names, one)));
  }
  return plan;
}

namespace {

Expected<double, std::string> tolerance(const Expression& expression, const Bindings& names,
                                        const std::string& what) {
  if (expression.empty()) return 0.0;
  const Value value = TUNER_TRY(value_of(expression, names, what));
  const double number = to_number(value);
  if (number >= 0) return number;  // not for NaN
  return Unexpected{
      fmt::format("{} '{}' is {}, must not be negative", what, expression.text(), to_text(value))};
}

std::pair<double, double> usual_tolerance(DataType type) {
  const UsualTolerance& usual = facts_of(type).as_float.usual;
  return {usual.rtol, usual.atol};
}

// How an output is compared; nothing where it is not.
Expected<std::optional<CheckPlan>, std::string> check_plan(const Study& study, std::uint32_t index,
                                                           const Bindings& fixed) {
  const ArgumentSpec& spec = study.arguments[index];
  if (spec.is_scalar) return std::optional<CheckPlan>();
  Bindings names = fixed;
  if (spec.choice) names[spec.choice->parameter] = spec.choice->value;
  names = with_derived(study, std::move(names));
  const auto named =
      std::ranges::find(study.verify, spec.name, &std::pair<std::string, Tolerance>::first);
  const bool is_named = named != study.verify.end();
  std::optional<CheckPlan> check({index, 0, 0});
  if (is_named && named->second.by_problem) {
    check->by_problem = true;
  } else if (is_named && !named->second.is_usual) {
    check->rtol = TUNER_TRY(tolerance(named->second.rtol, names, "rtol of " + spec.name));
    check->atol = TUNER_TRY(tolerance(named->second.atol, names, "atol of " + spec.name));
    check->how = named->second.how;
  } else if (is_output(spec.role)) {
    std::tie(check->rtol, check->atol) = usual_tolerance(spec.type);
    check->atol_is_share = true;
    if (is_named) check->how = named->second.how;
  } else {
    return std::optional<CheckPlan>();
  }
  if (!spec.record) return check;
  for (const MemberSpec& member : spec.record->members) {
    if (member.is_address) continue;
    const auto [rtol, atol] = !check->atol_is_share && is_floating(member.type)
                                  ? std::pair(check->rtol, check->atol)
                                  : usual_tolerance(member.type);
    check->members.push_back({rtol, atol, check->atol_is_share});
  }
  return check;
}

}  // namespace

Expected<std::vector<CheckPlan>, std::string> check_plans(const Study& study,
                                                          const ReferencePlan& reference,
                                                          const Bindings& fixed) {
  std::vector<CheckPlan> checks;
  for (const std::uint32_t index : reference.arguments) {
    auto check = TUNER_TRY(check_plan(study, index, fixed));
    if (check) checks.push_back(std::move(*check));
  }
  return checks;
}

}  // namespace tuner
