// Arguments whose type is a text parameter: type: "{T}".

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/study/record_types.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

const Parameter* find_parameter(const Study& study, const std::string& name) {
  const auto found = std::ranges::find(study.parameters, name, &Parameter::name);
  return found == study.parameters.end() ? nullptr : &*found;
}

// The type that a value names.
std::optional<ElementLayout> layout_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : element_layout(*text);
}

ArgumentSpec with_type(ArgumentSpec argument, const Value& value) {
  const ElementLayout layout = *layout_of(value);
  argument.type = layout.type;
  argument.lanes = layout.lanes;
  argument.choice->value = value;
  return argument;
}

}  // namespace

void read_type_parameter(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const std::string& text = argument.type_name;
  const std::string name = text.substr(1, text.find('}') - 1);
  if (text.find('}') != text.size() - 1) {
    node.error("a type is one name, or one parameter in braces", "type: \"{T}\"");
    return;
  }
  const Parameter* parameter = find_parameter(reader.study, name);
  if (parameter == nullptr) {
    reader.names.complain(node.where(), name, kParameterName, "'type'");
    return;
  }
  for (const Value& value : parameter->values) {
    if (layout_of(value)) continue;
    const bool is_struct = reader.types.contains(to_text(value));
    node.error(
        "the value " + to_text(value) + " of '" + name + "' is " +
            (is_struct ? "a struct, and 'type' needs numbers or vectors" : "the name of no type"),
        suggestion_for(to_text(value), data_type_names()));
    return;
  }
  if (parameter->values.empty()) return;  // that was complained of
  argument.choice = TypeChoice{name, parameter->values.front()};
  argument = with_type(std::move(argument), parameter->values.front());
}

namespace {

// Which parameters decide whose addresses an argument holds.
void find_choosers(Reader& reader, ArgumentSpec& holder) {
  std::vector<std::string> names;
  if (holder.map) names.push_back(holder.map->of);
  if (holder.record) {
    for (const MemberSpec& member : holder.record->members) names.push_back(member.of);
  }
  for (const std::string& name : names) {
    const ArgumentSpec* of = find_argument(reader.study, name);
    if (of == nullptr || !of->choice) continue;
    if (is_table(holder)) {
      reader.error(holder.where, "a table cannot hold the address of '" + name +
                                     "', whose type is the parameter '" + of->choice->parameter +
                                     "'");
      return;
    }
    holder.chosen_by.push_back(of->choice->parameter);
  }
}

}  // namespace

void expand_types(Reader& reader) {
  constexpr std::size_t kMost = 4096;
  std::vector<ArgumentSpec> all;
  for (ArgumentSpec& argument : reader.study.arguments) {
    find_choosers(reader, argument);
    if (!argument.choice) {
      all.push_back(argument);
      continue;
    }
    if (all.size() > kMost) {
      reader.error(argument.where,
                   "with all types there are more than " + std::to_string(kMost) + " arguments");
      return;
    }
    for (const Value& value : find_parameter(reader.study, argument.choice->parameter)->values) {
      all.push_back(with_type(argument, value));
      if (!argument.is_scalar || all.back().lanes == 1) continue;
      reader.error(argument.where, "'" + argument.name + "' is one number, and '" + to_text(value) +
                                       "' has several");
      break;
    }
  }
  reader.study.arguments = std::move(all);
}

}  // namespace tuner
