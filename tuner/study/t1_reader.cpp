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

void add_search(const YamlNode& node, MapNode& search) {
  if (!expect_map(node, "'Search'")) return;
  const YamlNode* name = t1_find(node, "Name");
  if (name == nullptr || !name->is_scalar()) return;
  const std::string strategy = strategy_called(name->text);
  if (strategy.empty()) {
    name->warning("the search '" + name->text +
                  "' is not known here; the default strategy is used");
    return;
  }
  search.add("strategy", word_node(*name, strategy));
  if (t1_find(node, "Attributes") != nullptr) {
    name->warning("the attributes of this search are another program's; left out");
  }
}

void add_one_budget(const YamlNode& node, MapNode& budget) {
  if (!expect_map(node, "a budget")) return;
  const YamlNode* type = t1_require(node, "Type", "a budget");
  const YamlNode* value = t1_require(node, "BudgetValue", "a budget");
  if (type == nullptr || value == nullptr) return;
  const auto number = read_number(*value, "'BudgetValue'");
  if (!number) return;
  const auto limit = [&](const char* key, const Value& most) {
    if (budget.node()->value_of(key) != nullptr) {
      return type->error("there is a budget of this type already", "one of each");
    }
    budget.add(key, value_node(*value, most));
  };
  if (*number <= 0) {
    value->error("'BudgetValue' must be more than 0");
  } else if (type->text == "TuningDuration") {
    limit("seconds", *number);
  } else if (type->text == "ConfigurationCount") {
    limit("evaluations", static_cast<std::int64_t>(std::clamp(*number, 1.0, 1e18)));
  } else if (type->text == "ConfigurationFraction") {
    type->warning("a share of the configurations is no budget here",
                  "--budget takes a number of evaluations");
  } else {
    type->error("unknown budget '" + type->text + "'",
                suggestion_for(type->text,
                               {"TuningDuration", "ConfigurationCount", "ConfigurationFraction"}));
  }
}

void add_search_and_budget(const YamlNode& root, MapNode& study) {
  MapNode search(root);
  if (const YamlNode* node = t1_find(root, "Search")) add_search(*node, search);
  if (const YamlNode* node = t1_find(root, "Budget")) {
    MapNode budget(*node);
    if (!node->is_sequence()) add_one_budget(*node, budget);
    for (const YamlRef& item : node->items) add_one_budget(*item, budget);
    if (!budget.empty()) search.add("budget", budget);
  }
  if (!search.empty()) study.add("search", search);
}

// Finds the kernel's source where authors keep it: beside the file, or beside its folder.
YamlRef source_node(T1Parts& t1, const YamlNode& kernel) {
  const YamlNode* file = t1_require(kernel, "KernelFile", "'KernelSpecification'");
  if (file == nullptr) return nullptr;
  const auto name = read_text(*file, "'KernelFile'");
  if (!name) return nullptr;
  const std::filesystem::path folder = file->folder();
  for (const auto& path : {folder / *name, folder.parent_path() / *name}) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    return text_node(*file, t1_path(t1, path.lexically_normal()));
  }
  t1.obstacle = "the kernel file '" + *name + "' is neither in '" + folder.string() +
                "' nor in the folder above it";
  file->warning(*t1.obstacle + ": the file can only be checked");
  return nullptr;
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

std::string name_of_kernel(const YamlNode& root, const YamlNode& kernel) {
  const YamlNode* general = t1_find(root, "General");
  const YamlNode* named = general == nullptr ? nullptr : t1_find(*general, "BenchmarkName");
  if (named == nullptr) named = t1_find(kernel, "BenchmarkName");
  if (named == nullptr) named = t1_find(kernel, "KernelName");
  const std::string name =
      named != nullptr && named->is_scalar() ? file_name_of(named->text) : std::string();
  return name.empty() ? "kernel" : name;
}

void add_options(T1Parts& t1, const YamlNode& root, const YamlNode& kernel) {
  const YamlNode* list = t1_find(kernel, "CompilerOptions");
  if (list != nullptr && expect_list(*list, "'CompilerOptions'")) t1.options = list->items;
  // Sources ask for this name to learn that their parameters are given to them.
  t1.options.push_back(text_node(kernel, "-Dkernel_tuner=1"));
  const YamlNode* config = t1_find(root, "BenchmarkConfig");
  if (config == nullptr || !expect_map(*config, "'BenchmarkConfig'")) return;
  static const NameForm kIdentifier("[A-Za-z_][A-Za-z0-9_]*");
  const std::vector<std::string> of_the_runner{"iterations", "dataSize", "jitify", "backend"};
  for (const auto& [key, value] : config->entries) {
    const bool is_number = value->is_scalar() && value->plain;
    const bool is_runners = std::ranges::find(of_the_runner, key->text) != of_the_runner.end();
    if (!is_number || is_runners || !kIdentifier.fits(key->text) ||
        t1.names.knows(key->text, kParameterName)) {
      continue;
    }
    const std::string text = value->text == "true"    ? "1"
                             : value->text == "false" ? "0"
                                                      : value->text;
    t1.options.push_back(text_node(*value, fmt::format("-D{}={}", key->text, text)));
  }
}

