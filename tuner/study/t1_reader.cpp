// Reads T1 files as studies.

#include "tuner/study/t1_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/base/text.h"
#include "tuner/study/t1_sections.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

// A YAML reader reads JSON too, and knows where everything stands; but it reads more than JSON.
YamlRef parse_json_tree(Diagnostics& diagnostics) {
  try {
    const auto ignored = nlohmann::json::parse(
        diagnostics.text(), [](int depth, auto, auto&) { return depth < kMaxYamlDepth; });
    return parse_yaml(diagnostics);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = diagnostics.text().find_last_not_of(" \n\t");
    const bool torn = end == std::string::npos || error.byte > end + 1;
    const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
    const std::size_t word = diagnostics.text().find_last_of(" :,[{", at) + 1;
    const std::string_view rest = std::string_view(diagnostics.text()).substr(word);
    const bool is_no_number = rest.starts_with("NaN") || rest.starts_with("nan") ||
                              rest.starts_with("Inf") || rest.starts_with("-");
    diagnostics.error(diagnostics.position_of(at),
                      torn ? "this is not JSON: the file ends too early" : "this is not JSON",
                      is_no_number ? "JSON has no NaN and no Infinity" : "");
  } catch (const nlohmann::json::out_of_range& error) {  // it says the number, not where it stands
    const std::string why = error.what();
    const std::size_t quote = std::min(why.find('\''), why.size() - 1);
    const std::string number = why.substr(quote + 1, why.rfind('\'') - quote - 1);
    diagnostics.error(diagnostics.position_of(
                          std::min(diagnostics.text().find(number), diagnostics.text().size())),
                      "the number " + number + " is too large");
  }
  return nullptr;
}

namespace {

// Names of searches in the wild (lower case, letters only) and ours.
std::string strategy_called(const std::string& text) {
  static const std::map<std::string, std::string> kKnown{
      {"bruteforce", "exhaustive"},
      {"deterministic", "exhaustive"},
      {"random", "random"},
      {"randomsample", "random"},
      {"randomsearch", "random"},
      {"geneticalgorithm", "genetic"},
      {"simulatedannealing", "simulated_annealing"},
      {"annealing", "simulated_annealing"},
      {"diffevo", "differential_evolution"},
      {"pso", "particle_swarm"},
      {"fireflyalgorithm", "firefly"},
      {"basinhopping", "basin_hopping"},
      {"bayesopt", "bayesian"},
  };
  std::string plain;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const auto found = kKnown.find(plain);
  return found == kKnown.end() ? std::string() : found->second;
}

void read_t1_search(T1Reader& t1, const YamlNode& node) {
  if (!expect_map(node, "'Search'")) return;
  t1.study.search.where = node.where();
  const YamlNode* name = t1_find(node, "Name");
  if (name == nullptr || !name->is_scalar()) return;
  const std::string strategy = strategy_called(name->text);
  if (!strategy.empty()) t1.study.search.strategy = strategy;
  if (strategy.empty()) {
    name->warning("the search '" + name->text +
                  "' is not known here; the default strategy is used");
  } else if (t1_find(node, "Attributes") != nullptr) {
    name->warning("the attributes of this search are another program's; left out");
  }
}

void read_one_budget(T1Reader& t1, const YamlNode& node) {
  if (!expect_map(node, "a budget")) return;
  const YamlNode* type = t1_require(node, "Type", "a budget");
  const YamlNode* value = t1_require(node, "BudgetValue", "a budget");
  if (type == nullptr || value == nullptr) return;
  const auto number = read_number(*value, "'BudgetValue'");
  if (!number) return;
  Budget& budget = t1.study.search.budget;
  if (*number <= 0) {
    value->error("'BudgetValue' must be more than 0");
  } else if (type->text == "TuningDuration") {
    budget.seconds = *number;
  } else if (type->text == "ConfigurationCount") {
    budget.evaluations = static_cast<std::uint64_t>(std::min(*number, 1e18));
  } else if (type->text == "ConfigurationFraction") {
    type->warning("a share of the configurations is no budget here",
                  "--budget takes a number of evaluations");
  } else {
    type->error("unknown budget '" + type->text + "'",
                suggestion_for(type->text,
                               {"TuningDuration", "ConfigurationCount", "ConfigurationFraction"}));
  }
}

void read_budget(T1Reader& t1, const YamlNode& node) {
  if (!node.is_sequence()) return read_one_budget(t1, node);
  for (const YamlRef& item : node.items) read_one_budget(t1, *item);
}

// Finds the kernel's source where authors keep it: beside the file, or beside its folder.
void find_source(T1Reader& t1, const YamlNode& kernel) {
  const YamlNode* file = t1_require(kernel, "KernelFile", "'KernelSpecification'");
  if (file == nullptr) return;
  const auto name = read_text(*file, "'KernelFile'");
  if (!name) return;
  const std::filesystem::path folder = t1.study.file.parent_path();
  for (const auto& path : {folder / *name, folder.parent_path() / *name}) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    t1.study.kernel.source = path.lexically_normal();
    return;
  }
  t1.obstacle = "the kernel file '" + *name + "' is neither in '" + folder.string() +
                "' nor in the folder above it";
  file->warning(*t1.obstacle + ": the file can only be checked");
}

