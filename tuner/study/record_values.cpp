// Reads what structs, vectors and addresses hold.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

bool is_below(const std::string& member, const std::string& path) {
  return member == path || path.empty() ||
         (member.starts_with(path) && (member[path.size()] == '.' || member[path.size()] == '['));
}

// Names that stand directly below a path.
std::vector<std::string> names_below(const RecordSpec& record, const std::string& path) {
  std::vector<std::string> names;
  for (const MemberSpec& member : record.members) {
    if (!is_below(member.path, path) || member.path == path) continue;
    std::string rest = member.path.substr(path.size() + (path.empty() ? 0 : 1));
    rest = rest.substr(0, rest.find_first_of(".["));
    if (names.empty() || names.back() != rest) names.push_back(std::move(rest));
  }
  return names;
}

class ValueReader {
 public:
  ValueReader(Reader& reader, ArgumentSpec& argument)
      : reader_(reader), argument_(argument), record_(*argument.record) {}

  void read(const YamlNode& node, const std::string& path) {
    if (node.is_map()) return read_map(node, path);
    if (node.is_sequence()) return read_list(node, path);
    bool any = false;
    for (MemberSpec& member : record_.members) {
      // One number stands for all elements of an array, but not for all members of a struct.
      const bool is_element = member.path.size() > path.size() && member.path[path.size()] == '[' &&
                              member.path.find('.', path.size()) == std::string::npos;
      if (member.path != path && !(is_below(member.path, path) && is_element)) continue;
      any = true;
      read_member(node, member);
    }
    if (any) return;
    complain(node, "'" + shown(path) + "' has members: a map says their values",
             "{" + listed(names_below(record_, path), "and") + "}");
  }

  // Whatever has no value is a mistake.
  void finish(const Position& where) {
    for (const MemberSpec& member : record_.members) {
      const bool is_said = std::ranges::find(said_, member.path) != said_.end();
      if (is_said || is_wrong_) continue;
      reader_.error(where, "'" + shown(member.path) + "' has no value",
                    member.is_address ? "the name of a buffer, or null" : "");
      return;
    }
  }

 private:
  void complain(const YamlNode& node, const std::string& message, std::string suggestion = {}) {
    is_wrong_ = true;
    node.error(message, std::move(suggestion));
  }

  std::string shown(const std::string& path) const {
    const bool joins = path.empty() || path.front() == '[';
    return argument_.name + (joins ? "" : ".") + path;
  }

  void read_map(const YamlNode& node, const std::string& path) {
    const std::vector<std::string> known = names_below(record_, path);
    for (const auto& [key, value] : node.entries) {
      if (std::ranges::find(known, key->text) == known.end()) {
        complain(*key, "'" + shown(path) + "' has no member '" + key->text + "'",
                 suggestion_for(key->text, known));
        continue;
      }
      read(*value, path.empty() ? key->text : path + "." + key->text);
    }
  }

  void read_list(const YamlNode& node, const std::string& path) {
    std::size_t count = 0;
    const auto has = [&](std::size_t i) {
      const std::string element = path + "[" + std::to_string(i) + "]";
      return std::ranges::any_of(record_.members, [&](const MemberSpec& member) {
        return is_below(member.path, element);
      });
    };
    while (has(count)) ++count;
    if (count != node.items.size()) {
      complain(node, "'" + shown(path) + "' has " +
                         (count == 0 ? "no elements" : std::to_string(count) + " elements") +
                         ", not " + std::to_string(node.items.size()));
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      read(*node.items[i], path + "[" + std::to_string(i) + "]");
    }
  }

  void read_member(const YamlNode& node, MemberSpec& member) {
    said_.push_back(member.path);
    member.where = node.where();
    if (!member.is_address) {
      member.value = reader_.names.read(node, "'" + shown(member.path) + "'", kSpaceNames,
                                        "'" + shown(member.path) + "'");
    } else if (!node.is_null()) {
      member.of = read_text(node, "'" + shown(member.path) + "'").value_or("");
    }
  }

  Reader& reader_;
  ArgumentSpec& argument_;
  RecordSpec& record_;
  std::vector<std::string> said_;
  bool is_wrong_ = false;
};

}  // namespace

void read_record_value(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  if (!argument.record) {
    argument.record = vector_record(argument.type_name, *element_layout(argument.type_name));
  }
  argument.type = DataType::kUInt8;
  argument.lanes = 1;
  ValueReader values(reader, argument);
  values.read(node, "");
  values.finish(node.where());
}

