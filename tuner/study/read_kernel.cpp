// Reads the sections kernel, launch and then.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tuner/base/text.h"
#include "tuner/model/problem_size.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

// The macros and options of a kernel and of a launcher.
constexpr auto kPrefixKey =
    key("define_prefix", "text", "Before each parameter's macro; TUNE_ if absent.");
constexpr auto kReplaceKey = key(
    "replace", "names", "Parameters and sizes whose value in the source is replaced: #define X 4.");
constexpr auto kIncludeKey = key("include_dirs", "names", "Folders, relative to the study file.");
constexpr auto kOptionsKey = key("options", "names", "Of the compiler; {NAME} is a value.");

constexpr auto kKernel = key_table(
    "'kernel'", key("name", "text", "Names the results' folder."),
    key("source", "text", "CUDA or OpenCL source, relative to the study file."),
    key("sources", R"({"type": "array", "minItems": 1, "items": {"type": "string"}})",
        "In place of source: the kernel's file first; the others are linked with it."),
    key("entry", "text", "Function name, or a name expression such as matmul<float, {BM}>."),
    key("language", &KernelSpec::language, one_of("cuda", "opencl"), "Of all sources."), kPrefixKey,
    kReplaceKey,
    key("compiler", &KernelSpec::compiler,
        one_of(KernelCompiler::kAuto, KernelCompiler::kNvrtc, KernelCompiler::kNvcc),
        "auto: NVRTC, or nvcc for what it does not take."),
    kIncludeKey, kOptionsKey);

constexpr auto kLauncher =
    key_table("'launcher'", key("name", "text", "Names the results' folder; the entry if absent."),
              key("source", "text", "C++ or CUDA source, relative to the study file."),
              key("entry", "text",
                  "extern \"C\" cudaError_t NAME(ARGUMENTS..., cudaStream_t); on cpu int "
                  "NAME(ARGUMENTS...)."),
              kPrefixKey, kReplaceKey, kIncludeKey, kOptionsKey);

}  // namespace

// ---- kernel -------------------------------------------------------------------------------------

void read_name(Reader& reader, const YamlNode& node) {
  // The name becomes a folder of the results.
  static const NameForm kFileName("[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}");
  const auto name = read_text(node, "'name'");
  if (!name) return;
  if (kFileName.fits(*name)) {
    reader.study.kernel.name = *name;
  } else {
    node.error("'" + *name + "' cannot be a kernel's name", "letters, digits, _ . + and -");
  }
}

namespace {

void read_prefix(Reader& reader, const YamlNode& node) {
  static const NameForm kPrefix("([A-Za-z_][A-Za-z0-9_]*)?");
  const auto prefix = read_text(node, "'define_prefix'");
  if (!prefix) return;
  if (kPrefix.fits(*prefix)) {
    reader.study.kernel.define_prefix = *prefix;
  } else {
    node.error("'" + *prefix + "' cannot begin the name of a macro");
  }
}

void read_replaced(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'replace'")) {
    const auto name = read_text(*item, "a parameter of 'replace'");
    if (!name) continue;
    const auto& all = reader.study.parameters;
    const bool is_parameter = std::ranges::find(all, *name, &Parameter::name) != all.end();
    const auto sizes = dimension_names(reader.study.sizes.front());
    if (!is_parameter && std::ranges::find(sizes, *name) == sizes.end()) {
      reader.names.complain(item->where(), *name, kParameterName, "'replace'");
      continue;
    }
    KernelSpec& kernel = reader.study.kernel;
    kernel.replaced.push_back(*name);
    if (is_parameter) continue;
    const std::string option = fmt::format("-D{}={{{}}}", kernel.macro_of(*name), *name);
    if (std::ranges::count(kernel.options, option) == 0) kernel.options.push_back(option);
  }
}

void read_options(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'options'")) {
    if (item->is_scalar()) check_placeholders(reader, *item, kSpaceNames, "a compiler option");
  }
  add_compiler_options(reader, node);
}

void read_include_dirs(Reader& reader, const YamlNode& node) {
  for (const YamlRef& item : items_of(node, "'include_dirs'")) {
    const auto name = read_text(*item, "a folder of 'include_dirs'");
    if (!name) continue;
    const std::filesystem::path folder = (item->folder() / *name).lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      item->error("'include_dirs': there is no folder " + folder.string(),
                  "names are relative to the study file");
      continue;
    }
    reader.study.kernel.include_dirs.push_back(folder);
  }
}

