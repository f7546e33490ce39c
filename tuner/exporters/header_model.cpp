// Chooses C++ names and types for a study's parameters and dimensions.

#include "tuner/exporters/header_model.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "tuner/engine/resolve.h"
#include "tuner/exporters/cpp_text.h"

namespace tuner {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return text;
}

// "a-b" and "a b" are different values and need different identifiers.
std::string unused_name(std::string name, std::set<std::string>& used) {
  while (!used.insert(name).second) name += '_';
  return name;
}

template <typename T>
bool all_are(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [](const Value& v) { return std::holds_alternative<T>(v); });
}

std::string type_of(const std::vector<Value>& values) {
  if (all_are<bool>(values)) return "bool";
  if (std::ranges::any_of(values,
                          [](const Value& v) { return std::holds_alternative<double>(v); })) {
    return "double";
  }
  const bool small = std::ranges::all_of(values, [](const Value& v) {
    const auto* whole = std::get_if<std::int64_t>(&v);
    return whole == nullptr || (*whole >= INT32_MIN + 1 && *whole <= INT32_MAX);
  });
  return small ? "int" : "long long";
}

HeaderField parameter_field(const Parameter& parameter, std::set<std::string>& used) {
  HeaderField field;
  field.name = unused_name(cpp_identifier(parameter.name), used);
  field.values = parameter.values;
  field.is_choice = std::ranges::any_of(
      parameter.values, [](const Value& v) { return std::holds_alternative<std::string>(v); });
  if (!field.is_choice) {
    field.type = type_of(parameter.values);
    return field;
  }
  field.type = field.name + "_choice";
  std::set<std::string> enumerators;
  for (const Value& value : parameter.values) {
    field.enumerators.push_back(unused_name(cpp_identifier(to_text(value)), enumerators));
  }
  return field;
}

void collect_facts(const Expression& expression, std::set<std::string>& facts) {
  for (const std::string& name : expression.names()) {
    if (name.starts_with("device.")) facts.insert(name.substr(7));
  }
}

void collect_facts(const LaunchSpec& launch, std::set<std::string>& facts) {
  for (const Expression& one : launch.grid) collect_facts(one, facts);
  for (const Expression& one : launch.block) collect_facts(one, facts);
  collect_facts(launch.dynamic_shared_bytes, facts);
  const LaunchAttributesSpec& more = launch.attributes;
  for (const Expression& one : more.cluster) collect_facts(one, facts);
  for (const auto* one :
       {&more.cooperative, &more.carveout, &more.scheduling, &more.programmatic}) {
    collect_facts(*one, facts);
  }
}

std::vector<std::string> facts_used(const Study& study) {
  std::set<std::string> facts;
  for (const NamedExpression& one : study.derived) collect_facts(one.expression, facts);
  for (const Expression& one : study.constraints) collect_facts(one, facts);
  collect_facts(study.launch, facts);
  for (const NextLaunchSpec& next : study.then) {
    collect_facts(next.launch, facts);
    collect_facts(next.when, facts);
  }
  for (const ArgumentSpec& argument : study.arguments) {
    if (argument.is_scalar) collect_facts(argument.value, facts);
    if (argument.role != Role::kScratch && argument.role != Role::kWorkspace) continue;
    for (const Expression& one : argument.shape) collect_facts(one, facts);
  }
  for (const ArgumentSpec& constant : study.constants) {
    if (constant.is_scalar) collect_facts(constant.value, facts);
    for (const Expression& one : constant.shape) collect_facts(one, facts);
  }
  return {facts.begin(), facts.end()};
}

// Names whose value the configuration alone decides.
std::set<std::string> names_of_the_choice(const Study& study) {
  std::set<std::string> names;
  for (const Parameter& one : study.parameters) names.insert(one.name);
  for (const NamedExpression& one : study.derived) {
    const auto& used = one.expression.names();
    const bool known =
        std::ranges::all_of(used, [&](const std::string& name) { return names.contains(name); });
    if (known) names.insert(one.name);
  }
  return names;
}

