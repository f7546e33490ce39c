// Reads the section baseline: the configuration that the user has now.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tuner/base/text.h"
#include "tuner/study/sections.h"

namespace tuner {

std::string choice_of(const Parameter& parameter) {
  constexpr std::size_t kMostShown = 12;
  std::vector<std::string> texts;
  for (const Value& value : parameter.values) {
    if (texts.size() == kMostShown) break;
    texts.push_back(to_text(value));
  }
  const bool all = texts.size() == parameter.values.size();
  return "one of " + (all ? listed(texts, "or") : listed(texts, "and") + ", ...");
}

std::optional<Value> value_among(const Parameter& parameter, const Value& wanted) {
  const auto found = std::ranges::find_if(
      parameter.values, [&](const Value& value) { return same_value(value, wanted); });
  return found == parameter.values.end() ? std::nullopt : std::optional(*found);
}

namespace {

// What the map says, by parameter. Complains of everything that is no value of a parameter.
std::map<std::string, Value> read_values(Reader& reader, const YamlNode& node) {
  std::map<std::string, Value> values;
  for (const auto& [key, value] : node.entries) {
    const auto parameter = std::ranges::find(reader.study.parameters, key->text, &Parameter::name);
    const auto wanted = read_value(*value, "'" + key->text + "'");
    if (parameter == reader.study.parameters.end()) {
      reader.names.complain(key->where(), key->text, kParameterName, "the baseline");
      continue;
    }
    if (!wanted || parameter->values.empty()) continue;
    if (const auto own = value_among(*parameter, *wanted)) {
      values.emplace(key->text, *own);
    } else {
      value->error("'" + key->text + "' has no value " + value->text, choice_of(*parameter));
    }
  }
  return values;
}

// Those that the map does not mention may have one value only.
std::optional<Configuration> completed(Reader& reader, const YamlNode& node, const Position& where,
                                       const std::map<std::string, Value>& values) {
  Configuration configuration;
  std::vector<std::string> missing;
  for (const Parameter& parameter : reader.study.parameters) {
    const auto given = values.find(parameter.name);
    if (given != values.end()) {
      configuration.push_back(given->second);
    } else if (parameter.values.size() == 1) {
      configuration.push_back(parameter.values.front());
    } else if (node.value_of(parameter.name) == nullptr) {
      missing.push_back("'" + parameter.name + "'");
    }
  }
  if (!missing.empty()) {
    reader.error(where, "the baseline says nothing of " + listed(missing, "and"),
                 "only parameters with a single value may be left out");
  }
  if (configuration.size() != reader.study.parameters.size()) return std::nullopt;
  return configuration;
}

// The first constraint that is broken for a size; one that needs a device is left to the run.
const Expression* broken_rule(const Study& study, const Configuration& configuration,
                              const ProblemSize& size) {
  Bindings names;
  for (const auto& [name, extent] : size.dims) names[name] = extent;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    names[study.parameters[p].name] = configuration[p];
  }
  const auto is_known = [&](const std::string& name) { return names.contains(name); };
  for (const NamedExpression& derived : study.derived) {
    if (!std::ranges::all_of(derived.expression.names(), is_known)) continue;
    if (const auto value = derived.expression.evaluate(names)) names[derived.name] = *value;
  }
  for (const Expression& rule : study.constraints) {
    if (!std::ranges::all_of(rule.names(), is_known)) continue;
    const auto value = rule.evaluate(names);
    if (!value || !truth(*value)) return &rule;
  }
  return nullptr;
}

}  // namespace

void read_baseline(Reader& reader, const YamlNode& node, const Position& where) {
  if (!expect_map(node, "'baseline'")) return;
  const auto configuration = completed(reader, node, where, read_values(reader, node));
  if (!configuration) return;
  // It may be wrong for some sizes: there the run has none. For all of them it is a mistake.
  const Expression* broken = nullptr;
  for (const ProblemSize& size : reader.study.sizes) {
    broken = broken_rule(reader.study, *configuration, size);
    if (broken == nullptr) break;
  }
  if (broken != nullptr) {
    reader.error(
        where,
        fmt::format("the baseline breaks a constraint{}: {}",
                    reader.study.sizes.size() > 1 ? " at every problem size" : "", broken->text()),
        "a configuration that 'tuner check --list' shows");
    return;
  }
  reader.study.baseline = BaselineSpec{*configuration, where};
}

}  // namespace tuner
