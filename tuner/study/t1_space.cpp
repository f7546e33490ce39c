// ConfigurationSpace of a T1 file, and what all its parts share.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/study/t1_sections.h"

namespace tuner {
namespace {

const std::vector<std::string> kTypes{"int", "uint", "float", "bool", "string"};

bool fits(const Value& value, const std::string& type) {
  const bool is_text = std::holds_alternative<std::string>(value);
  if (type == "string") return is_text;
  if (is_text || type == "float") return !is_text;
  const double number = to_number(value);
  if (type == "bool") return number == 0 || number == 1;
  return number == std::floor(number) && (type != "uint" || number >= 0);
}

std::vector<Value> values_in(const YamlNode& node) {
  std::vector<Value> values;
  if (node.is_sequence()) {
    for (const YamlRef& item : node.items) {
      if (const auto value = read_value(*item, "a value")) values.push_back(*value);
    }
    return values;
  }
  if (!node.is_scalar()) {
    node.error("'Values' must be a list or a list as text, not " + kind_of(node));
    return values;
  }
  return read_python_list(node, node.text);
}

void check_values(const YamlNode& where, const std::string& name, const std::string& type,
                  const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (type.empty() || fits(value, type)) continue;
    where.error(fmt::format("'{}' is of type {}; {} is not", name, type, to_text(value)));
    return;
  }
  if (const auto twice = repeated_value(values)) {
    where.error(fmt::format("'{}' has the value {} twice", name, to_text(*twice)));
  }
}

// The file's default where it is one of the values; some files' are not.
Value default_of(const YamlNode& item, const std::vector<Value>& values) {
  const YamlNode* given = t1_find(item, "Default");
  if (given != nullptr && given->is_sequence() && given->items.size() == 1) {
    given = given->items.front().get();
  }
  if (given != nullptr && given->is_scalar()) {
    const auto value = read_value(*given, "'Default'");
    for (const Value& known : values) {
      if (value && same_value(known, *value)) return known;
    }
  }
  return values.front();
}

std::string type_of(const YamlNode& item) {
  const YamlNode* node = t1_find(item, "Type");
  if (node == nullptr) return {};
  std::string type = read_text(*node, "'Type'").value_or("");
  if (std::ranges::find(kTypes, type) != kTypes.end()) return type;
  node->error("unknown type '" + type + "'", suggestion_for(type, kTypes));
  return {};
}

// A list that is written as in Python is left so: a few characters may stand for a million values.
YamlRef values_node(const YamlNode& given, const std::vector<Value>& values) {
  if (given.is_scalar()) return text_node(given, std::string(trimmed(given.text)));
  std::vector<YamlRef> nodes;
  for (const Value& value : values) nodes.push_back(value_node(given, value));
  return list_node(given, std::move(nodes));
}

void add_parameter(T1Parts& t1, const YamlNode& item, MapNode& parameters) {
  if (!expect_map(item, "a tuning parameter")) return;
  t1_warn_of_misspelt(item, {"Name", "Type", "Values", "Default"}, "a tuning parameter");
  const YamlNode* name = t1_require(item, "Name", "a tuning parameter");
  const YamlNode* given = t1_require(item, "Values", "a tuning parameter");
  if (name == nullptr) return t1.names.set_incomplete();
  if (!read_text(*name, "'Name'")) return;
  t1.names.declare(*name, kParameterName);
  if (given == nullptr) return;
  const std::string type = type_of(item);
  const std::vector<Value> values = values_in(*given);
  if (values.empty()) {
    if (given->diagnostics->ok()) given->error("'" + name->text + "' has no values");
    return;
  }
  check_values(*given, name->text, type, values);
  t1.defaults.push_back(default_of(item, values));
  t1.parameters.push_back({name->text, values, name->where()});
  parameters.add(name->text, values_node(*given, values));
}

void add_conditions(T1Parts& t1, const YamlNode& space, MapNode& study) {
  const YamlNode* list = t1_find(space, "Conditions");
  if (list == nullptr || !expect_list(*list, "'Conditions'")) return;
  std::vector<YamlRef> rules;
  for (const YamlRef& item : list->items) {
    const YamlNode* text = item.get();
    if (item->is_map()) text = t1_require(*item, "Expression", "a condition");
    if (text == nullptr) continue;
    Expression rule = t1.names.read(*text, "a condition", kParameterName, "a condition");
    if (rule.empty()) continue;
    rules.push_back(text_node(*text, rule.text()));
    t1.conditions.push_back(std::move(rule));
  }
  if (!rules.empty()) study.add("constraints", list_node(*list, std::move(rules)));
}

}  // namespace

std::string t1_path(const T1Parts& t1, const std::filesystem::path& path) {
  if (t1.folder.empty()) return path.generic_string();
  std::error_code ignored;
  const auto whole = std::filesystem::weakly_canonical(path, ignored);
  const auto relative = whole.lexically_relative(t1.folder);
  return (relative.empty() ? path : relative).generic_string();
}

const YamlNode* t1_find(const YamlNode& map, const char* key) {
  const YamlNode* value = map.value_of(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const YamlNode* t1_require(const YamlNode& map, const char* key, const char* what) {
  const YamlNode* found = t1_find(map, key);
  if (found != nullptr) return found;
  std::string near;
  std::vector<std::string> keys;
  for (const auto& [name, value] : map.entries) {
    if (name->text == key) continue;  // with nothing behind it
    keys.push_back(name->text);
    // Files from before the schema was written down begin their keys in lower case.
    if (name->text.size() == std::string(key).size() && name->text.substr(1) == key + 1) {
      near = fmt::format("'{}' is an older form of T1, which is not read", name->text);
    }
  }
  if (near.empty()) near = did_you_mean(key, keys);
  map.error(fmt::format("{} needs '{}'", what, key), near);
  return nullptr;
}

void t1_warn_of_unknown(const YamlNode& map, const std::vector<std::string>& known,
                        const std::string& what) {
  for (const auto& [name, value] : map.entries) {
    if (std::find(known.begin(), known.end(), name->text) != known.end()) continue;
    name->warning("'" + name->text + "' in " + what + " is not understood",
                  did_you_mean(name->text, known));
  }
}

void t1_warn_of_misspelt(const YamlNode& map, const std::vector<std::string>& known,
                         const std::string& what) {
  for (const auto& entry : map.entries) {
    const std::string& key = entry.first->text;
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto other_case = std::ranges::find_if(
        known, [&](const std::string& one) { return lower(one) == lower(key); });
    const std::string meant = other_case != known.end() ? *other_case : nearest_name(key, known);
    if (meant.empty() || map.value_of(meant) != nullptr) continue;
    entry.first->warning("'" + key + "' in " + what + " is not understood",
                         "did you mean '" + meant + "'?");
  }
}

void t1_add_space(T1Parts& t1, const YamlNode& space, MapNode& study) {
  t1_warn_of_misspelt(space, {"TuningParameters", "Conditions"}, "'ConfigurationSpace'");
  const YamlNode* list = t1_require(space, "TuningParameters", "'ConfigurationSpace'");
  if (list == nullptr || !expect_list(*list, "'TuningParameters'")) {
    return t1.names.set_incomplete();
  }
  MapNode parameters(*list);
  for (const YamlRef& item : list->items) {
    add_parameter(t1, *item, parameters);
    if (!values_fit(t1.parameters, *list->diagnostics, t1.names)) return;
  }
  if (list->items.empty()) {
    list->error("'TuningParameters' is empty: there is nothing to tune");
  }
  study.add("parameters", parameters);
  add_conditions(t1, space, study);
}

}  // namespace tuner