std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool good =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
    name += good ? c : '_';
  }
  while (!name.empty() && (name.front() == '.' || name.front() == '-')) name.erase(0, 1);
  return name;
}

void name_kernel(T1Reader& t1, const YamlNode& root, const YamlNode* kernel) {
  const YamlNode* general = t1_find(root, "General");
  const YamlNode* named = nullptr;
  if (general != nullptr) named = t1_find(*general, "BenchmarkName");
  if (named == nullptr && kernel != nullptr) named = t1_find(*kernel, "BenchmarkName");
  if (named == nullptr && kernel != nullptr) named = t1_find(*kernel, "KernelName");
  if (named != nullptr && named->is_scalar()) t1.study.kernel.name = file_name_of(named->text);
  if (t1.study.kernel.name.empty()) {
    t1.study.kernel.name = file_name_of(t1.study.file.stem().string());
  }
}

void read_options(T1Reader& t1, const YamlNode& root, const YamlNode& kernel) {
  std::vector<std::string>& options = t1.study.kernel.options;
  if (const YamlNode* list = t1_find(kernel, "CompilerOptions")) {
    if (!expect_list(*list, "'CompilerOptions'")) return;
    add_compiler_options(t1, *list);
  }
  // Sources ask for this name to learn that their parameters are given to them.
  options.emplace_back("-Dkernel_tuner=1");
  const YamlNode* config = t1_find(root, "BenchmarkConfig");
  if (config == nullptr || !expect_map(*config, "'BenchmarkConfig'")) return;
  static const NameForm kIdentifier("[A-Za-z_][A-Za-z0-9_]*");
  const std::vector<std::string> of_the_runner{"iterations", "dataSize", "jitify", "backend"};
  for (const auto& [key, value] : config->entries) {
    const bool is_number = value->is_scalar() && value->plain;
    const bool is_runners =
        std::find(of_the_runner.begin(), of_the_runner.end(), key->text) != of_the_runner.end();
    if (!is_number || is_runners || !kIdentifier.fits(key->text) ||
        t1.names.knows(key->text, kParameterName)) {
      continue;
    }
    const std::string text = value->text == "true"    ? "1"
                             : value->text == "false" ? "0"
                                                      : value->text;
    options.push_back(fmt::format("-D{}={}", key->text, text));
  }
}

// Template arguments.
void add_types(T1Reader& t1, const YamlNode& types) {
  if (!expect_list(types, "'KernelTypeNames'") || types.items.empty()) return;
  std::string text;
  for (const YamlRef& item : types.items) {
    text += (text.empty() ? "" : ", ") + read_text(*item, "a type of the kernel").value_or("");
  }
  t1.study.kernel.entry += "<" + text + ">";
}

const std::vector<std::string> kKernelKeys{"Language",
                                           "CompilerOptions",
                                           "BenchmarkName",
                                           "BenchmarkPath",
                                           "KernelName",
                                           "KernelFile",
                                           "GlobalSizeType",
                                           "LocalSize",
                                           "GlobalSize",
                                           "GridDivX",
                                           "GridDivY",
                                           "GridDivZ",
                                           "ProblemSize",
                                           "SharedMemory",
                                           "Stream",
                                           "Misc",
                                           "Arguments",
                                           "Device",
                                           "Profiling",
                                           "SimulationInput",
                                           "SharedMemoryOriginal",
                                           "KernelTypeNames",
                                           "ReferenceArguments"};

void read_t1_kernel(T1Reader& t1, const YamlNode& root, const YamlNode& kernel) {
  if (!expect_map(kernel, "'KernelSpecification'")) return;
  t1.study.kernel.where = kernel.where();
  const YamlNode* language = t1_require(kernel, "Language", "'KernelSpecification'");
  if (language != nullptr && lower(language->text) == "opencl") {
    t1.study.kernel.language = "opencl";
  } else if (language != nullptr && lower(language->text) != "cuda") {
    t1.obstacle = "the kernel is written in " + language->text + ", not in CUDA or OpenCL";
    language->warning(*t1.obstacle + ": the file can only be checked");
    return;
  }
  t1_warn_of_unknown(kernel, kKernelKeys, "'KernelSpecification'");
  t1.study.kernel.define_prefix = "";
  find_source(t1, kernel);
  if (const YamlNode* entry = t1_require(kernel, "KernelName", "'KernelSpecification'")) {
    t1.study.kernel.entry = read_text(*entry, "'KernelName'").value_or("");
    check_placeholders(t1, *entry, kSpaceNames, "'KernelName'");
    if (const YamlNode* types = t1_find(kernel, "KernelTypeNames")) add_types(t1, *types);
  }
  if (const YamlNode* given = t1_find(kernel, "ReferenceArguments")) {
    given->warning("right answers as data are not understood");
  }
  read_options(t1, root, kernel);
  t1_read_problem_size(t1, kernel);
  t1_read_launch(t1, kernel);
  t1_read_arguments(t1, kernel);
  t1.study.runnable = !t1.obstacle;
  if (t1.diagnostics.ok()) t1_add_reference(t1, kernel);
}