std::vector<bool> settled_constraints(const Study& study, const TunedTable& table) {
  const std::set<std::string> known = names_of_the_choice(study);
  std::vector<bool> settled;
  for (const Expression& rule : study.constraints) {
    settled.push_back(std::ranges::all_of(
        rule.names(), [&](const std::string& name) { return known.contains(name); }));
  }
  const ProblemSize& any_size = table.entries.front().size;
  for (const Configuration& one : table.configurations) {
    const Bindings names = bindings_of(study, one, table.devices.front(), any_size);
    for (std::size_t i = 0; i < settled.size(); ++i) {
      if (!settled[i]) continue;
      const auto value = study.constraints[i].evaluate(names);
      settled[i] = value && truth(*value);
    }
  }
  return settled;
}

}  // namespace

bool asks_for_attributes(const Study& study) {
  const auto asks = [](const LaunchSpec& launch) {
    const LaunchAttributesSpec& more = launch.attributes;
    const Expression* const all[] = {&more.cluster[0], &more.cooperative, &more.carveout,
                                     &more.scheduling, &more.programmatic};
    return std::ranges::any_of(all, [](const Expression* one) { return !one->empty(); });
  };
  return asks(study.launch) ||
         std::ranges::any_of(study.then, [&](const auto& next) { return asks(next.launch); });
}

std::string timing_text(const MeasureSpec& measure) {
  const bool fresh = measure.inputs == TimedInputs::kFresh;
  const std::string way = std::string(measure.mode == LaunchMode::kGraph ? "launches from a graph"
                                                                         : "launches in a stream") +
                          (fresh ? ", other inputs for each" : "");
  switch (measure.cache) {
    case CacheState::kCold:
      return way + ", the L2 cache flushed before each";
    case CacheState::kHot:
      return way + (fresh ? ", the data in the cache as they were written"
                          : ", the data where the launch before left them");
    case CacheState::kRotate:
      break;
  }
  return way + ", in turns on copies of the data that exceed the L2 cache";
}

HeaderModel header_model(const Study& study, const TunedTable& table, const std::string& suffix) {
  HeaderModel model;
  model.study = &study;
  model.table = &table;
  model.space = cpp_identifier(study.kernel.name + suffix);
  model.prefix = upper(model.space);
  std::set<std::string> fields;
  for (const Parameter& one : study.parameters) {
    model.parameters.push_back(parameter_field(one, fields));
  }
  std::set<std::string> dims;
  for (const auto& [name, extent] : table.entries.front().size.dims) {
    model.dims.push_back({unused_name(cpp_identifier(name), dims), "long long", false, {}, {}});
  }
  model.device_facts = facts_used(study);
  std::set<std::string> members;
  const auto member = [&](const std::string& name) {
    model.members[name] = unused_name(cpp_identifier(name) + "_", members);
  };
  for (const Parameter& one : study.parameters) member(one.name);
  for (const auto& [name, extent] : table.entries.front().size.dims) member(name);
  for (const std::string& fact : model.device_facts) member("device." + fact);
  for (const NamedExpression& one : study.derived) member(one.name);
  model.settled = settled_constraints(study, table);
  return model;
}

std::string HeaderModel::literal(std::size_t parameter, const Value& value) const {
  const HeaderField& field = parameters[parameter];
  if (field.is_choice) {
    const auto at = std::ranges::find(field.values, value);
    const auto place = static_cast<std::size_t>(at - field.values.begin());
    // A value that has left the study since: the first one stands in.
    return field.type + "::" + field.enumerators[place < field.values.size() ? place : 0];
  }
  if (field.type == "double") return cpp_literal(Value(to_number(value)));
  if (field.type == "bool") return truth(value) ? "true" : "false";
  return cpp_literal(Value(static_cast<std::int64_t>(to_number(value))));
}

std::string HeaderModel::literal(const Configuration& configuration) const {
  std::string text = "{";
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    text += (p > 0 ? ", " : "") + literal(p, configuration[p]);
  }
  return text + "}";
}

std::string HeaderModel::expression(const Expression& expression) const {
  return cpp_expression(expression, [this](const std::string& name) {
    const auto found = members.find(name);
    return found == members.end() ? std::string("num()") : "n." + found->second;
  });
}

}  // namespace tuner
