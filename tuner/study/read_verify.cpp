// reference and verify: what the right answer is.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

constexpr unsigned kFixedNames = kSizeName | kDeviceFact;  // the same for every configuration

std::vector<std::string> output_names(const Study& study) {
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : study.arguments) {
    const bool is_output = argument.role == Role::kOut || argument.role == Role::kInOut;
    if (is_output) names.push_back(argument.name);
  }
  return names;
}

const ArgumentSpec* find_argument(const Study& study, const std::string& name) {
  const auto found = std::find_if(study.arguments.begin(), study.arguments.end(),
                                  [&](const ArgumentSpec& a) { return a.name == name; });
  return found == study.arguments.end() ? nullptr : &*found;
}

// The reference runs once for all configurations, so nothing that it gets may vary with them.
void check_constant(Reader& reader, const ArgumentSpec& argument, const Position& where) {
  std::vector<Expression> all = argument.shape;
  all.push_back(argument.value);
  if (argument.map) {
    all.insert(all.end(), argument.map->box.begin(), argument.map->box.end());
    all.push_back(argument.map->swizzle);
  }
  const bool varies = std::any_of(all.begin(), all.end(), [&](const Expression& e) {
    return !e.empty() && reader.names.varies(e);
  });
  if (!varies) return;
  reader.diagnostics.error(
      where,
      "the reference cannot take '" + argument.name + "', which differs between configurations",
      "list the others in 'arguments' of the reference");
}

// Values of parameters with which the reference is compiled.
void read_configuration(Reader& reader, const YamlNode& node) {
  if (!expect_map(reader.diagnostics, node, "'configuration' of the reference")) return;
  for (const auto& [key, value] : node.entries) {
    const auto& all = reader.study.parameters;
    const std::string& name = key->text;
    const auto parameter =
        std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
    const auto chosen = read_value(reader.diagnostics, *value, "'" + key->text + "'");
    if (parameter == all.end()) {
      reader.names.complain(position_of(reader.diagnostics, *key), key->text, kParameterName,
                            "'configuration'");
    } else if (chosen && std::none_of(parameter->values.begin(), parameter->values.end(),
                                      [&](const Value& v) { return same_value(v, *chosen); })) {
      reader.diagnostics.error(position_of(reader.diagnostics, *value),
                               "'" + key->text + "' cannot be " + value->text);
    } else if (chosen) {
      reader.study.reference->configuration.emplace_back(key->text, *chosen);
    }
  }
}

std::optional<int> read_seeds(Diagnostics& diagnostics, const YamlNode& node) {
  constexpr std::int64_t kMost = 100;  // each costs a launch of the reference
  const auto seeds = read_integer(diagnostics, node, "'seeds'");
  if (!seeds) return std::nullopt;
  if (*seeds >= 1 && *seeds <= kMost) return static_cast<int>(*seeds);
  diagnostics.error(position_of(diagnostics, node),
                    fmt::format("'seeds' is {}, must be 1 to {}", *seeds, kMost));
  return std::nullopt;
}

void read_tolerance(Reader& reader, const YamlNode& key, const YamlNode& value) {
  Tolerance tolerance;
  if (!value.is_null()) {
    const Fields fields(reader.diagnostics, value, position_of(reader.diagnostics, key),
                        "the tolerance of '" + key.text + "'", {"rtol", "atol"});
    if (const YamlNode* rtol = fields.find("rtol")) {
      tolerance.rtol = reader.names.read(*rtol, "'rtol'", kFixedNames, "a tolerance");
    }
    if (const YamlNode* atol = fields.find("atol")) {
      tolerance.atol = reader.names.read(*atol, "'atol'", kFixedNames, "a tolerance");
    }
  }
  reader.study.verify.emplace_back(key.text, std::move(tolerance));
}

void check_verified(Reader& reader, const YamlNode& key) {
  const Position where = position_of(reader.diagnostics, key);
  const ArgumentSpec* argument = find_argument(reader.study, key.text);
  if (argument == nullptr) {
    reader.diagnostics.error(where, "the kernel has no argument '" + key.text + "'",
                             suggestion_for(key.text, output_names(reader.study)));
  } else if (argument->role != Role::kOut && argument->role != Role::kInOut) {
    reader.diagnostics.error(where,
                             "'" + key.text +
                                 "' is not an output, so there is nothing to "
                                 "verify",
                             "role: out or inout");
  } else if (reader.study.reference && !reference_takes(reader.study, key.text)) {
    reader.diagnostics.error(
        where, "the reference does not take '" + key.text + "', so nothing says what it should be");
  }
}

}  // namespace

bool reference_takes(const Study& study, const std::string& argument) {
  if (!study.reference) return false;
  const std::vector<std::string>& taken = study.reference->arguments;
  return taken.empty() || std::find(taken.begin(), taken.end(), argument) != taken.end();
}

void read_reference(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(reader.diagnostics, node, where, "'reference'",
                      {"entry", "source", "configuration", "block", "grid", "dynamic_shared_bytes",
                       "arguments", "seeds"});
  ReferenceSpec& reference = reader.study.reference.emplace();
  reference.where = where;
  if (!fields.is_map()) return;
  if (const YamlNode* entry = fields.require("entry")) {
    reference.entry = read_text(reader.diagnostics, *entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kFixedNames, "the reference's 'entry'");
  }
  if (const YamlNode* source = fields.find("source")) {
    reference.source = read_file_name(reader.diagnostics, *source, reader.directory, "'source'");
  }
  if (const YamlNode* configuration = fields.find("configuration")) {
    read_configuration(reader, *configuration);
  }
  if (const YamlNode* seeds = fields.find("seeds")) {
    reference.seeds = read_seeds(reader.diagnostics, *seeds).value_or(reference.seeds);
  }
  reference.launch = read_geometry(reader, fields, kFixedNames, "'reference'");
  if (const YamlNode* arguments = fields.find("arguments")) {
    for (const auto& [name, place] : read_argument_names(reader, *arguments, "the reference")) {
      check_constant(reader, *find_argument(reader.study, name), place);
      reference.arguments.push_back(name);
    }
  } else {
    for (const ArgumentSpec& argument : reader.study.arguments) {
      check_constant(reader, argument, where);
    }
  }
}

void read_verify(Reader& reader, const YamlNode& node, const Position& where) {
  if (!expect_map(reader.diagnostics, node, "'verify'")) return;
  if (!reader.study.reference) {
    reader.diagnostics.error(where, "'verify' needs a 'reference' that computes the right answer");
  }
  for (const auto& [key, value] : node.entries) {
    check_verified(reader, *key);
    read_tolerance(reader, *key, *value);
  }
}

}  // namespace tuner