void read_member_fills(Reader& reader, const YamlNode& node, ArgumentSpec& argument) {
  RecordSpec& record = *argument.record;
  const bool is_whole =
      !node.is_map() || (node.entries.size() == 1 && node.entries.front().first->text == "file");
  if (is_whole) return read_fill(reader, node, argument.fill);
  for (const auto& [key, value] : node.entries) {
    const auto has = [&name = key->text](const MemberSpec& member) {
      return !member.is_address && is_below(member.path, name);
    };
    if (std::ranges::any_of(record.members, has)) {
      FillSpec fill;
      read_fill(reader, *value, fill);
      if (fill.kind == FillSpec::Kind::kFile || !fill.same_as.empty()) {
        value->error("a member has no file and no fill of another argument");
      }
      for (MemberSpec& member : record.members) {
        if (has(member)) member.fill = fill;
      }
      continue;
    }
    key->error("'" + argument.type_name + "' has no number '" + key->text + "'",
               suggestion_for(key->text, names_below(record, "")));
  }
}

// ---- addresses ----------------------------------------------------------------------------------

namespace {

void refuse_beside(const Fields& fields, const ArgumentSpec& argument, const std::string& key) {
  std::vector<std::string> others{"type",  "shape",      "role",   "fill",   "zero",
                                  "value", "tensor_map", "buffer", "offset", "pointers"};
  std::erase_if(others, [&](const std::string& other) {
    return key == other || (key == "value" && other == "type") ||
           (key == "buffer" && other == "offset");
  });
  fields.refuse(others, "'" + argument.name + "' has '" + key + "'");
}

MemberSpec address_of(const YamlNode& node, std::uint64_t offset) {
  MemberSpec member;
  member.offset = offset;
  member.is_address = true;
  member.where = node.where();
  if (!node.is_null()) member.of = read_text(node, "a buffer").value_or("");
  return member;
}

// [a, b, null]: their addresses, in a buffer.
void read_table(const YamlNode& node, ArgumentSpec& argument) {
  argument.type = DataType::kUInt64;
  argument.record.emplace();
  if (!expect_list(node, "'pointers'")) return;
  for (const YamlRef& item : node.items) {
    argument.record->members.push_back(address_of(*item, argument.record->bytes));
    argument.record->members.back().path =
        "[" + std::to_string(argument.record->members.size() - 1) + "]";
    argument.record->bytes += sizeof(void*);
  }
  if (node.items.empty()) node.error("'pointers' names no buffer");
  argument.shape.push_back(*Expression::parse(std::to_string(node.items.size())));
}

}  // namespace

bool read_address(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  const bool is_null = fields.mentions("value") && fields.find("value") == nullptr;
  const std::string key = is_null                       ? "value"
                          : fields.mentions("buffer")   ? "buffer"
                          : fields.mentions("pointers") ? "pointers"
                                                        : "";
  if (key.empty()) return false;
  refuse_beside(fields, argument, key);
  if (key == "pointers") {
    if (const YamlNode* node = fields.require("pointers")) read_table(*node, argument);
    return true;
  }
  argument.is_scalar = true;
  argument.type = DataType::kUInt64;
  argument.record.emplace().bytes = sizeof(void*);
  MemberSpec& member = argument.record->members.emplace_back();
  member.is_address = true;
  member.where = argument.where;
  if (is_null) return true;
  if (const YamlNode* node = fields.require("buffer")) member = address_of(*node, 0);
  member.value = reader.expression(fields, "offset", kSpaceNames, "'offset'");
  return true;
}

void check_addresses(Reader& reader) {
  std::vector<std::string> buffers;
  for (const ArgumentSpec& argument : reader.study.arguments) {
    if (!argument.is_scalar) buffers.push_back(argument.name);
  }
  for (const ArgumentSpec& argument : reader.study.arguments) {
    if (!argument.record) continue;
    for (const MemberSpec& member : argument.record->members) {
      if (member.of.empty()) continue;
      const ArgumentSpec* of = find_argument(reader.study, member.of);
      if (of == nullptr || of->is_scalar || of == &argument) {
        std::vector<std::string> others = buffers;
        std::erase(others, argument.name);
        reader.error(member.where, "there is no buffer '" + member.of + "'",
                     suggestion_for(member.of, others));
      } else if (is_table(argument) && is_working_space(of->role)) {
        reader.error(member.where, "'" + member.of +
                                       "' is scratch or a workspace, which has no fixed "
                                       "place: a table cannot hold its address");
      }
    }
  }
}

}  // namespace tuner
