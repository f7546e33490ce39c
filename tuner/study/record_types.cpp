// Lays structs out as C does, knows the names of types, and puts one argument for each type in the
// place of one whose type is a text parameter.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/parameters.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

constexpr std::uint64_t kAddressBytes = 8;
constexpr std::size_t kMostMembers = 4096;        // of one struct
constexpr std::size_t kMostTogether = 64 * 1024;  // some tens of megabytes

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

// Vectors of two and four numbers are aligned as a whole, up to 16 bytes ("Built-in Vector Types"
// in the CUDA C++ Programming Guide).
std::optional<ElementLayout> element_layout(const std::string& name) {
  const auto made = [](DataType type, int lanes) {
    const std::uint64_t size = size_of(type);
    const std::uint64_t whole = lanes == 3 ? size : size * static_cast<std::uint64_t>(lanes);
    return ElementLayout{type, lanes, std::min<std::uint64_t>(whole, 16)};
  };
  if (const auto type = data_type_named(name)) return made(*type, 1);
  if (name == "complex64") return made(DataType::kFloat32, 2);
  if (name == "complex128") return made(DataType::kFloat64, 2);
  const auto element = element_type(name);
  if (!element) return std::nullopt;
  const auto type = data_type_named(element->name);
  return type ? std::optional(made(*type, element->lanes)) : std::nullopt;
}

RecordSpec vector_record(const std::string& name, const ElementLayout& element) {
  RecordSpec record{name, 0, element.alignment, {}};
  for (int lane = 0; lane < element.lanes; ++lane) {
    MemberSpec member;
    if (element.lanes > 1) member.path = "[" + std::to_string(lane) + "]";
    member.offset = record.bytes;
    member.type = element.type;
    record.members.push_back(std::move(member));
    record.bytes += size_of(element.type);
  }
  return record;
}

void append_member(RecordSpec& record, const std::string& path, const RecordSpec& member) {
  record.alignment = std::max(record.alignment, member.alignment);
  const std::uint64_t begin = rounded(record.bytes, member.alignment);
  for (MemberSpec inner : member.members) {
    const bool joins = inner.path.empty() || inner.path.front() == '[';
    inner.path = path + (joins ? "" : ".") + inner.path;
    inner.offset += begin;
    record.members.push_back(std::move(inner));
  }
  record.bytes = begin + member.bytes;
}

void finish_record(RecordSpec& record) { record.bytes = rounded(record.bytes, record.alignment); }

// ---- types --------------------------------------------------------------------------------------

namespace {

std::vector<std::string> type_names(const Reader& reader) {
  std::vector<std::string> names = data_type_names();
  for (const char* more : {"float2", "float4", "int2", "int4", "half2", "complex64", "bool"}) {
    names.emplace_back(more);
  }
  for (const auto& [name, record] : reader.types) names.push_back(name);
  return names;
}

// Reads a member's type; nothing after a complaint.
std::optional<RecordSpec> member_type(Reader& reader, const YamlNode& node) {
  const auto name = read_text(node, "a member's type");
  if (!name) return std::nullopt;
  if (*name == "pointer") {
    RecordSpec address{"", kAddressBytes, kAddressBytes, {}};
    address.members.emplace_back().is_address = true;
    return address;
  }
  if (const auto known = reader.types.find(*name); known != reader.types.end()) {
    return known->second;
  }
  if (const auto element = element_layout(*name)) return vector_record(*name, *element);
  if (name->starts_with('{')) {
    node.error("the type of a member is the same for all configurations",
               "a parameter may be the type of an argument");
    return std::nullopt;
  }
  std::vector<std::string> names = type_names(reader);
  names.emplace_back("pointer");
  node.error("unknown type '" + *name + "'", suggestion_for(*name, names));
  return std::nullopt;
}

// False, with a complaint where that is new, once all structs together have too many members.
bool members_fit(Reader& reader, const YamlNode& node, const RecordSpec& record) {
  const bool fit_before = reader.members <= kMostTogether;
  reader.members += record.members.size();
  if (reader.members <= kMostTogether) return true;
  if (fit_before) {
    node.error("the structs of a study have at most " + std::to_string(kMostTogether) +
               " numbers together");
  }
  return false;
}

// {name: TYPE} or {name: [TYPE, COUNT]}.
void read_member(Reader& reader, const YamlNode& node, RecordSpec& record) {
  if (!node.is_map() || node.entries.size() != 1) {
    node.error("a member is its name and its type", "{width: int32}");
    return;
  }
  const auto& [key, value] = node.entries.front();
  const bool is_array = value->is_sequence();
  if (is_array && value->items.size() != 2) {
    value->error("an array is its type and how many there are", "[float32, 9]");
    return;
  }
  const auto type = member_type(reader, is_array ? *value->items[0] : *value);
  const auto count = is_array ? read_extent(*value->items[1], "the number of elements")
                              : std::optional<std::int64_t>(1);
  if (!type || !count) return;
  const auto most = static_cast<std::int64_t>(kMostMembers);
  // The product is made only if it is small: a few bytes of a file stand for any number.
  const auto room = most - static_cast<std::int64_t>(record.members.size());
  const auto each = static_cast<std::int64_t>(type->members.size());
  if (*count < 1 || *count > most || *count * each > room) {
    value->error("a struct has 1 to " + std::to_string(most) + " numbers");
    return;
  }
  const auto is_twin = [&name = key->text](const MemberSpec& other) {
    return other.path.substr(0, other.path.find_first_of(".[")) == name;
  };
  if (std::ranges::any_of(record.members, is_twin)) {
    key->error("'" + key->text + "' is there already");
    return;
  }
  for (std::int64_t i = 0; i < *count; ++i) {
    append_member(record, key->text + (is_array ? "[" + std::to_string(i) + "]" : ""), *type);
  }
}

}  // namespace

