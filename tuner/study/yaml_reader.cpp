// Reads a study file section by section.

#include "tuner/study/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/study/sections.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/unverified.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSchema = 1;

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& reason,
                              const std::string& suggestion = {}) {
  reject(path.string(), "cannot read the study: " + reason, suggestion);
}

bool may_be_a_study(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml" || file.extension() == ".json";
}

// The study in the same folder whose name was meant: "saxpy", "saxpy.yml" for saxpy.yaml.
std::string nearest_study(const fs::path& path) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> names;
  std::error_code failed;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end && names.size() < kMost;
       at.increment(failed)) {
    if (may_be_a_study(at->path())) names.push_back(at->path().filename());
  }
  std::ranges::sort(names, std::greater());  // .yaml before .json
  const auto of_that_stem = std::ranges::find_if(names, [&](const fs::path& name) {
    return name.stem() == path.filename() || name.stem() == path.stem();
  });
  const std::string near =
      of_that_stem != names.end() ? *of_that_stem : nearest_name(path.filename().string(), names);
  if (near.empty()) return {};
  return "did you mean '" + (path.has_parent_path() ? folder / near : fs::path(near)).string() +
         "'?";
}

// Rejects a source that is given instead of a study.
void refuse_source(const fs::path& path) {
  for (const char* one : {".cu", ".cuh", ".cl", ".cpp", ".py"}) {
    if (path.extension() != one) continue;
    const bool is_drafted = path.extension() == ".cu" || path.extension() == ".py";
    cannot_read(path, "it is a source",
                is_drafted ? "'tuner init " + shell_word(path.string()) + "' drafts a study for it"
                           : "a study is a .yaml file that names it");
  }
}

// Keys of a study that this one may have: beside the sections its own, "x-...", in which people
// keep what aliases repeat.
std::vector<std::string> sections_in(const YamlNode& root) {
  std::vector<std::string> keys = study_sections();
  for (const auto& [key, value] : root.entries) {
    if (key->text.starts_with("x-")) keys.push_back(key->text);
  }
  return keys;
}

void check_schema(const Fields& file) {
  const YamlNode* node = file.require("schema");
  if (node == nullptr) return;
  const auto version = read_integer(*node, "'schema'");
  if (!version || *version == kSchema) return;
  const bool newer = *version > kSchema;
  node->error("this program reads schema " + std::to_string(kSchema) + ", not " + node->text,
              newer ? "a newer tuner wrote this file" : "schema: 1");
}

class StudyReader {
 public:
  StudyReader(Reader& reader, const Fields& file) : reader_(reader), file_(file) {}

  void read() {
    check_schema(file_);
    read_search_space();
    if (needs_kernel()) read_kernel_parts();
    section_at("backend", read_backend);
    section("compiled", read_compiled);
    section_at("work", read_work);
    section("metrics", read_metrics);
    section_at("objective", read_objective);
    section_at("search", read_search);
    section_at("measure", read_measure);
    if (reader_.study.kernel.subject == Subject::kCommand) check_program_measuring(reader_);
    section_at("export", read_export);
  }

 private:
  void section(const char* key, void (*reads)(Reader&, const YamlNode&)) {
    if (const YamlNode* node = file_.find(key)) reads(reader_, *node);
  }
  void section_at(const char* key, void (*reads)(Reader&, const YamlNode&, const Position&)) {
    if (const YamlNode* node = file_.find(key)) reads(reader_, *node, file_.where(key));
  }

  void read_search_space() {
    section("problem_sizes", read_sizes);
    if (reader_.study.sizes.empty()) reader_.study.sizes.emplace_back();
    const bool follow = file_.find("configurations") != nullptr;  // the parameters
    if (!follow && file_.require("parameters") == nullptr) reader_.names.set_incomplete();
    section("parameters", read_parameters);
    section_at("configurations", read_configurations);
    section("derived", read_derived);
    section("constraints", read_constraints);
    section_at("baseline", read_baseline);
  }

  bool needs_kernel() const {
    const std::vector<std::string> parts{
        "kernel", "launch",  "arguments", "constants", "reference", "verify", "problem",
        "types",  "buffers", "launcher",  "command",   "captured",  "memory"};
    return std::any_of(parts.begin(), parts.end(),
                       [this](const std::string& key) { return file_.mentions(key); });
  }

