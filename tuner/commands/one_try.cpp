// The configuration is found and evaluated.

#include "tuner/commands/one_try.h"

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/bench/bench.h"
#include "tuner/check/geometry_check.h"
#include "tuner/commands/options.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/trust/ceilings.h"
#include "tuner/trust/counters.h"

namespace tuner {
namespace {

void assign(const std::string& word, Assignments& out) {
  bool first = true;
  for (const std::string& piece : split(word, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string::npos && !first) {
      out.back().second += "," + piece;
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      wrong_usage("a configuration is NAME=VALUE,..., not '" + word + "'");
    }
    first = false;
    const std::string name = piece.substr(0, equals);
    if (std::ranges::any_of(out, [&](const auto& one) { return one.first == name; })) {
      wrong_usage("'" + name + "' is given twice");
    }
    out.emplace_back(name, piece.substr(equals + 1));
  }
}

// The parameters with one value left where one was assigned.
std::vector<Parameter> narrowed(const Study& study, const Assignments& assigned) {
  std::vector<Parameter> out = study.parameters;
  for (const auto& assignment : assigned) {
    const std::string& name = assignment.first;
    const std::string& text = assignment.second;
    const auto parameter = std::ranges::find(out, name, &Parameter::name);
    if (parameter == out.end()) {
      const std::vector<std::string> names = parameter_names(study.parameters);
      wrong_usage("the study has no parameter '" + name + "'; it has " + listed(names),
                  did_you_mean(name, names));
    }
    std::vector<std::string> values;
    for (const Value& value : parameter->values) values.push_back(to_text(value));
    const auto value = std::ranges::find(values, text);
    if (value == values.end()) {
      wrong_usage("'" + name + "' has no value '" + text + "'; allowed: " + listed(values),
                  did_you_mean(text, values));
    }
    parameter->values = {parameter->values[static_cast<std::size_t>(value - values.begin())]};
  }
  return out;
}

// Lists the constraints that a complete configuration breaks; while values are left to choose, a
// sentence that none of them satisfies all.
std::vector<std::string> broken_rules(const Study& study, const std::vector<Parameter>& parameters,
                                      const DeviceFacts& device, const ProblemSize& size) {
  Configuration only;
  for (const Parameter& parameter : parameters) only.push_back(parameter.values.front());
  const bool complete =
      std::ranges::all_of(parameters, [](const Parameter& p) { return p.values.size() == 1; });
  if (!complete) return {"no configuration with these values satisfies all constraints"};
  const Bindings names = bindings_of(study, only, device, size);
  std::vector<std::string> out;
  for (const Expression& rule : study.constraints) {
    Study alone = study;
    alone.constraints = {rule};
    if (!constraints_hold(alone, names)) out.push_back(rule.text());
  }
  return out;
}

void evaluate(const Study& study, const std::string& reference, MeasuringDevice& device,
              const Caller& caller, bool asked_counters, TryOutcome& out) {
  // The whole space: the reference and the texts' definitions come from it.
  const SearchSpace space = SearchSpace::build(space_definition(study, out.size, out.device));
  const std::vector<Complaint> complaints =
      check_geometry(study, space, out.size, out.device).complaints;
  if (!complaints.empty()) throw InputError(complaints, study.text);
  SizeTask task = planned_task(study, space, out.size, out.device, reference);
  task.warn = [&caller](const std::string& text) { caller.note("warning: " + text); };
  const bool counters = asked_counters || !study.counters.empty();
  out.trial =
      measure_one(device, std::move(task), out.configuration, counters ? caller.note : nullptr);
}

// The first valid configuration with these values; nothing: `refused` are the rules that do not
// hold.
std::optional<Configuration> choose(const Study& study, const Assignments& assigned,
                                    const DeviceFacts& device, const ProblemSize& size,
                                    std::vector<std::string>& refused) {
  SpaceDefinition definition = space_definition(study, size, device);
  definition.parameters = narrowed(study, assigned);
  const std::vector<Parameter> parameters = definition.parameters;
  const SearchSpace space = SearchSpace::build(std::move(definition));
  if (space.size() > 0) return space.configuration(0);
  refused = broken_rules(study, parameters, device, size);
  return std::nullopt;
}

}  // namespace

Assignments assignments_of(const std::vector<std::string>& words) {
  Assignments all;
  for (const std::string& word : words) assign(word, all);
  return all;
}

Configuration chosen_configuration(const Study& study, const Assignments& assigned,
                                   const ProblemSize& size, const DeviceFacts& device) {
  if (assigned.empty() && study.baseline) return study.baseline->configuration;
  std::vector<std::string> refused;
  if (const auto chosen = choose(study, assigned, device, size, refused)) return *chosen;
  wrong_usage("no configuration of " + size.label() +
              " has these values; these do not hold: " + listed(refused));
}

void try_configuration(const Settings& settings, const Assignments& assigned, const Caller& caller,
                       const std::function<void(TryOutcome)>& tell) {
  static_cast<void>(narrowed(settings.study, assigned));  // mistakes before a device is opened
  caller.catalogue.check_study(settings.study);
  Bench bench(settings, caller);
  for (const std::string& text : bench.notes()) caller.note(text);
  WorkingDevice first{bench.models().front().front().get()};
  find_ceilings(bench, {&first, 1});
  PooledDevice device = bench.device({&first, 1});
  for (const ProblemSize& size : settings.study.sizes) {
    if (caller.interrupt.count() > 0) return;
    TryOutcome one{device.facts(), device.compiler(), size, {}, {}, {}};
    if (const auto chosen = choose(settings.study, assigned, one.device, size, one.refused)) {
      one.configuration = *chosen;
      evaluate(settings.study, bench.sources().reference, device, caller, settings.counters, one);
    }
    tell(std::move(one));
  }
}

}  // namespace tuner
