// Reads the sections arguments, buffers and constants.

#include <algorithm>

#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

// ---- arguments and constants --------------------------------------------------------------------

namespace {

constexpr auto kName = key("name", "text", "As the kernel's parameter.").needed();
constexpr auto kShape = key("shape", "shape", "Of a buffer: its extents.");
constexpr auto kFill = key("fill", "fill", "What an input holds at first.");
constexpr auto kValue = key("value", "element", "Of a scalar.");

constexpr auto kArgument = key_table(
    "an argument", kName, key("type", "argument_type", "Of its elements."), kShape,
    key("role", R"({"enum": ["in", "out", "inout", "scratch", "workspace"]})", "in if absent."),
    kFill, kValue,
    key("zero", R"({"enum": ["once", "each", "never"]})", "When a workspace is zeroed."),
    key("tensor_map", "tensor_map", "A map of another argument's buffer."),
    key("buffer", "text", "The address of another buffer."),
    key("offset", "expression", "Elements behind its beginning."),
    key("pointers", R"({"type": "array", "minItems": 1, "items": {"type": ["string", "null"]}})",
        "A table of addresses."),
    key("texture", "texture", "A texture object over a vector or a matrix, or over an array."),
    key("surface", "surface", "A surface object over an array that holds what a buffer holds."));

constexpr auto kFileOfProgram =
    key("file", "text", "Of a command: the file in the variant's folder that it reads or writes.");

constexpr auto kConstant = key_table("a constant", kName, key("type", "type", "Of its elements."),
                                     kShape, key("role", R"({"const": "in"})", ""), kFill, kValue);

// Words of the study, in the order of the enumerations Role and Zero.
const std::vector<std::string> kRoles{"in", "out", "inout", "scratch", "workspace"};
const std::vector<std::string> kZeros{"once", "each", "never"};

void read_zero(const Fields& fields, ArgumentSpec& argument) {
  if (!fields.mentions("zero")) return;
  if (argument.role != Role::kWorkspace) {
    fields.error("zero", "'" + argument.name + "' is no workspace, so it cannot have 'zero'",
                 "role: workspace");
  } else if (const YamlNode* node = fields.require("zero")) {
    argument.zero = static_cast<Zero>(read_word(*node, "zero", kZeros).value_or(0));
  }
}

void read_shape(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const bool may_vary = is_working_space(argument.role);
  const unsigned kinds = may_vary ? kSpaceNames : kSizeName | kDeviceFact;
  const std::string who = may_vary ? "the shape of scratch and workspaces"
                                   : "the shape of all but scratch and workspaces";
  const std::string what = "'shape'";
  if (node.is_scalar()) {
    argument.shape.push_back(reader.names.read(node, what, kinds, who));
    return;
  }
  if (!expect_list(node, what)) return;
  if (node.items.empty()) {
    node.error("'shape' is empty; a single number is an argument with 'value'");
  }
  for (const YamlRef& item : node.items) {
    argument.shape.push_back(reader.names.read(*item, what, kinds, who));
  }
}

// A scalar has a value and nothing of what makes a buffer.
void read_scalar(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  argument.is_scalar = true;
  fields.refuse({"shape", "fill", "role", "zero"}, "'" + argument.name + "' has a value");
  const YamlNode& value = *fields.find("value");
  if (argument.record || (argument.lanes > 1 && !argument.choice)) {
    read_record_value(reader, value, argument);
  } else {
    argument.value = reader.names.read(value, "'value'", kSpaceNames, "'value'");
  }
}

void read_contents(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  const YamlNode* fill = fields.find("fill");
  const std::string name = "'" + argument.name + "'";
  if (!is_read(argument.role)) {
    if (fill == nullptr) return;
    const bool is_out = argument.role == Role::kOut;
    const std::string why = is_out ? " is an output: it is poisoned before every check"
                            : argument.role == Role::kScratch
                                ? " is scratch: it is zeroed before every use"
                                : " is a workspace: 'zero' says what the kernel finds in it";
    fields.error("fill", name + why + ", so a fill has no effect",
                 is_out ? "role: inout, where the kernel reads what it overwrites" : "");
    return;
  }
  if (fill != nullptr && argument.record) {
    read_member_fills(reader, *fill, argument);
  } else if (fill != nullptr) {
    read_fill(reader, *fill, argument.fill);
  } else if (!fields.mentions("fill")) {
    reader.warning(argument.where,
                   name + " has no fill, so it is all zeros: a kernel that ignores it passes, too",
                   "fill: zeros, where that is meant");
  }
}

Fields fields_of(const YamlNode& node, bool is_constant, bool is_of_program) {
  if (is_constant) return kConstant.fields(node, node.where());
  std::vector<std::string> keys = kArgument.names();
  if (is_of_program) keys.insert(keys.begin() + 6, std::string(kFileOfProgram.name));
  return {node, kArgument.what, keys};
}

ArgumentSpec read_argument(Reader& reader, const YamlNode& node, bool is_constant) {
  ArgumentSpec argument;
  argument.where = node.where();
  const Fields fields =
      fields_of(node, is_constant, reader.study.kernel.subject == Subject::kCommand);
  if (!fields.is_map()) return argument;
  if (const YamlNode* name = fields.require("name")) {
    argument.name = read_text(*name, "'name'").value_or("");
    argument.where = name->where();
  }
  if (!is_constant && fields.mentions("tensor_map")) {
    read_tensor_map(reader, fields, argument);
    return argument;
  }
  if (!is_constant && read_texture(fields, argument)) return argument;
  if (!is_constant && read_address(reader, fields, argument)) return argument;
  const YamlNode* value = is_constant ? nullptr : fields.find("value");
  if (value != nullptr && is_captured(reader, *value, "'value'")) {
    fields.refuse({"type", "shape", "fill", "role", "zero"},
                  "'" + argument.name + "' has the bytes that were captured");
    argument.is_scalar = argument.is_captured = true;
    argument.type = DataType::kUInt8;
    return argument;
  }
  if (const YamlNode* type = fields.require("type")) {
    read_argument_type(reader, *type, argument);
    if (is_constant && argument.choice) {
      type->error("a constant has one type, which no parameter can be");
    }
  }
  if (fields.find("value") != nullptr) {
    read_scalar(reader, fields, argument);
    return argument;
  }
  if (const YamlNode* role = fields.find("role")) {
    argument.role = static_cast<Role>(read_word(*role, "role", kRoles).value_or(0));
    if (is_constant && argument.role != Role::kIn) {
      role->error("a constant can only have role in");
      argument.role = Role::kIn;
    }
  }
  if (!is_constant) read_zero(fields, argument);
  if (const YamlNode* file = fields.find("file")) read_program_file(*file, argument);
  if (const YamlNode* shape = fields.find("shape")) {
    read_shape(reader, *shape, argument);
  } else {
    reader.error(argument.where, (argument.name.empty() ? "this" : "'" + argument.name + "'") +
                                     " needs a 'shape' (a buffer) or a 'value' (a scalar)");
  }
  read_contents(reader, fields, argument);
  return argument;
}

// Constants are symbols of the source and may stand in a namespace.
void check_name(Reader& reader, const ArgumentSpec& argument, bool is_constant) {
  static const NameForm kParameter("[A-Za-z_][A-Za-z0-9_]*");
  static const NameForm kSymbol("(::)?[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*");
  if (argument.name.empty()) return;
  if ((is_constant ? kSymbol : kParameter).fits(argument.name)) return;
  reader.error(argument.where, "'" + argument.name + "' cannot be a name",
               "a letter or _, then letters, digits and _");
}

// Behind those that are there already.
std::vector<ArgumentSpec> read_all(Reader& reader, const YamlNode& node, const std::string& what,
                                   std::vector<ArgumentSpec> all = {}) {
  const bool is_constant = what == "'constants'";
  for (const YamlRef& item : items_of(node, what)) {
    ArgumentSpec argument = read_argument(reader, *item, is_constant);
    check_name(reader, argument, is_constant);
    const auto twin = std::find_if(all.begin(), all.end(), [&](const ArgumentSpec& other) {
      return !argument.name.empty() && other.name == argument.name;
    });
    if (twin != all.end()) {
      reader.error(argument.where,
                   "'" + argument.name + "' is already on line " + std::to_string(twin->where.line),
                   is_constant ? ""
                               : "one buffer for two arguments: {name: " + argument.name +
                                     "2, buffer: " + argument.name + "}");
    }
    all.push_back(std::move(argument));
  }
  return all;
}

}  // namespace

