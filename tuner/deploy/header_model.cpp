// Chooses C++ names and types for a study's parameters and dimensions.

#include "tuner/deploy/header_model.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "tuner/deploy/cpp_text.h"
#include "tuner/resolve/facts_used.h"
#include "tuner/resolve/resolve.h"

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

using Names = std::set<std::string>;

bool all_of(const Expression& expression, const Names& names) {
  return std::ranges::all_of(expression.names(),
                             [&](const std::string& name) { return names.contains(name); });
}

// With the derived names that depend on no others.
Names with_derived(const Study& study, Names names) {
  for (const NamedExpression& one : study.derived) {
    if (all_of(one.expression, names)) names.insert(one.name);
  }
  return names;
}

// Names whose value the configuration alone decides.
Names names_of_the_choice(const Study& study) {
  Names names;
  for (const Parameter& one : study.parameters) names.insert(one.name);
  return with_derived(study, std::move(names));
}

// Names whose value is the same for all configurations of the table.
Names names_of_the_size(const Study& study, const TunedTable& table,
                        const std::vector<std::string>& facts) {
  Names names;
  for (const auto& [name, extent] : table.entries.front().size.dims) names.insert(name);
  for (const std::string& fact : facts) names.insert("device." + fact);
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const Value& first = table.configurations.front()[p];
    const bool same = std::ranges::all_of(
        table.configurations, [&](const Configuration& one) { return one[p] == first; });
    if (same) names.insert(study.parameters[p].name);
  }
  return with_derived(study, std::move(names));
}

bool holds_for_all(const Study& study, const TunedTable& table, const Expression& rule) {
  const ProblemSize& any_size = table.entries.front().size;
  return std::ranges::all_of(table.configurations, [&](const Configuration& one) {
    const auto value = rule.evaluate(bindings_of(study, one, table.devices.front(), any_size));
    return value && truth(*value);
  });
}

std::vector<RuleScope> scopes_of(const Study& study, const TunedTable& table,
                                 const std::vector<std::string>& facts) {
  const Names choice = names_of_the_choice(study);
  const Names size = names_of_the_size(study, table, facts);
  std::vector<RuleScope> scopes;
  for (const Expression& rule : study.constraints) {
    const bool settled = all_of(rule, choice) && holds_for_all(study, table, rule);
    scopes.push_back(settled              ? RuleScope::kChoice
                     : all_of(rule, size) ? RuleScope::kSize
                                          : RuleScope::kBoth);
  }
  return scopes;
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
  if (measure.by_variant) return "programs, each time a process of its own";
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
  model.scopes = scopes_of(study, table, model.device_facts);
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
  const auto choice_of = [this](const std::string& name) {
    const auto at = std::ranges::find(study->parameters, name, &Parameter::name);
    const auto place = static_cast<std::size_t>(at - study->parameters.begin());
    const bool is = at != study->parameters.end() && parameters[place].is_choice;
    return is ? &parameters[place] : nullptr;
  };
  const auto number = [&](const std::string& name) -> std::string {
    const auto found = members.find(name);
    if (found == members.end()) return "num()";
    const char* made = choice_of(name) != nullptr ? "value_of(n." : "num(n.";
    return made + found->second + ")";
  };
  const auto is_text = [&](const std::string& name, const std::string& text) -> std::string {
    const HeaderField* choice = choice_of(name);
    if (choice == nullptr) return {};
    const auto at = std::ranges::find(choice->values, Value(text));
    if (at == choice->values.end()) return {};
    const auto place = static_cast<std::size_t>(at - choice->values.begin());
    return "(n." + members.at(name) + " == " + choice->type + "::" + choice->enumerators[place] +
           ")";
  };
  return cpp_expression(expression, {number, is_text});
}

}  // namespace tuner