void read_all(T1Reader& t1, const YamlNode& root) {
  const YamlNode* space = t1_require(root, "ConfigurationSpace", "a T1 file");
  if (space == nullptr || !expect_map(*space, "'ConfigurationSpace'")) return;
  t1_read_parameters(t1, *space);
  t1_read_conditions(t1, *space);
  if (const YamlNode* search = t1_find(root, "Search")) read_t1_search(t1, *search);
  if (const YamlNode* budget = t1_find(root, "Budget")) read_budget(t1, *budget);
  const YamlNode* kernel = t1_find(root, "KernelSpecification");
  name_kernel(t1, root, kernel != nullptr && kernel->is_map() ? kernel : nullptr);
  if (kernel != nullptr) return read_t1_kernel(t1, root, *kernel);
  if (const YamlNode* older = t1_find(root, "kernelSpecification")) {
    older->warning(
        "'kernelSpecification', the older form with keys in lower case, is not "
        "understood: the file can only be checked");
  }
}

}  // namespace

bool is_t1(const std::string& text) {
  if (text.size() > kMaxYamlBytes) return false;  // no study is that long, but recordings are
  const auto root = nlohmann::json::parse(text, nullptr, false);
  return root.is_object() && root.contains("ConfigurationSpace");
}

namespace {

// Recordings and results are JSON, too, and may be longer than a study.
void refuse_recording(const std::filesystem::path& path, const std::string& text) {
  const std::string beginning = text.substr(0, 4096);
  const auto has = [&](const char* part) { return beginning.find(part) != beginning.npos; };
  if (has("\"ConfigurationSpace\"")) return;
  const std::string name = shell_word(path.string());
  if (has("\"device_name\"") && has("\"kernel_name\"")) {
    reject(path, "is a cache of Kernel Tuner, not a study", "tuner run --replay " + name);
  }
  if (has("\"schema_version\"") && has("\"metadata\"")) {
    reject(path, "is a T4 recording, not a study", "tuner run --replay " + name);
  }
  if (has("\"generator\"") && has("\"tuner\"")) {
    reject(path, "is exported results, not a study", "name the study that they are of");
  }
}

}  // namespace

StudyFile parse_t1_file(const std::filesystem::path& path, const StudyReading& how) {
  const std::string text = study_text(path);
  refuse_recording(path, text);
  Diagnostics diagnostics(path.string(), text);
  StudyFile result;
  Study& study = result.study;
  study.file = std::filesystem::absolute(path).lexically_normal();
  study.text = diagnostics.text();
  const YamlRef root = parse_json_tree(diagnostics);
  if (root && expect_map(*root, "a T1 file")) {
    Names names(diagnostics);
    T1Reader t1{{diagnostics, names, study, how.data}};
    read_all(t1, *root);
    if (study.sizes.empty()) study.sizes.emplace_back();
    if (diagnostics.ok() && study.runnable) {
      for (const Complaint& c : how.check(study)) {
        diagnostics.error(c.where, c.message, c.suggestion);
      }
    }
  }
  if (!diagnostics.ok()) throw InputError(diagnostics.errors(), diagnostics.text());
  result.warnings = diagnostics.warnings();
  return result;
}

SpaceDefinition parse_space_json(const std::string& text, const std::string& file) {
  Diagnostics diagnostics(file, text);
  Names names(diagnostics);
  Study study;
  Reader reader{diagnostics, names, study};
  const YamlRef root = parse_json_tree(diagnostics);
  const YamlNode* parameters = root ? root->value_of("parameters") : nullptr;
  if (parameters != nullptr) {
    read_parameters(reader, *parameters);
    if (const YamlNode* rules = root->value_of("constraints")) read_constraints(reader, *rules);
  } else if (root) {
    diagnostics.error(diagnostics.at(0, 0),
                      "neither a space (\"parameters\") nor a T1 file (\"ConfigurationSpace\")");
  }
  if (!diagnostics.ok()) throw InputError(diagnostics.errors(), diagnostics.text());
  return {study.parameters, {}, study.constraints, {}};
}

SpaceDefinition read_space_json(const std::filesystem::path& path) {
  const std::string text = study_text(path);
  refuse_recording(path, text);
  return parse_space_json(text, path.string());
}

}  // namespace tuner
