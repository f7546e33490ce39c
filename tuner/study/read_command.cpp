// Reads the section command: a program is the variant. It becomes a kernel of the language
// "program", whose source is what stands here of files and metrics, and whose options are the
// words of the command.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kCommandMetrics = key_table(
    "'metrics' of the command",
    key("json", "text", "A file that the program writes: time_ms and other keys, or nvbench's."),
    key("pattern", R"({"anyOf": [{"type": "string"}, {"$ref": "#/definitions/names"}]})",
        "A regular expression: one group is the time in ms, or groups with names."),
    key("values", "names", "Keys of the JSON that become metrics."));

constexpr auto kCommand = key_table(
    "'command'", key("name", "text", "Names the results' folder; the study file if absent."),
    key("build", "text", "The command line that is run once, in the variant's folder. No shell."),
    key("run", "text", "The command line that is run and timed. No shell.").needed(),
    key("metrics", "command_metrics", "How the program says its time; the clock if absent."),
    key("sources", "names", "Files and folders that each variant has in its own folder."));

const std::vector<std::string> kTimeNames{"time_ms", "time_s", "time_us", "time_ns"};

bool is_time(const std::string& name) {
  return std::ranges::find(kTimeNames, name) != kTimeNames.end();
}

// ---- metrics ------------------------------------------------------------------------------------

// A number that the program says, as a metric of the study: the plugin's observer gives it.
void add_metric(Reader& reader, const YamlNode& node, const std::string& name) {
  YamlNode key = node;
  key.text = name;
  const Position where = node.where();
  reader.names.declare(key, kMetricName, {name});
  auto own = Expression::parse(name, {});
  if (!own) return;  // that was complained of
  reader.study.metrics.push_back({name, std::move(*own)});
  reader.study.observers.push_back(
      {name, "program", "value", {{"key", name, where}}, where, where});
}

// Names of the groups in a regular expression, in their order; empty for one without a name. The
// names are taken out of it, since C++ has none.
std::vector<std::string> take_names(std::string& pattern) {
  std::vector<std::string> names;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[' || pattern[i] == ']') {
      in_class = pattern[i] == '[';
    } else if (pattern[i] == '(' && !in_class) {
      std::smatch named;
      static const std::regex kNamed(R"(^\(\?P?<([A-Za-z_][A-Za-z0-9_]{0,60})>)");
      const std::string rest = pattern.substr(i, 80);
      if (std::regex_search(rest, named, kNamed)) {
        names.push_back(named[1]);
        pattern.erase(i + 1, named[0].length() - 1);
      } else if (i + 1 >= pattern.size() || pattern[i + 1] != '?') {
        names.emplace_back();
      }
    }
  }
  return names;
}

json pattern_of(Reader& reader, const YamlNode& node, const std::string& text) {
  std::string pattern = text;
  std::vector<std::string> names = take_names(pattern);
  try {
    const std::regex valid(pattern);
  } catch (const std::regex_error& error) {
    node.error(fmt::format("'pattern': {}", error.what()), "a regular expression as of ECMAScript");
    return {};
  }
  const auto has_name = [](const std::string& name) { return !name.empty(); };
  if (std::ranges::none_of(names, has_name)) {
    if (names.size() != 1) {
      node.error(names.empty()
                     ? std::string("'pattern' has no group: which part is the number?")
                     : fmt::format("'pattern' has {} groups: which one is what?", names.size()),
                 "\"time: ([0-9.]+) ms\", or names: \"(?<time_s>[0-9.]+) s\"");
      return {};
    }
    names.front() = kTimeNames.front();
  }
  for (const std::string& name : names) {
    if (has_name(name) && !is_time(name)) add_metric(reader, node, name);
  }
  return {{"regex", pattern}, {"names", names}};
}

json read_patterns(Reader& reader, const YamlNode& node) {
  json patterns = json::array();
  std::vector<const YamlNode*> all{&node};
  if (node.is_sequence()) {
    all.clear();
    for (const YamlRef& item : node.items) all.push_back(item.get());
  }
  for (const YamlNode* one : all) {
    const auto text = read_text(*one, "'pattern'");
    if (!text) continue;
    json pattern = pattern_of(reader, *one, *text);
    if (!pattern.is_null()) patterns.push_back(std::move(pattern));
  }
  json names = json::array();
  bool has_time = false;
  for (const json& pattern : patterns) {
    for (const std::string name : pattern["names"]) {
      has_time = has_time || is_time(name);
      if (!name.empty() && !is_time(name)) names.push_back(name);
    }
  }
  return {{"patterns", patterns}, {"values", names}, {"time", has_time ? "program" : "clock"}};
}