// The function's name, with its template arguments.
YamlRef entry_node(const YamlNode& kernel) {
  const YamlNode* entry = t1_require(kernel, "KernelName", "'KernelSpecification'");
  if (entry == nullptr) return nullptr;
  std::string types;
  if (const YamlNode* list = t1_find(kernel, "KernelTypeNames")) {
    for (const YamlRef& item : items_of(*list, "'KernelTypeNames'")) {
      types += (types.empty() ? "" : ", ") + read_text(*item, "a type of the kernel").value_or("");
    }
  }
  const std::string name = read_text(*entry, "'KernelName'").value_or("");
  return text_node(*entry, types.empty() ? name : name + "<" + types + ">");
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

const std::vector<std::string> kRootKeys{
    "General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget", "BenchmarkConfig"};

void read_language(T1Parts& t1, const YamlNode& kernel) {
  const YamlNode* language = t1_require(kernel, "Language", "'KernelSpecification'");
  if (language == nullptr || !read_text(*language, "'Language'")) return;
  t1.is_opencl = lower(language->text) == "opencl";
  if (t1.is_opencl || lower(language->text) == "cuda") return;
  t1.obstacle = "the kernel is written in " + language->text + ", not in CUDA or OpenCL";
  language->warning(*t1.obstacle + ": the file can only be checked");
}

// Adds what is run; nothing where the file can only be checked.
void add_kernel(T1Parts& t1, const YamlNode& root, const YamlNode& kernel, MapNode& study) {
  read_language(t1, kernel);
  if (t1.obstacle) return;
  t1_warn_of_unknown(kernel, kKernelKeys, "'KernelSpecification'");
  if (const YamlNode* given = t1_find(kernel, "ReferenceArguments")) {
    given->warning("right answers as data are not understood");
  }
  MapNode run(kernel);
  const YamlRef entry = entry_node(kernel);
  MapNode code(kernel);
  code.add("name", text_node(kernel, name_of_kernel(root, kernel)));
  code.add("source", source_node(t1, kernel)).add("entry", entry);
  code.add("define_prefix", text_node(kernel, ""));
  if (t1.is_opencl) code.add("language", word_node(kernel, "opencl"));
  add_options(t1, root, kernel);
  t1_add_problem_size(t1, kernel, run);
  t1_add_arguments(t1, kernel, run);
  t1_add_launch(t1, kernel, run);
  code.add("options", list_node(kernel, t1.options));
  if (!kernel.diagnostics->ok() || t1.obstacle) return;
  t1_add_reference(t1, kernel, entry, run);
  if (t1.obstacle) return;
  study.add("kernel", code);
  for (const auto& [key, value] : run.node()->entries) study.add(key->text, value);
}

}  // namespace

YamlRef t1_as_study(const YamlNode& root, const std::filesystem::path& folder) {
  if (!expect_map(root, "a T1 file")) return nullptr;
  Names names(*root.diagnostics);
  // Through a link "../" leads elsewhere than by the folder's own name: then paths are whole.
  std::error_code ignored;
  auto whole = std::filesystem::weakly_canonical(folder, ignored);
  if (whole != folder.lexically_normal()) whole.clear();
  T1Parts t1{names, whole};
  MapNode study(root);
  study.add("schema", word_node(root, "1"));
  if (t1_find(root, "kernelSpecification") == nullptr) {
    t1_warn_of_misspelt(root, kRootKeys, "a T1 file");
  }
  const YamlNode* space = t1_require(root, "ConfigurationSpace", "a T1 file");
  if (space == nullptr || !expect_map(*space, "'ConfigurationSpace'")) return nullptr;
  t1_add_space(t1, *space, study);
  add_search_and_budget(root, study);
  const YamlNode* kernel = t1_find(root, "KernelSpecification");
  const YamlNode* older = t1_find(root, "kernelSpecification");
  if (kernel != nullptr && expect_map(*kernel, "'KernelSpecification'")) {
    add_kernel(t1, root, *kernel, study);
  } else if (older != nullptr) {
    older->warning(
        "'kernelSpecification', the older form with keys in lower case, is not "
        "understood: the file can only be checked");
  }
  return root.diagnostics->ok() ? study.node() : nullptr;
}

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

FileForm form_of(const std::filesystem::path& path) {
  return path.extension() == ".json" ? FileForm::kT1 : FileForm::kYaml;
}

YamlRef parse_study_tree(Diagnostics& diagnostics, FileForm form) {
  if (form == FileForm::kYaml) return parse_yaml(diagnostics);
  refuse_recording(diagnostics.file(), diagnostics.text());
  const YamlRef root = parse_json(diagnostics);
  return root == nullptr ? nullptr : t1_as_study(*root, {});
}

SpaceDefinition parse_space_json(const std::string& text, const std::string& file) {
  Diagnostics diagnostics(file, text);
  Names names(diagnostics);
  Study study;
  Reader reader{diagnostics, names, study};
  const YamlRef root = parse_json(diagnostics);
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
