// Reads a study file section by section.

#include "tuner/study/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/choice/size_sampler.h"
#include "tuner/study/record_types.h"
#include "tuner/study/sections.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/unverified.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSchema = 1;

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& reason) {
  reject(path.string(), "cannot read the study: " + reason);
}

const std::vector<std::string> kSections{
    "schema",    "kernel",    "problem_sizes", "parameters", "derived",        "constraints",
    "launch",    "arguments", "constants",     "reference",  "verify",         "metrics",
    "objective", "backend",   "search",        "measure",    "export",         "baseline",
    "problem",   "extends",   "types",         "buffers",    "configurations", "compiled",
    "launcher",  "work",      "command"};

void check_schema(Diagnostics& diagnostics, const Fields& file) {
  const YamlNode* node = file.require("schema");
  if (node == nullptr) return;
  const auto version = read_integer(diagnostics, *node, "'schema'");
  if (!version || *version == kSchema) return;
  const bool newer = *version > kSchema;
  diagnostics.error(*node,
                    "this program reads schema " + std::to_string(kSchema) + ", not " + node->text,
                    newer ? "a newer tuner wrote this file" : "schema: 1");
}

class StudyReader {
 public:
  StudyReader(Reader& reader, const Fields& file) : reader_(reader), file_(file) {}

  void read() {
    check_schema(reader_.diagnostics, file_);
    read_search_space();
    if (needs_kernel()) read_kernel_parts();
    section_at("backend", read_backend);
    section("compiled", read_compiled);
    section_at("work", read_work);
    section("metrics", read_metrics);
    section_at("objective", read_objective);
    section_at("search", read_search);
    section_at("measure", read_measure);
    if (is_command(reader_.study)) check_program_measuring(reader_);
    section_at("export", read_export);
    if (reader_.study.kernel.name.empty()) {
      reader_.study.kernel.name = reader_.study.file.stem().string();
    }
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
    const std::vector<std::string> parts{"kernel",    "launch",   "arguments", "constants",
                                         "reference", "verify",   "problem",   "types",
                                         "buffers",   "launcher", "command"};
    return std::any_of(parts.begin(), parts.end(),
                       [this](const std::string& key) { return file_.mentions(key); });
  }

  void read_kernel_parts() {
    const bool is_launcher = file_.mentions("launcher") || file_.mentions("command");
    for (const char* key : {"kernel", "launch"}) {
      if (!is_launcher) file_.require(key);
    }
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
    section_at("verify", read_verify);
    warn_of_unverified_outputs();
    warn_of_idle_problem(reader_);
    expand_types(reader_);
    check_textures(reader_);
    reader_.study.runnable = true;
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
    reader_.diagnostics.error(file_.where(key),
                              fmt::format("'{}' does not go with '{}'", key, beside), why);
  }

  // With a reference that takes them, outputs are verified even where 'verify' is silent.
  void warn_of_unverified_outputs() {
    const Study& study = reader_.study;
    if (study.verify_nothing) return;  // as the user says
    const std::vector<std::string> unverified = unverified_outputs(study);
    bool has_output = study.arguments.empty() && !is_command(study);
    for (const ArgumentSpec& argument : study.arguments) {
      has_output = has_output || argument.role == Role::kOut || argument.role == Role::kInOut;
      if (std::ranges::find(unverified, argument.name) == unverified.end()) continue;
      reader_.diagnostics.warning(
          argument.where, "nothing verifies '" + argument.name + "': wrong answers would be ranked",
          study.reference ? "" : "a 'reference' computes the right ones");
    }
    if (!has_output) {
      reader_.diagnostics.warning(file_.where(is_command(study) ? "command" : "arguments"),
                                  "no argument is an output: wrong answers would be ranked");
    }
  }

  Reader& reader_;
  const Fields& file_;
};

// The first size that breaks an expression stands for all; of a domain some are looked at.
void check_sizes(Diagnostics& diagnostics, const Study& study, DataFiles data) {
  constexpr std::size_t kOfDomain = 32;
  std::set<std::pair<int, int>> reported;
  std::vector<ProblemSize> sizes = study.sizes;
  if (study.domain) {
    for (ProblemSize& size : distinct_sizes(*study.domain, kOfDomain, 1)) {
      sizes.push_back(std::move(size));
    }
  }
  for (const ProblemSize& size : sizes) {
    for (const Complaint& c : check_size(study, size, data)) {
      if (reported.emplace(c.where.line, c.where.column).second) {
        diagnostics.error(c.where, c.message, c.suggestion);
      }
    }
  }
}

