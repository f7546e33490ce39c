// arguments and constants.

#include <algorithm>

#include "tuner/study/form.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

const std::vector<std::string> kRoles{"in", "out", "inout", "scratch"};  // as enum Role

void read_type(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const auto name = read_text(reader.diagnostics, node, "'type'");
  if (!name) return;
  const auto type = data_type_named(*name);
  if (type) {
    argument.type = *type;
    return;
  }
  reader.diagnostics.error(position_of(reader.diagnostics, node), "unknown type '" + *name + "'",
                           suggestion_for(*name, data_type_names()));
}

void read_role(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const auto name = read_text(reader.diagnostics, node, "'role'");
  if (!name) return;
  const auto found = std::find(kRoles.begin(), kRoles.end(), *name);
  if (found != kRoles.end()) {
    argument.role = static_cast<Role>(found - kRoles.begin());
    return;
  }
  reader.diagnostics.error(position_of(reader.diagnostics, node), "unknown role '" + *name + "'",
                           suggestion_for(*name, kRoles));
}

void read_shape(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const bool is_scratch = argument.role == Role::kScratch;
  const unsigned kinds = is_scratch ? kSpaceNames : kSizeName | kDeviceFact;
  const std::string who = is_scratch ? "the shape of scratch" : "the shape of all but scratch";
  const std::string what = "'shape'";
  if (node.is_scalar()) {
    argument.shape.push_back(reader.names.read(node, what, kinds, who));
    return;
  }
  if (!expect_list(reader.diagnostics, node, what)) return;
  if (node.items.empty()) {
    reader.diagnostics.error(position_of(reader.diagnostics, node),
                             "'shape' is empty; a single number is an argument with 'value'");
  }
  for (const YamlRef& item : node.items) {
    argument.shape.push_back(reader.names.read(*item, what, kinds, who));
  }
}

// A scalar has a value and nothing of what makes a buffer.
void read_scalar(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  argument.is_scalar = true;
  const std::string name = "'" + argument.name + "'";
  for (const char* key : {"shape", "fill", "role"}) {
    if (fields.mentions(key)) {
      reader.diagnostics.error(fields.where(key),
                               name + " has a value, so it cannot have '" + std::string(key) + "'");
    }
  }
  argument.value = reader.names.read(*fields.find("value"), "'value'", kSpaceNames, "'value'");
}

void read_contents(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  const YamlNode* fill = fields.find("fill");
  const std::string name = "'" + argument.name + "'";
  if (argument.role == Role::kOut || argument.role == Role::kScratch) {
    if (fill == nullptr) return;
    const bool is_out = argument.role == Role::kOut;
    reader.diagnostics.error(
        fields.where("fill"),
        name + (is_out ? " is an output: it is poisoned before every check, so a fill has no effect"
                       : " is scratch: it is zeroed before every use, so a fill has no effect"),
        is_out ? "role: inout, where the kernel reads what it overwrites" : "");
    return;
  }
  if (fill != nullptr) {
    read_fill(reader, *fill, argument.fill);
  } else if (!fields.mentions("fill")) {
    reader.diagnostics.warning(argument.where,
                               name +
                                   " has no fill, so it is all zeros: an answer that does not "
                                   "depend on it passes for right",
                               "fill: zeros, where that is meant");
  }
}

std::vector<std::string> known_keys(bool is_constant) {
  std::vector<std::string> keys{"name", "type", "shape", "role", "fill", "value"};
  if (!is_constant) keys.emplace_back("tensor_map");
  return keys;
}

ArgumentSpec read_argument(Reader& reader, const YamlNode& node, bool is_constant) {
  Diagnostics& diagnostics = reader.diagnostics;
  ArgumentSpec argument;
  argument.where = position_of(diagnostics, node);
  const Fields fields(diagnostics, node, argument.where, is_constant ? "a constant" : "an argument",
                      known_keys(is_constant));
  if (!fields.is_map()) return argument;
  if (const YamlNode* name = fields.require("name")) {
    argument.name = read_text(diagnostics, *name, "'name'").value_or("");
    argument.where = position_of(diagnostics, *name);
  }
  if (!is_constant && fields.mentions("tensor_map")) {
    read_tensor_map(reader, fields, argument);
    return argument;
  }
  if (const YamlNode* type = fields.require("type")) read_type(reader, *type, argument);
  if (fields.find("value") != nullptr) {
    read_scalar(reader, fields, argument);
    return argument;
  }
  if (const YamlNode* role = fields.find("role")) {
    read_role(reader, *role, argument);
    if (is_constant && argument.role != Role::kIn) {
      diagnostics.error(position_of(diagnostics, *role), "a constant can only have role in");
      argument.role = Role::kIn;
    }
  }
  if (const YamlNode* shape = fields.find("shape")) {
    read_shape(reader, *shape, argument);
  } else {
    diagnostics.error(argument.where, (argument.name.empty() ? "this" : "'" + argument.name + "'") +
                                          " needs a 'shape' (a buffer) or a 'value' (a scalar)");
  }
  read_contents(reader, fields, argument);
  return argument;
}

// Constants are symbols of the source and may stand in a namespace.
void check_name(Reader& reader, const ArgumentSpec& argument, bool is_constant) {
  static const NameForm kArgument("[A-Za-z_][A-Za-z0-9_]*");
  static const NameForm kSymbol("(::)?[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*");
  if (argument.name.empty()) return;
  if ((is_constant ? kSymbol : kArgument).fits(argument.name)) return;
  reader.diagnostics.error(argument.where, "'" + argument.name + "' cannot be a name",
                           "a letter or _, then letters, digits and _");
}

std::vector<ArgumentSpec> read_all(Reader& reader, const YamlNode& node, bool is_constant) {
  std::vector<ArgumentSpec> all;
  const std::string what = is_constant ? "'constants'" : "'arguments'";
  if (!expect_list(reader.diagnostics, node, what)) return all;
  for (const YamlRef& item : node.items) {
    ArgumentSpec argument = read_argument(reader, *item, is_constant);
    check_name(reader, argument, is_constant);
    const auto twin = std::find_if(all.begin(), all.end(), [&](const ArgumentSpec& other) {
      return !argument.name.empty() && other.name == argument.name;
    });
    if (twin != all.end()) {
      reader.diagnostics.error(argument.where, "'" + argument.name + "' is already on line " +
                                                   std::to_string(twin->where.line));
    }
    all.push_back(std::move(argument));
  }
  return all;
}

}  // namespace

void read_arguments(Reader& reader, const YamlNode& node) {
  reader.study.arguments = read_all(reader, node, false);
  check_tensor_maps(reader);
  if (node.is_sequence() && node.items.empty()) {
    reader.diagnostics.error(position_of(reader.diagnostics, node),
                             "'arguments' is empty: the kernel could not return anything");
  }
}

void read_constants(Reader& reader, const YamlNode& node) {
  reader.study.constants = read_all(reader, node, true);
}

}  // namespace tuner
