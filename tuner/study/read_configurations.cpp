// Reads configurations that a study names: the list of those that may be tried, and the baseline,
// which the user has now.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tuner/base/text.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

// The list is a constraint on the parameters, whose values it says where 'parameters' does not.
// So whoever counts, walks or exports configurations knows it.
class ListedConfigurations {
 public:
  explicit ListedConfigurations(Reader& reader) : reader_(reader) {}

  void read(const YamlNode& list) {
    given_ = reader_.study.parameters.size();
    add_parameters(list);
    std::map<std::string, int> lines;
    for (const YamlRef& item : list.items) {
      if (!item->is_map()) {
        expect_map(*item, "a configuration");
        continue;
      }
      const auto row = read_row(*item);
      if (!row) continue;
      const auto [first, is_new] = lines.emplace(*row, item->line);
      if (is_new) {
        rows_ += (rows_.empty() ? "" : ", ") + *row;
      } else {
        item->error(
            fmt::format("this configuration is in the list twice (line {})", first->second));
      }
    }
    sort_values();
  }

  // A in [1, 2] or (A, B) in [(1, 2), (3, 4)].
  std::string rule() const {
    const std::vector<std::string> names = parameter_names(reader_.study.parameters);
    const std::string left = fmt::format("{}", fmt::join(names, ", "));
    return (names.size() == 1 ? left : "(" + left + ")") + " in [" + rows_ + "]";
  }

 private:
  std::vector<Parameter>& parameters() { return reader_.study.parameters; }

  // Those that only the list knows, in the order in which its first configuration names them.
  void add_parameters(const YamlNode& list) {
    const auto first =
        std::ranges::find_if(list.items, [](const YamlRef& item) { return item->is_map(); });
    if (first == list.items.end()) return;
    for (const auto& [key, value] : (*first)->entries) {
      if (std::ranges::find(parameters(), key->text, &Parameter::name) != parameters().end()) {
        continue;
      }
      reader_.names.declare(*key, kParameterName);
      parameters().push_back({key->text, {}, key->where()});
    }
  }

  std::optional<std::string> read_row(const YamlNode& item) {
    std::map<std::string, Value> values;
    bool good = true;
    for (const auto& [key, node] : item.entries) {
      const auto value = read_value(*node, "'" + key->text + "'");
      const auto parameter = std::ranges::find(parameters(), key->text, &Parameter::name);
      if (parameter == parameters().end()) {
        const std::string known =
            given_ > 0 ? "there is no parameter '" : "the first configuration has no '";
        key->error(known + key->text + "'",
                   suggestion_for(key->text, parameter_names(parameters())));
        good = false;
      } else if (value) {
        const auto own = own_value(*parameter, *value, *node);
        good = good && own;
        if (own) values.emplace(key->text, *own);
      } else {
        good = false;
      }
    }
    return good ? row_of(item, values) : std::nullopt;
  }

  // The value with the type that the parameter gives it.
  std::optional<Value> own_value(Parameter& parameter, const Value& value, const YamlNode& node) {
    if (auto own = value_among(parameter, value)) return own;
    const auto place = static_cast<std::size_t>(&parameter - parameters().data());
    if (place >= given_) {
      parameter.values.push_back(value);
      return value;
    }
    if (parameter.values.empty()) return value;  // which was complained of
    node.error("'" + parameter.name + "' has no value " + node.text, choice_of(parameter));
    return std::nullopt;
  }

  std::optional<std::string> row_of(const YamlNode& item, std::map<std::string, Value>& values) {
    std::vector<std::string> row;
    std::vector<std::string> missing;
    for (std::size_t p = 0; p < parameters().size(); ++p) {
      const Parameter& parameter = parameters()[p];
      const auto found = values.find(parameter.name);
      if (found != values.end()) {
        row.push_back(to_literal(found->second));
      } else if (p < given_ && parameter.values.size() == 1) {
        row.push_back(to_literal(parameter.values.front()));
      } else {
        missing.push_back("'" + parameter.name + "'");
      }
    }
    if (!missing.empty()) {
      item.error("this configuration says nothing of " + listed(missing, "and"),
                 given_ > 0 ? "only parameters with a single value may be left out" : "");
      return std::nullopt;
    }
    const std::string text = fmt::format("{}", fmt::join(row, ", "));
    return row.size() == 1 ? text : "(" + text + ")";
  }

  // Numbers in their order, so that searches know which are neighbours.
  void sort_values() {
    for (std::size_t p = given_; p < parameters().size(); ++p) {
      Parameter& parameter = parameters()[p];
      if (parameter.ordered()) std::ranges::stable_sort(parameter.values, {}, to_number);
    }
  }

  Reader& reader_;
  std::size_t given_ = 0;  // parameters of the section 'parameters'
  std::string rows_;
};

}  // namespace

void read_configurations(Reader& reader, const YamlNode& node, const Position& where) {
  const bool complete = reader.names.complete();
  if (!expect_list(node, "'configurations'") || !complete) {
    reader.names.set_incomplete();
    return;
  }
  if (node.items.empty()) {
    node.error("'configurations' is empty: there is nothing to try");
    reader.names.set_incomplete();
    return;
  }
  ListedConfigurations listed(reader);
  listed.read(node);
  if (!reader.diagnostics.ok()) return;
  auto rule = Expression::parse(listed.rule(), where);
  if (!rule) {
    reader.error(where, "these configurations are too many for one list");
    return;
  }
  reader.study.constraints.push_back(std::move(*rule));
}

// ---- baseline -----------------------------------------------------------------------------------

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

// Reads a map from parameters to values. Complains of everything that is no value of a parameter.
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

// Whether a key that is no parameter was meant for this one: then it is mistyped, not missing.
bool is_mistyped(const Reader& reader, const YamlNode& node, const std::string& name) {
  const std::vector<std::string> names = parameter_names(reader.study.parameters);
  return std::ranges::any_of(node.entries, [&](const auto& entry) {
    const std::string& key = entry.first->text;
    return std::ranges::find(names, key) == names.end() && nearest_name(key, names) == name;
  });
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
    } else if (node.value_of(parameter.name) == nullptr &&
               !is_mistyped(reader, node, parameter.name)) {
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

void describe_configurations(SchemaParts& parts) {
  add_schema(parts.definitions, R"({
    "configuration": {"type": "object", "additionalProperties": {"$ref": "#/definitions/value"}}})");
  add_schema(parts.sections, R"({
    "configurations": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/configuration"},
                       "description": "Exactly those that may be tried."},
    "baseline": {"$ref": "#/definitions/configuration", "description": "The configuration that you have now."}})");
}

}  // namespace tuner