// One file, or several of which the first is the one that the others go with.
void read_sources_of_kernel(Reader& reader, const Fields& fields) {
  KernelSpec& kernel = reader.study.kernel;
  const YamlNode* several = fields.find("sources");
  const YamlNode* one = several != nullptr ? fields.find("source") : fields.require("source");
  if (several != nullptr && one != nullptr) {
    one->error("there is 'sources', too", "one of the two");
  } else if (one != nullptr && one->is_sequence()) {
    one->error("'source' is one file", "'sources' is a list of them");
  } else if (one != nullptr) {
    const auto path = read_file_name(*one, "'source'");
    if (path) kernel.source = *path;
  }
  if (several == nullptr || !expect_list(*several, "'sources'")) return;
  if (several->items.empty()) {
    several->error("'sources' is empty", "the kernel's file first");
  }
  std::vector<std::filesystem::path> paths;
  for (const YamlRef& item : several->items) {
    const auto path = read_file_name(*item, "'sources'");
    if (!path) continue;
    if (std::ranges::find(paths, *path) == paths.end()) {
      paths.push_back(*path);
    } else {
      item->error("'sources' names " + path->string() + " twice");
    }
  }
  if (paths.empty()) return;
  kernel.source = paths.front();
  kernel.units.assign(paths.begin() + 1, paths.end());
}

// Complains of keys that the compiler or the language does not support, each at its place.
void check_language(const KernelSpec& kernel, const Fields& fields) {
  if (kernel.compiler == KernelCompiler::kNvrtc && !kernel.units.empty()) {
    fields.find("compiler")
        ->error("NVRTC takes one source, and 'sources' names several", "'compiler: nvcc', or auto");
  }
  if (!kernel.is_opencl()) return;
  if (const YamlNode* compiler = fields.find("compiler")) {
    compiler->error("'compiler' chooses between compilers of CUDA C++",
                    "OpenCL C is compiled by the device's driver");
  }
  if (const YamlNode* several = fields.find("sources");
      several != nullptr && !kernel.units.empty()) {
    several->error("OpenCL C is compiled from one source, and these are several",
                   "a source that includes the others");
  }
}

}  // namespace

void add_compiler_options(Reader& reader, const YamlNode& list) {
  std::vector<std::string> texts;
  for (const YamlRef& item : list.items) {
    texts.push_back(read_text(*item, "a compiler option").value_or(""));
  }
  auto words = unresolved_options(texts);
  for (; !words; words = unresolved_options(texts)) {
    const OptionFault& fault = words.error();
    list.items[fault.text]->error(fault.message, fault.allowed);
    texts[fault.text].clear();
  }
  KernelSpec& kernel = reader.study.kernel;
  kernel.options.insert(kernel.options.end(), words->begin(), words->end());
}

void check_placeholders(Reader& reader, const YamlNode& node, unsigned kinds,
                        const std::string& who) {
  const std::string& text = node.text;
  const auto where = [&](std::size_t offset) { return node.where(offset); };
  for (std::size_t i = text.find_first_of("{}"); i != std::string::npos;
       i = text.find_first_of("{}", i + 1)) {
    const std::size_t end = text.find_first_of("{}", i + 1);
    if (text[i] == '}' || end == std::string::npos || text[end] == '{') {
      reader.error(where(i), "this brace has no partner; {NAME} stands for a value");
      continue;
    }
    const std::string name = text.substr(i + 1, end - i - 1);
    if (name.empty()) {
      reader.error(where(i), "{} names nothing; {NAME} stands for a value");
    } else if (!reader.names.knows(name, kinds)) {
      reader.names.complain(where(i + 1), name, kinds, who);
    }
    i = end;
  }
}

// Reads the keys that kernels and launchers have in common.
void read_code(Reader& reader, const Fields& fields, const Position& where) {
  KernelSpec& kernel = reader.study.kernel;
  kernel.where = where;
  read_sources_of_kernel(reader, fields);
  if (const YamlNode* entry = fields.require("entry")) {
    kernel.entry = read_text(*entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kSpaceNames, "'entry'");
  }
  if (const YamlNode* prefix = fields.find("define_prefix")) read_prefix(reader, *prefix);
  if (const YamlNode* dirs = fields.find("include_dirs")) read_include_dirs(reader, *dirs);
  if (const YamlNode* options = fields.find("options")) read_options(reader, *options);
  if (const YamlNode* replaced = fields.find("replace")) read_replaced(reader, *replaced);
}

void read_kernel(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kKernel.fields(node, where);
  reader.study.kernel.subject = Subject::kKernel;
  if (const YamlNode* name = fields.require("name")) read_name(reader, *name);
  read_code(reader, fields, where);
  kKernel.read(reader, fields, reader.study.kernel);
  check_language(reader.study.kernel, fields);
}

void read_launcher(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields = kLauncher.fields(node, where);
  reader.study.kernel.subject = Subject::kLauncher;
  read_code(reader, fields, where);
  const YamlNode* name = fields.find("name");
  if (name == nullptr) name = fields.find("entry");  // which is its name, too
  if (name != nullptr) read_name(reader, *name);
}

void describe_kernel(SchemaParts& parts) {
  parts.sections["kernel"] = kKernel.schema();
  parts.sections["launcher"] = kLauncher.schema(
      R"({"description": "In place of kernel and launch: a function of the host as the variant."})");
}

}  // namespace tuner