// A path in the variant's folder.
std::optional<std::string> read_inner_path(const YamlNode& node, const std::string& what) {
  auto text = read_text(node, what);
  if (!text) return std::nullopt;
  const fs::path path = fs::path(*text).lexically_normal();
  const bool leaves = path.empty() || path.is_absolute() || *path.begin() == "..";
  const bool is_odd = text->find_first_of("\"\n") != std::string::npos;
  if (!leaves && !is_odd) return path.string();
  node.error(fmt::format("{} cannot be '{}'", what, *text), "a path within the variant's folder");
  return std::nullopt;
}

// Names of the objective that nothing else in the study explains are keys of the JSON.
void add_goals(Reader& reader, const StudyParts& parts, json& values) {
  if (parts.objective == nullptr || !parts.objective->is_map()) return;
  for (const auto& [key, value] : parts.objective->entries) {
    const std::string& name = value->text;
    if (!value->is_scalar() || name.empty()) continue;
    const bool is_metric = parts.metrics != nullptr && parts.metrics->value_of(name) != nullptr;
    if (is_metric || is_time(name)) continue;
    if (reader.names.knows(name, kSpaceNames | kTimeName | kMetricName | kCompiledName)) continue;
    add_metric(reader, *value, name);
    values.push_back(name);
  }
}

json read_json_metrics(Reader& reader, const Fields& fields, const YamlNode& node,
                       const StudyParts& parts) {
  const auto path = read_inner_path(node, "'json'");
  json values = json::array();
  if (const YamlNode* list = fields.find("values");
      list != nullptr && expect_list(*list, "'values'")) {
    for (const YamlRef& item : list->items) {
      const auto name = read_text(*item, "a value of 'metrics'");
      if (!name || is_time(*name)) continue;
      add_metric(reader, *item, *name);
      values.push_back(*name);
    }
  }
  add_goals(reader, parts, values);
  const char* time = values.empty() ? "program" : "either";
  return {{"json", path.value_or("")}, {"values", values}, {"time", time}};
}

json read_program_metrics(Reader& reader, const Fields& command, const StudyParts& parts) {
  const YamlNode* node = command.find("metrics");
  if (node == nullptr) return {{"time", "clock"}};
  const Position where = command.where("metrics");
  const Fields fields = kCommandMetrics.fields(*node, where);
  const YamlNode* file = fields.find("json");
  const YamlNode* pattern = fields.find("pattern");
  if (file != nullptr && pattern == nullptr) {
    return read_json_metrics(reader, fields, *file, parts);
  }
  if (pattern != nullptr && fields.mentions("values")) {
    fields.error("values", "'values' are keys of 'json'",
                 "in a pattern groups have names: \"(?<gflops>[0-9.]+)\"");
  }
  if (pattern != nullptr && file == nullptr) return read_patterns(reader, *pattern);
  if (fields.is_map()) {
    command.error("metrics", "'metrics' of a command is either 'json' or 'pattern'",
                  "{json: PATH} or {pattern: \"time: ([0-9.]+) ms\"}");
  }
  return {{"time", "clock"}};
}

// ---- files --------------------------------------------------------------------------------------

constexpr std::size_t kMostSources = 1000;