  void read_kernel_parts() {
    const bool is_launcher = file_.mentions("launcher") || file_.mentions("command");
    for (const char* key : {"kernel", "launch"}) {
      if (!is_launcher) file_.require(key);
    }
    section("captured", read_captured);
    section("memory", read_memory);
    if (is_launcher) refuse_beside_launcher();
    if (file_.mentions("command")) refuse_beside_command();
    // A kernel may take none: its signature tells whether some are missing.
    if (!is_launcher && (!file_.mentions("kernel") || !file_.mentions("launch"))) {
      file_.require("arguments");
    }
    section_at("kernel", read_kernel);
    section_at("launcher", read_launcher);
    if (const YamlNode* command = file_.find("command")) {
      read_command(reader_, *command, file_.where("command"),
                   {file_.find("objective"), file_.find("metrics")});
    }
    section_at("problem", read_problem);
    section("types", read_types);
    section("arguments", read_arguments);
    section("buffers", read_buffers);
    check_tensor_maps(reader_);
    check_addresses(reader_);
    section_at("launch", read_launch);
    section("constants", read_constants);
    resolve_same_fills(reader_);
    section_at("reference", read_reference);
    warn_of_idle_arguments(reader_);
    check_launched_arrays(reader_);
    section_at("verify", read_verify);
    if (const YamlNode* captured = file_.find("captured")) check_captured(reader_, *captured);
    warn_of_unverified_outputs();
    warn_of_idle_problem(reader_);
    expand_types(reader_);
    check_textures(reader_);
  }

  void refuse_beside_launcher() {
    const std::string beside = file_.mentions("launcher") ? "launcher" : "command";
    for (const auto& [key, why] : {std::pair("kernel", "the {} is what is tuned"),
                                   std::pair("launch", "a {} launches by itself"),
                                   std::pair("constants", "a {} sets its own")}) {
      refuse(key, beside, fmt::format(fmt::runtime(why), beside));
    }
  }

  void refuse_beside_command() {
    for (const auto& [key, why] : {std::pair("launcher", "the command is what is tuned"),
                                   std::pair("types", "a program takes files of numbers"),
                                   std::pair("buffers", "a program takes files of numbers"),
                                   std::pair("compiled", "nothing is known of a program's code"),
                                   std::pair("work", "what a program runs on is its own affair")}) {
      refuse(key, "command", why);
    }
  }

  void refuse(const char* key, const std::string& beside, const std::string& why) {
    if (file_.find(key) == nullptr) return;
    file_.error(key, fmt::format("'{}' does not go with '{}'", key, beside), why);
  }

  // With a reference that takes them, outputs are verified even where 'verify' is silent.
  void warn_of_unverified_outputs() {
    const Study& study = reader_.study;
    if (study.verify_nothing || study.memory_is_captured)
      return;  // as the user says; by the memory
    const std::vector<std::string> unverified = unverified_outputs(study);
    const bool may_have_none = study.arguments.empty() && study.kernel.subject != Subject::kCommand;
    for (const ArgumentSpec& argument : study.arguments) {
      if (std::ranges::find(unverified, argument.name) == unverified.end()) continue;
      reader_.warning(argument.where,
                      "nothing verifies '" + argument.name + "': wrong answers would be ranked",
                      study.reference ? "" : "a 'reference' computes the right ones");
    }
    if (!may_have_none && outputs_of(study).empty()) {
      reader_.warning(
          file_.where(study.kernel.subject == Subject::kCommand ? "command" : "arguments"),
          "no argument is an output: wrong answers would be ranked");
    }
  }

  Reader& reader_;
  const Fields& file_;
};

void complain_all(Diagnostics& diagnostics, const std::vector<Complaint>& complaints) {
  for (const Complaint& one : complaints) {
    diagnostics.error(one.where, one.message, one.suggestion);
  }
}

bool check_dimensions(Diagnostics& diagnostics, const Fields& file, const Study& other,
                      const Study& study) {
  const std::vector<std::string> wanted = dimension_names(other.sizes.front());
  if (dimension_names(study.sizes.front()) == wanted) return true;
  diagnostics.error(file.where("problem_sizes"),
                    "'problem_sizes' need the dimensions of the study that is extended",
                    wanted.empty() ? "it has none" : listed(wanted, "and") + ", in this order");
  return false;
}

