// Lays the keys of one study over those of another.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/study/yaml_tree.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Sections of which single keys can be said anew. All others are said as a whole.
constexpr std::array kByKey{"kernel",    "launcher", "parameters", "derived", "launch",
                            "reference", "verify",   "metrics",    "types",   "work"};
// Lists of maps that have names.
constexpr std::array kByName{"arguments", "buffers", "constants"};

// Copies a tree, moved down by some lines in a text of several files.
YamlRef moved_down(const YamlNode& node, Diagnostics& diagnostics, int lines) {
  auto copy = std::make_shared<YamlNode>(node);
  copy->diagnostics = &diagnostics;
  copy->line += lines;
  for (YamlRef& item : copy->items) item = moved_down(*item, diagnostics, lines);
  for (auto& [key, value] : copy->entries) {
    key = moved_down(*key, diagnostics, lines);
    value = moved_down(*value, diagnostics, lines);
  }
  return copy;
}

std::string name_of(const YamlNode& item) {
  const YamlNode* name = item.value_of("name");
  return name == nullptr ? std::string() : name->text;
}

// Each key that is said here, in the place of the other's; one with nothing behind it takes it
// away.
template <class Merge>
YamlRef over_map(const YamlNode& own, const YamlNode& other, Merge merge) {
  auto both = std::make_shared<YamlNode>(other);
  both->line = own.line;
  both->column = own.column;
  for (const auto& said : own.entries) {
    const std::string& key = said.first->text;
    const auto there = std::ranges::find_if(
        both->entries, [&](const auto& entry) { return entry.first->text == key; });
    if (there == both->entries.end()) {
      both->entries.push_back(said);
    } else if (said.second->is_null()) {
      both->entries.erase(there);
    } else {
      *there = {said.first, merge(key, said.second, there->second)};
    }
  }
  return both;
}

YamlRef own_value(const std::string&, const YamlRef& own, const YamlRef&) { return own; }

// Items of the same name become one; new ones follow.
YamlRef over_list(const YamlNode& own, const YamlNode& other) {
  auto both = std::make_shared<YamlNode>(other);
  for (const YamlRef& item : own.items) {
    const std::string name = name_of(*item);
    const auto there = std::ranges::find_if(
        both->items, [&](const YamlRef& one) { return !name.empty() && name_of(*one) == name; });
    if (there == both->items.end()) {
      both->items.push_back(item);
    } else {
      *there = over_map(*item, **there, own_value);
    }
  }
  return both;
}

YamlRef over_section(const std::string& key, const YamlRef& own, const YamlRef& other) {
  // A reference in Python has nothing in common with a kernel.
  if (key == "reference" && own->is_map() && own->value_of("python") != nullptr) return own;
  if (own->is_map() && other->is_map() && std::ranges::find(kByKey, key) != kByKey.end()) {
    return over_map(*own, *other, own_value);
  }
  if (own->is_sequence() && other->is_sequence() &&
      std::ranges::find(kByName, key) != kByName.end()) {
    return over_list(*own, *other);
  }
  return own;
}

}  // namespace

YamlRef extended_tree(Diagnostics& diagnostics, const YamlRef& own, const fs::path& file,
                      fs::path& first) {
  first = file;
  const YamlNode* name = own->value_of("extends");
  if (name == nullptr) return own;
  const auto path = read_file_name(*name, "'extends'");
  if (!path) return own;
  if (diagnostics.knows(path->string())) {
    name->error("this study extends itself");
    return own;
  }
  if (diagnostics.count() > kMostExtended) {
    name->error(fmt::format("more than {} studies extend each other in a row", kMostExtended));
    return own;
  }
  Diagnostics alone(path->string(), study_text(*path));
  const YamlRef root = parse_study_tree(alone, form_of(*path));
  if (!alone.ok()) throw InputError(alone.errors(), alone.text());
  for (const Complaint& one : alone.warnings()) {
    diagnostics.warning(one.where, one.message, one.suggestion);
  }
  const int before = diagnostics.append(alone.file(), alone.text());
  if (diagnostics.text().size() > kMaxYamlBytes) {
    name->error(fmt::format("this study and those that it extends are larger than {} MiB together",
                            kMaxYamlBytes >> 20));
    return own;
  }
  const YamlRef other =
      extended_tree(diagnostics, moved_down(*root, diagnostics, before), *path, first);
  if (!own->is_map() || !other->is_map()) return own;
  return over_map(*own, *other, over_section);
}

}  // namespace tuner