// Files of the study's folder that a variant has in its own, by their names there.
std::vector<std::string> read_program_sources(const YamlNode& node) {
  const fs::path folder = node.folder();
  std::vector<std::string> names;
  for (const YamlRef& item : items_of(node, "'sources'")) {
    const auto name = read_inner_path(*item, "a file of 'sources'");
    if (!name) continue;
    std::error_code none;
    const fs::path path = folder / *name;
    if (!fs::is_directory(path, none)) {
      if (read_file_name(*item, "'sources'")) {
        names.push_back(*name);
      }
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path, none)) {
      if (!entry.is_regular_file(none)) continue;
      names.push_back(entry.path().lexically_relative(folder).string());
      if (names.size() > kMostSources) break;
    }
    if (names.size() <= kMostSources) continue;
    item->error(fmt::format("'sources' has more than {} files", kMostSources),
                "those that a variant is made of");
    break;
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void add_words(const std::string& key, const std::vector<std::string>& words, KernelSpec& to) {
  for (const std::string& word : words) to.options.push_back(key + "=" + word);
}

// Parameters and dimensions, as the variant's environment has them.
void add_environment(Reader& reader) {
  const std::vector<std::string> kOthers{"PATH", "HOME", "TMPDIR", "LC_ALL", "TUNER_STUDY"};
  for (const std::string& name : reader.names.of_kinds(kParameterName | kSizeName)) {
    if (std::ranges::find(kOthers, name) == kOthers.end()) {
      reader.study.kernel.options.push_back(fmt::format("environment={0}={{{0}}}", name));
    } else {
      reader.error(reader.study.kernel.where,
                   fmt::format("'{}' would be a variable of the program's environment, "
                               "which has another of that name",
                               name),
                   "another name for the parameter");
    }
  }
}

}  // namespace

void read_command(Reader& reader, const YamlNode& node, const Position& where,
                  const StudyParts& parts) {
  KernelSpec& kernel = reader.study.kernel;
  const Fields fields = kCommand.fields(node, where);
  kernel.subject = Subject::kCommand;
  kernel.language = kCommandLanguage;
  kernel.where = where;
  kernel.source = reader.study.file;
  kernel.entry = "command";
  kernel.define_prefix.clear();
  reader.study.measure.by_variant = true;
  reader.study.measure.min_samples = 3;  // each is a process
  reader.study.measure.max_samples = 9;
  if (!fields.is_map()) return;
  if (const YamlNode* name = fields.find("name")) read_name(reader, *name);
  if (const YamlNode* build = fields.find("build")) {
    add_words("build", read_words(reader, *build, "'build'"), kernel);
  }
  if (const YamlNode* run = fields.require("run")) {
    add_words("run", read_words(reader, *run, "'run'"), kernel);
  }
  add_environment(reader);
  std::vector<std::string> sources;
  if (const YamlNode* list = fields.find("sources")) {
    // The file may be one that this study extends: its folder is that of the sources.
    kernel.source = list->folder() / fs::path(list->where().file).filename();
    sources = read_program_sources(*list);
  }
  // The scan of includes finds them, and what they include.
  for (const std::string& source : sources) kernel.text += fmt::format("#include \"{}\"\n", source);
  kernel.text +=
      json{{"metrics", read_program_metrics(reader, fields, parts)}, {"sources", sources}}.dump();
}

void check_program_arguments(Reader& reader) {
  std::vector<std::string> files;
  for (const ArgumentSpec& argument : reader.study.arguments) {
    const std::string name = "'" + argument.name + "'";
    const bool is_plain = !argument.is_scalar && !argument.record && !argument.map &&
                          !argument.choice && !argument.file.empty();
    if (!is_plain || is_working_space(argument.role)) {
      reader.error(argument.where, name + " is no file: a program takes arrays as files only",
                   "'shape' and 'file', role in, out or inout; numbers stand in the "
                   "command as {NAME}");
    } else if (std::ranges::find(files, argument.file) != files.end()) {
      reader.error(argument.where, name + " has the file of another argument: " + argument.file,
                   "role: inout, for one that is read and written");
    }
    files.push_back(argument.file);
  }
}

void read_program_file(const YamlNode& node, ArgumentSpec& argument) {
  argument.file = read_inner_path(node, "'file'").value_or("");
}

void check_program_measuring(Reader& reader) {
  const MeasureSpec& measure = reader.study.measure;
  if (measure.cache != CacheState::kCold) {
    reader.error(measure.cache_where,
                 "each run of a program is a process, which begins with its own caches",
                 "without 'cache'");
  }
  if (measure.mode != LaunchMode::kStream) {
    reader.error(measure.mode_where, "a program cannot run from a graph", "without 'mode'");
  }
}

void describe_command(SchemaParts& parts) {
  parts.definitions["command_metrics"] =
      kCommandMetrics.schema(R"({"oneOf": [{"required": ["json"]}, {"required": ["pattern"]}]})");
  parts.sections["command"] = kCommand.schema(
      R"({"description": "In place of kernel and launch: a program as the variant."})");
}

}  // namespace tuner