// A study that extends no other is named after its own file where it says no name, else after
// `first`.
StudyFile read_whole(Diagnostics& diagnostics, const YamlNode& root, const fs::path& path,
                     const fs::path& first, const Study* other, const StudyReading& how) {
  StudyFile result;
  result.study.file = path;
  result.study.text = diagnostics.text();
  Names names(diagnostics);
  Reader reader{diagnostics, names, result.study, how.data};
  const Fields file(root, diagnostics.at(1, 1), "the study", sections_in(root));
  if (file.is_map()) StudyReader(reader, file).read();
  if (result.study.kernel.name.empty()) {
    const fs::path stem = first.stem();  // of NAME.yaml, or NAME.tuner of NAME.tuner.yaml
    result.study.kernel.name = (stem.extension() == ".tuner" ? stem.stem() : stem).string();
  }
  if (other == nullptr || check_dimensions(diagnostics, file, *other, result.study)) {
    complain_all(diagnostics, how.check(result.study));
  }
  return result;
}

StudyFile read_file(const fs::path& path, const StudyReading& how);

// The other study, with what this one says. It has to be right by itself.
StudyFile extended(Diagnostics& diagnostics, const YamlRef& own, const fs::path& path,
                   const StudyReading& how) {
  const auto name = read_file_name(*own->value_of("extends"), "'extends'");
  if (!name) return {};
  fs::path first;
  const YamlRef root = extended_tree(diagnostics, own, path, first);
  if (!diagnostics.ok()) return {};
  StudyFile other = read_file(*name, how);
  StudyFile result = read_whole(diagnostics, *root, path, first, &other.study, how);
  result.extends = std::move(other.extends);
  result.extends.push_back(*name);
  return result;
}

StudyFile read_text(const fs::path& path, const std::string& text, FileForm form,
                    const StudyReading& how) {
  Diagnostics diagnostics(path.string(), text);
  const fs::path full = fs::absolute(path).lexically_normal();
  StudyFile result;
  const YamlRef root = parse_study_tree(diagnostics, form);
  const bool extends = root && root->value_of("extends") != nullptr;
  const std::string own_text = diagnostics.text();
  if (extends) {
    result = extended(diagnostics, root, full, how);
    result.study.text.clear();
  } else if (root) {
    result = read_whole(diagnostics, *root, full, full, nullptr, how);
  }
  if (!diagnostics.ok()) {
    // Lines are shown of one file only.
    const std::vector<Complaint> errors = diagnostics.errors();
    const bool here = std::ranges::all_of(
        errors, [&](const Complaint& one) { return one.where.file == diagnostics.file(); });
    throw InputError(errors, here ? own_text : "");
  }
  const std::vector<Complaint> warnings = diagnostics.warnings();
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

StudyFile read_file(const fs::path& path, const StudyReading& how) {
  return read_text(path, study_text(path), form_of(path), how);
}

}  // namespace

const std::vector<std::string>& study_sections() {
  static const std::vector<std::string> kSections{
      "schema",    "kernel",    "problem_sizes", "parameters", "derived",        "constraints",
      "launch",    "arguments", "constants",     "reference",  "verify",         "metrics",
      "objective", "backend",   "search",        "measure",    "export",         "baseline",
      "problem",   "extends",   "types",         "buffers",    "configurations", "compiled",
      "launcher",  "work",      "command",       "captured",   "memory"};
  return kSections;
}

std::string study_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    cannot_read(path, "there is no such file", nearest_study(path));
  }
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a directory");
  refuse_source(path);
  if (!is_seekable_file(path)) {
    cannot_read(path, "it is a pipe or a device; a study is read from a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) cannot_read(path, "permission denied");
  std::string text;
  std::vector<char> block(1 << 16);
  while (in && text.size() <= kMaxYamlBytes) {  // one block more than parse_yaml accepts
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.find('\0') != std::string::npos) cannot_read(path, "it is not a text file");
  std::erase(text, '\r');
  return text;
}

StudyFile parse_study_file(const fs::path& path, const StudyReading& how) {
  return read_file(path, how);
}

StudyFile parse_t1_file(const fs::path& path, const StudyReading& how) {
  return read_text(path, study_text(path), FileForm::kT1, how);
}

StudyFile parse_study_text(const fs::path& path, const std::string& text, const StudyReading& how) {
  return read_text(path, text, FileForm::kYaml, how);
}

}  // namespace tuner