void read_types(Reader& reader, const YamlNode& node) {
  static const NameForm kName("[A-Za-z_][A-Za-z0-9_]*");
  for (const auto& [key, members] : entries_of(node, "'types'")) {
    if (!kName.fits(key->text) || element_layout(key->text) || key->text == "pointer") {
      key->error("'" + key->text + "' cannot be the name of a struct");
      continue;
    }
    if (!expect_list(*members, "'" + key->text + "'")) continue;
    RecordSpec record{key->text, 0, 1, {}};
    for (const YamlRef& member : members->items) read_member(reader, *member, record);
    finish_record(record);
    if (members->items.empty()) {
      key->error("'" + key->text + "' has no members");
    }
    record.bytes = std::max<std::uint64_t>(1, record.bytes);
    if (!members_fit(reader, *key, record)) return;
    reader.types.emplace(key->text, std::move(record));
  }
}

void read_argument_type(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  const auto name = read_text(node, "'type'");
  if (!name) return;
  argument.type_name = *name;
  if (name->starts_with('{')) return read_type_parameter(reader, node, argument);
  if (const auto known = reader.types.find(*name); known != reader.types.end()) {
    if (!members_fit(reader, node, known->second)) return;
    argument.record = known->second;
    argument.type = DataType::kUInt8;
    argument.lanes = static_cast<int>(known->second.bytes);
    return;
  }
  if (const auto element = element_layout(*name)) {
    argument.type = element->type;
    argument.lanes = element->lanes;
    return;
  }
  node.error("unknown type '" + *name + "'", suggestion_for(*name, type_names(reader)));
}

// ---- type: "{T}" --------------------------------------------------------------------------------

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

void describe_types(SchemaParts& parts) {
  add_schema(parts.definitions, R"({
    "element": {"anyOf": [{"$ref": "#/definitions/expression"}, {"type": ["null", "array", "object"]}]},
    "type": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_ ]*$",
             "examples": ["float32", "float64", "float16", "int32", "uint8", "float4", "half2",
                          "complex64", "bool", "size_t"]},
    "argument_type": {"anyOf": [{"$ref": "#/definitions/type"},
                                {"description": "A text parameter names it.", "type": "string",
                                 "pattern": "^[{][A-Za-z_][A-Za-z0-9_]*[}]$"}]}})");
  add_schema(parts.sections, R"({"types": {
    "description": "Structs in C's layout.", "type": "object",
    "additionalProperties": {"type": "array", "minItems": 1, "items": {
      "type": "object", "minProperties": 1, "maxProperties": 1,
      "additionalProperties": {"anyOf": [{"type": "string"},
                                         {"type": "array", "minItems": 2, "maxItems": 2}]}}}}})");
}

}  // namespace tuner