// What the study says on its own is read into `study`, which holds what the other one says.
void read_own_parts(Diagnostics& diagnostics, const Fields& file, Study& study) {
  const std::vector<ProblemSize> others = std::exchange(study.sizes, {});
  study.domain.reset();
  Names names(diagnostics);
  Reader reader{diagnostics, names, study, study.file.parent_path()};
  if (const YamlNode* sizes = file.require("problem_sizes")) {
    read_sizes(reader, *sizes);
    const std::vector<std::string> wanted = dimension_names(others.front());
    if (diagnostics.ok() && dimension_names(study.sizes.front()) != wanted) {
      diagnostics.error(file.where("problem_sizes"),
                        "'problem_sizes' need the dimensions of the study that is extended",
                        wanted.empty() ? "it has none" : listed(wanted, "and") + ", in this order");
    }
  }
  if (const YamlNode* search = file.find("search")) {
    study.search = {};
    read_search(reader, *search, file.where("search"));
  }
  if (const YamlNode* measure = file.find("measure")) {
    study.measure = {};
    read_measure(reader, *measure, file.where("measure"));
  }
  if (const YamlNode* weights = file.find("export")) {
    study.exports = {};
    read_export(reader, *weights, file.where("export"));
  }
}

// The value of the key 'extends', or null.
const YamlNode* extends_of(const YamlNode& root) {
  const auto at = std::ranges::find_if(
      root.entries, [](const auto& entry) { return entry.first->text == "extends"; });
  return at == root.entries.end() ? nullptr : at->second.get();
}

enum class Extends { kNothing, kAnother };
StudyFile read_file(const fs::path& path, Extends may, DataFiles data);

// The other study, with what this one says.
StudyFile extended(Diagnostics& diagnostics, const YamlNode& root, const fs::path& path,
                   DataFiles data) {
  const Fields file(diagnostics, root, diagnostics.at(1, 1), "a study that extends another",
                    {"schema", "extends", "problem_sizes", "search", "measure", "export"});
  check_schema(diagnostics, file);
  const YamlNode* other = file.require("extends");
  if (other == nullptr) return {};
  const auto name = read_file_name(diagnostics, *other, path.parent_path(), "'extends'");
  if (!name) return {};
  StudyFile result = read_file(*name, Extends::kNothing, data);
  result.study.file = path;
  result.study.text.clear();
  read_own_parts(diagnostics, file, result.study);
  return result;
}

StudyFile read_whole(Diagnostics& diagnostics, const YamlNode& root, const fs::path& path,
                     DataFiles data) {
  StudyFile result;
  result.study.file = path;
  result.study.text = diagnostics.text();
  Names names(diagnostics);
  Reader reader{diagnostics, names, result.study, path.parent_path(), data};
  const Fields file(diagnostics, root, diagnostics.at(1, 1), "the study", kSections);
  if (file.is_map()) StudyReader(reader, file).read();
  check_sizes(diagnostics, result.study, data);
  return result;
}

StudyFile read_file(const fs::path& path, Extends may, DataFiles data) {
  if (path.extension() == ".json") return read_t1_file(path, data);
  Diagnostics diagnostics(path.string(), study_text(path));
  const fs::path full = fs::absolute(path).lexically_normal();
  StudyFile result;
  const YamlRef root = parse_yaml(diagnostics);
  const YamlNode* other = root ? extends_of(*root) : nullptr;
  if (other != nullptr && may == Extends::kNothing) {
    diagnostics.error(*other, "a study that is extended by another cannot extend one itself");
  } else if (other != nullptr) {
    result = extended(diagnostics, *root, full, data);
  } else if (root) {
    result = read_whole(diagnostics, *root, full, data);
  }
  if (!diagnostics.ok()) throw InputError(diagnostics.errors(), diagnostics.text());
  if (other != nullptr) {
    Diagnostics of_both(path.string(), "");  // what breaks at a size may be in either file
    check_sizes(of_both, result.study, data);
    if (!of_both.ok()) throw InputError(of_both.errors(), "");
  }
  const std::vector<Complaint> warnings = diagnostics.warnings();
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

}  // namespace

std::string study_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) cannot_read(path, "there is no such file");
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a directory");
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

StudyFile read_study_file(const fs::path& path) {
  return read_file(path, Extends::kAnother, DataFiles::kNeeded);
}

Study unverified_study(Study study) {
  if (study.file.extension() != ".json") {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "--no-verify is for T1 files; a study says 'verify: none'",
                               ""});
  }
  verify_nothing(study);
  return study;
}

Study read_study(const std::filesystem::path& path, DataFiles data) {
  return read_file(path, Extends::kAnother, data).study;
}

}  // namespace tuner
