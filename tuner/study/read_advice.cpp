// Reads who proposes configurations that are measured first: search: advice.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

constexpr auto kAdvice = key_table(
    "a source of 'advice'", key("file", "text", "A JSON list of maps from parameters to values."),
    key("command", "text", "A command line that answers with such a list. No shell."),
    key("plugin", "text", "A name of 'tuner list advisors'."),
    key("options", "options", "Of the advisor."),
    key("nvmatmul", R"({"type": "object"})",
        "Of nvMatmulHeuristics, where that is installed: parameters and its fields."));

const std::vector<std::string> kNvMatmulFields{
    "tile_m",      "tile_n",       "tile_k",       "warp_tile_m",    "warp_tile_n",
    "warp_tile_k", "instr_tile_m", "instr_tile_n", "instr_tile_k",   "stages",
    "split_k",     "cluster_m",    "cluster_n",    "swizzle_factor", "cta_order"};

void read_fields(Reader& reader, const YamlNode& node, AdviceSource& source) {
  for (const auto& [key, value] : entries_of(node, "'nvmatmul'")) {
    const std::vector<std::string> names = parameter_names(reader.study.parameters);
    if (std::ranges::find(names, key->text) == names.end()) {
      if (reader.names.complete()) {
        reader.names.complain(key->where(), key->text, kParameterName, "'nvmatmul'");
      }
      continue;
    }
    const auto which = read_word(*value, key->text, kNvMatmulFields);
    if (which) source.fields.emplace_back(key->text, kNvMatmulFields[*which]);
  }
  if (node.is_map() && node.entries.empty()) {
    node.error("'nvmatmul' names no parameter", "{BM: tile_m}");
  }
}

// The one of these keys that the map has; empty, with a complaint, where it has none or several.
std::string kind_in(const YamlNode& item, const Fields& fields) {
  std::vector<std::string> there;
  for (const char* kind : {"file", "command", "plugin", "nvmatmul"}) {
    if (fields.mentions(kind)) there.emplace_back(kind);
  }
  if (there.size() == 1) return there.front();
  item.error("a source of 'advice' is one of 'file', 'command', 'plugin' and 'nvmatmul'",
             there.empty() ? "" : "a list may have several sources");
  return {};
}

}  // namespace

AdviceSource advice_file(const std::filesystem::path& file) {
  AdviceSource source;
  source.name = file.stem().string();
  source.words = {file.string()};
  return source;
}

void read_advice(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'advice'")) {
    const Fields fields = kAdvice.fields(*item, item->where());
    if (!fields.is_map()) continue;
    const std::string kind = kind_in(*item, fields);
    const YamlNode* value = kind.empty() ? nullptr : fields.require(kind);
    if (value == nullptr) continue;
    AdviceSource source;
    source.folder = item->folder();
    if (kind == "nvmatmul") {
      source.kind = AdviceSource::Kind::kNvMatmul;
      source.name = kind;
      read_fields(reader, *value, source);
    } else if (kind == "command") {
      constexpr std::size_t kLongestName = 60;
      source.kind = AdviceSource::Kind::kCommand;
      source.words = read_words(reader, *value, "'command'");
      source.name = shortened(value->text, kLongestName);
    } else if (const auto text = read_text(*value, "'" + kind + "'")) {
      if (text->empty()) value->error("'" + kind + "' is empty");
      if (kind == "file") {
        source = advice_file((item->folder() / *text).lexically_normal());
      } else {
        source.kind = AdviceSource::Kind::kPlugin;
        source.name = *text;
        source.words = {*text};
      }
    }
    if (kind == "plugin") {
      if (const YamlNode* options = fields.find("options")) {
        source.options = read_options(*options, "advisor");
      }
    } else {
      fields.refuse({"options"}, "'" + kind + "' is no plugin");
    }
    source.where = value->where();
    reader.study.search.advice.push_back(std::move(source));
  }
}

void describe_advice(SchemaParts& parts) {
  Schema& source = parts.definitions["advice"] = kAdvice.schema(R"({
    "oneOf": [{"required": ["file"]}, {"required": ["command"]}, {"required": ["plugin"]}, {"required": ["nvmatmul"]}],
    "dependencies": {"options": ["plugin"]}})");
  Schema& fields = source["properties"]["nvmatmul"];
  fields["additionalProperties"] = {{"enum", kNvMatmulFields}};
  fields["minProperties"] = 1;
}

}  // namespace tuner
