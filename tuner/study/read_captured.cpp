// Reads which captured launches of an application a study is about.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/resolve/captured_plans.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

constexpr const char* kFolders = "captured: [FOLDER, ...], one for each problem size";

// A folder may be missing where only the study's form counts.
void add_launch(Reader& reader, const YamlNode& node, const ProblemSize& size) {
  const auto text = read_text(node, "'captured'");
  if (!text) return;
  const auto folder = (node.folder() / *text).lexically_normal();
  if (reader.data == DataFiles::kIgnored) {
    reader.study.captured.push_back({size, {}});
    return;
  }
  try {
    reader.study.captured.push_back({size, read_capture(folder)});
  } catch (const InputError& error) {
    node.error("'captured': " + std::string(error.what()), "names are relative to the study file");
  }
}

bool takes_captured(const ArgumentSpec& one) {
  return one.is_captured || one.fill.kind == FillSpec::Kind::kCaptured;
}

// Complains of what no launch gives, at each size.
void check_taken(Reader& reader, const YamlNode& node) {
  for (const CapturedSize& one : reader.study.captured) {
    if (one.launch.folder.empty()) continue;
    const auto taken = with_captured(reader.study, one.size);
    if (!taken) node.error(taken.error());
  }
}

}  // namespace

void read_captured(Reader& reader, const YamlNode& node) {
  Study& study = reader.study;
  if (study.domain) {
    node.error("a domain of sizes has no captured launches", "a list of problem sizes");
    return;
  }
  std::vector<const YamlNode*> folders;
  if (node.is_scalar()) folders.push_back(&node);
  if (!node.is_scalar() && expect_list(node, "'captured'")) {
    for (const YamlRef& item : node.items) folders.push_back(item.get());
  }
  if (folders.size() != study.sizes.size()) {
    node.error(fmt::format("'captured' names {} launches, and there are {} problem sizes",
                           folders.size(), study.sizes.size()),
               kFolders);
    return;
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    add_launch(reader, *folders[i], study.sizes[i]);
  }
}

void read_memory(Reader& reader, const YamlNode& node) {
  reader.study.memory_is_captured = read_word(node, "memory", {"captured"}).has_value();
  if (reader.study.memory_is_captured && reader.study.captured.empty()) {
    node.error("the study names no captured launches", kFolders);
  }
}

bool is_captured(Reader& reader, const YamlNode& node, const std::string& what) {
  if (!node.is_scalar() || !node.plain || node.text != "captured") return false;
  if (reader.study.captured.empty() && reader.diagnostics.ok()) {
    node.error(what + " is captured, and the study names no captured launches", kFolders);
  }
  return true;
}

void check_captured(Reader& reader, const YamlNode& node) {
  const Study& study = reader.study;
  if (study.memory_is_captured &&
      !(study.reference && study.reference->from == AnswerSource::kCaptured)) {
    node.error("with 'memory: captured' the right answer is what the launch wrote",
               "reference: captured");
  }
  for (const auto& [name, tolerance] : study.verify) {
    if (!study.memory_is_captured || (tolerance.how.is_usual() && !tolerance.by_problem)) continue;
    node.error(fmt::format("with 'memory: captured' '{}' is compared number by number", name),
               "rtol and atol alone");
  }
  const bool is_used = study.memory_is_captured ||
                       std::ranges::any_of(study.arguments, takes_captured) ||
                       std::ranges::any_of(study.constants, takes_captured);
  if (!is_used) reader.warning(node.where(), "nothing is taken from the captured launches");
  if (reader.diagnostics.ok()) check_taken(reader, node);
}

void describe_captured(SchemaParts& parts) {
  add_schema(parts.sections, R"({
    "captured": {"anyOf": [{"type": "string"}, {"$ref": "#/definitions/names"}],
                 "description": "Folders of captured launches, one for each problem size."},
    "memory": {"const": "captured",
               "description": "All memory of the captured launches is where it was."}})");
}

}  // namespace tuner
