// Lays structs out as C does, and knows the names of types.

#include "tuner/study/record_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/source/parameters.h"
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

// What a member's type is, or nothing after a complaint.
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
  if (!expect_map(node, "'types'")) return;
  for (const auto& [key, members] : node.entries) {
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

}  // namespace tuner