void read_arguments(Reader& reader, const YamlNode& node) {
  reader.study.arguments = read_all(reader, node, "'arguments'");
  if (reader.study.kernel.subject == Subject::kCommand) check_program_arguments(reader);
  if (node.is_sequence() && node.items.empty()) {
    node.error("'arguments' is empty: the kernel could not return anything",
               "without the key where the kernel takes none");
  }
}

void read_constants(Reader& reader, const YamlNode& node) {
  reader.study.constants = read_all(reader, node, "'constants'");
  if (reader.study.kernel.is_opencl()) {
    node.error("OpenCL's '__constant' variables cannot be set from outside",
               "an argument of the kernel, '__constant T*'");
  }
}

void read_buffers(Reader& reader, const YamlNode& node) {
  std::vector<ArgumentSpec>& all = reader.study.arguments;
  const std::size_t first = all.size();
  all = read_all(reader, node, "'buffers'", std::move(all));
  for (std::size_t i = first; i < all.size(); ++i) {
    all[i].is_beside = true;
    if (!all[i].is_scalar) continue;
    reader.error(all[i].where, "'" + all[i].name + "' is no buffer");
  }
}

namespace {

// Keys that an argument needs, unless it is one of a study that is extended.
constexpr std::string_view kWholeArguments = R"json({
  "whole_argument": {
    "oneOf": [
      {"required": ["type", "shape"]},
      {"required": ["type", "value"]},
      {"required": ["value"], "not": {"required": ["type"]},
       "properties": {"value": {"enum": [null, "captured"]}}},
      {"required": ["buffer"], "not": {"$ref": "#/definitions/of_buffers"}},
      {"required": ["pointers"], "not": {"$ref": "#/definitions/of_buffers"}},
      {"required": ["texture"], "not": {"$ref": "#/definitions/of_data"}},
      {"required": ["surface"], "not": {"$ref": "#/definitions/of_data"}},
      {"required": ["tensor_map"], "not": {"$ref": "#/definitions/of_data"}}],
    "dependencies": {
      "value": {"not": {"anyOf": [{"required": ["role"]}, {"required": ["fill"]}]}},
      "zero": {"required": ["role"], "properties": {"role": {"const": "workspace"}}},
      "fill": {"properties": {"role": {"enum": ["in", "inout"]}}}}},
  "of_buffers": {"anyOf": [{"required": ["type"]}, {"required": ["shape"]}, {"required": ["value"]}]},
  "of_data": {"anyOf": [{"$ref": "#/definitions/of_buffers"},
                        {"required": ["role"]}, {"required": ["fill"]}, {"required": ["zero"]}]},
  "whole_constant": {
    "required": ["type"],
    "oneOf": [{"required": ["shape"]}, {"required": ["value"]}],
    "dependencies": {"value": {"not": {"anyOf": [{"required": ["role"]}, {"required": ["fill"]}]}}}},
  "shape": {"anyOf": [{"$ref": "#/definitions/expression"},
                      {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/expression"}}]}})json";

constexpr std::string_view kLists = R"json({
  "arguments": {"type": "array", "items": {"$ref": "#/definitions/argument"}},
  "buffers": {"type": "array", "items": {"$ref": "#/definitions/argument"},
              "description": "Memory that no parameter of the kernel names itself."},
  "constants": {"type": "array", "items": {"$ref": "#/definitions/constant"}}})json";

}  // namespace

void describe_arguments(SchemaParts& parts) {
  Schema& argument = parts.definitions["argument"] = kArgument.schema(R"({
    "description": "A buffer has a shape, a scalar a value, a map of a buffer a tensor_map."})");
  argument["properties"][std::string(kFileOfProgram.name)] = kFileOfProgram.schema();
  parts.definitions["constant"] = kConstant.schema();
  add_schema(parts.definitions, kWholeArguments);
  add_schema(parts.sections, kLists);
}

}  // namespace tuner
