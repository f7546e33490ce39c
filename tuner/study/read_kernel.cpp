// Reads the sections kernel, launch and then.

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/resolve/compiler_options.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

// ---- kernel -------------------------------------------------------------------------------------

namespace {

void read_name(Reader& reader, const YamlNode& node) {
  // The name becomes a folder of the results.
  static const NameForm kFileName("[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}");
  const auto name = read_text(reader.diagnostics, node, "'name'");
  if (!name) return;
  if (kFileName.fits(*name)) {
    reader.study.kernel.name = *name;
  } else {
    reader.diagnostics.error(node, "'" + *name + "' cannot be a kernel's name",
                             "letters, digits, _ . + and -");
  }
}

void read_prefix(Reader& reader, const YamlNode& node) {
  static const NameForm kPrefix("([A-Za-z_][A-Za-z0-9_]*)?");
  const auto prefix = read_text(reader.diagnostics, node, "'define_prefix'");
  if (!prefix) return;
  if (kPrefix.fits(*prefix)) {
    reader.study.kernel.define_prefix = *prefix;
  } else {
    reader.diagnostics.error(node, "'" + *prefix + "' cannot begin the name of a macro");
  }
}

void read_options(Reader& reader, const YamlNode& node) {
  if (!expect_list(reader.diagnostics, node, "'options'")) return;
  for (const YamlRef& item : node.items) {
    if (item->is_scalar()) check_placeholders(reader, *item, kSpaceNames, "a compiler option");
  }
  add_compiler_options(reader, node);
}

void read_include_dirs(Reader& reader, const YamlNode& node) {
  if (!expect_list(reader.diagnostics, node, "'include_dirs'")) return;
  for (const YamlRef& item : node.items) {
    const auto name = read_text(reader.diagnostics, *item, "a folder of 'include_dirs'");
    if (!name) continue;
    const std::filesystem::path folder = (reader.directory / *name).lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      reader.diagnostics.error(*item, "'include_dirs': there is no folder " + folder.string(),
                               "names are relative to the study file");
      continue;
    }
    reader.study.kernel.include_dirs.push_back(folder);
  }
}

}  // namespace

void add_compiler_options(Reader& reader, const YamlNode& list) {
  std::vector<std::string> texts;
  for (const YamlRef& item : list.items) {
    texts.push_back(read_text(reader.diagnostics, *item, "a compiler option").value_or(""));
  }
  auto words = unresolved_options(texts);
  for (; !words; words = unresolved_options(texts)) {
    const OptionFault& fault = words.error();
    reader.diagnostics.error(*list.items[fault.text], fault.message, fault.allowed);
    texts[fault.text].clear();
  }
  KernelSpec& kernel = reader.study.kernel;
  kernel.options.insert(kernel.options.end(), words->begin(), words->end());
}

void check_placeholders(Reader& reader, const YamlNode& node, unsigned kinds,
                        const std::string& who) {
  const std::string& text = node.text;
  const auto where = [&](std::size_t offset) {
    return position_in(reader.diagnostics, node, offset);
  };
  for (std::size_t i = text.find_first_of("{}"); i != std::string::npos;
       i = text.find_first_of("{}", i + 1)) {
    const std::size_t end = text.find_first_of("{}", i + 1);
    if (text[i] == '}' || end == std::string::npos || text[end] == '{') {
      reader.diagnostics.error(where(i), "this brace has no partner; {NAME} stands for a value");
      continue;
    }
    const std::string name = text.substr(i + 1, end - i - 1);
    if (name.empty()) {
      reader.diagnostics.error(where(i), "{} names nothing; {NAME} stands for a value");
    } else if (!reader.names.knows(name, kinds)) {
      reader.names.complain(where(i + 1), name, kinds, who);
    }
    i = end;
  }
}

void read_kernel(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(reader.diagnostics, node, where, "'kernel'",
                      {"name", "source", "entry", "define_prefix", "include_dirs", "options"});
  KernelSpec& kernel = reader.study.kernel;
  kernel.where = where;
  if (const YamlNode* name = fields.require("name")) read_name(reader, *name);
  if (const YamlNode* source = fields.require("source")) {
    const auto path = read_file_name(reader.diagnostics, *source, reader.directory, "'source'");
    if (path) kernel.source = *path;
  }
  if (const YamlNode* entry = fields.require("entry")) {
    kernel.entry = read_text(reader.diagnostics, *entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kSpaceNames, "'entry'");
  }
  if (const YamlNode* prefix = fields.find("define_prefix")) read_prefix(reader, *prefix);
  if (const YamlNode* dirs = fields.find("include_dirs")) read_include_dirs(reader, *dirs);
  if (const YamlNode* options = fields.find("options")) read_options(reader, *options);
}

// ---- launch and then ----------------------------------------------------------------------------

namespace {

// 1 to 3 expressions: one scalar, a list, or a map with keys x, y and z.
std::array<Expression, 3> read_axes(Reader& reader, const YamlNode& node, const Position& where,
                                    const std::string& what, unsigned kinds,
                                    const std::string& who) {
  std::array<Expression, 3> axes;
  if (node.is_scalar()) {
    axes[0] = reader.names.read(node, what, kinds, who);
  } else if (node.is_map()) {
    const std::array<const char*, 3> keys{"x", "y", "z"};
    const Fields fields(reader.diagnostics, node, where, what, {"x", "y", "z"});
    fields.require("x");
    for (std::size_t i = 0; i < 3; ++i) {
      const YamlNode* axis = fields.find(keys[i]);
      if (axis != nullptr) axes[i] = reader.names.read(*axis, what, kinds, who);
    }
  } else if (expect_list(reader.diagnostics, node, what)) {
    if (node.items.empty() || node.items.size() > 3) {
      reader.diagnostics.error(
          node, what + " takes 1 to 3 expressions, not " + std::to_string(node.items.size()));
    }
    for (std::size_t i = 0; i < node.items.size() && i < 3; ++i) {
      axes[i] = reader.names.read(*node.items[i], what, kinds, who);
    }
  }
  return axes;
}

void read_attributes(Reader& reader, const Fields& fields, const std::string& who,
                     LaunchAttributesSpec& attributes) {
  if (const YamlNode* cluster = fields.find("cluster")) {
    attributes.cluster =
        read_axes(reader, *cluster, fields.where("cluster"), "'cluster'", kSpaceNames, who);
  }
  const auto read = [&](const char* name, Expression& out) {
    const YamlNode* node = fields.find(name);
    if (node == nullptr) return;
    out = reader.names.read(*node, "'" + std::string(name) + "'", kSpaceNames, who);
  };
  read("cooperative", attributes.cooperative);
  read("carveout", attributes.carveout);
  read("scheduling", attributes.scheduling);
  read("programmatic", attributes.programmatic);
}

NextLaunchSpec read_next_launch(Reader& reader, const YamlNode& node) {
  const std::string who = "a launch of 'then'";
  const Fields fields(reader.diagnostics, node, position_of(reader.diagnostics, node), who,
                      {"entry", "block", "grid", "dynamic_shared_bytes", "cluster", "cooperative",
                       "carveout", "scheduling", "programmatic", "arguments", "when"});
  NextLaunchSpec next;
  if (!fields.is_map()) return next;
  if (const YamlNode* entry = fields.require("entry")) {
    next.entry = read_text(reader.diagnostics, *entry, "'entry'").value_or("");
    check_placeholders(reader, *entry, kSpaceNames, "'entry'");
  }
  next.launch = read_geometry(reader, fields, kSpaceNames, who);
  read_attributes(reader, fields, who, next.launch.attributes);
  if (const YamlNode* arguments = fields.find("arguments")) {
    for (const auto& [name, place] : read_argument_names(reader, *arguments, who)) {
      next.arguments.push_back(name);
    }
    if (arguments->is_sequence() && arguments->items.empty()) {
      reader.diagnostics.error(*arguments, "a kernel without arguments computes nothing",
                               "leave the key out to pass all of them");
    }
  }
  if (const YamlNode* when = fields.find("when")) {
    next.when = reader.names.read(*when, "'when'", kSpaceNames, "'when'");
  }
  return next;
}

void read_then(Reader& reader, const YamlNode& node) {
  constexpr std::size_t kMost = 15;
  if (!expect_list(reader.diagnostics, node, "'then'")) return;
  if (node.items.size() > kMost) {
    reader.diagnostics.error(*node.items[kMost], "at most " + std::to_string(kMost) +
                                                     " launches may follow, not " +
                                                     std::to_string(node.items.size()));
    return;
  }
  for (const YamlRef& item : node.items) {
    reader.study.then.push_back(read_next_launch(reader, *item));
  }
}

}  // namespace

LaunchSpec read_geometry(Reader& reader, const Fields& fields, unsigned kinds,
                         const std::string& who) {
  LaunchSpec launch;
  if (const YamlNode* block = fields.require("block")) {
    launch.block = read_axes(reader, *block, fields.where("block"), "'block'", kinds, who);
  }
  if (const YamlNode* grid = fields.require("grid")) {
    launch.grid = read_axes(reader, *grid, fields.where("grid"), "'grid'", kinds, who);
  }
  if (const YamlNode* bytes = fields.find("dynamic_shared_bytes")) {
    launch.dynamic_shared_bytes = reader.names.read(*bytes, "'dynamic_shared_bytes'", kinds, who);
  }
  return launch;
}

std::vector<std::pair<std::string, Position>> read_argument_names(Reader& reader,
                                                                  const YamlNode& node,
                                                                  const std::string& who) {
  std::vector<std::string> known;
  for (const ArgumentSpec& argument : reader.study.arguments) known.push_back(argument.name);
  std::vector<std::pair<std::string, Position>> names;
  if (!expect_list(reader.diagnostics, node, "'arguments' of " + who)) return names;
  for (const YamlRef& item : node.items) {
    const auto name = read_text(reader.diagnostics, *item, "an argument of " + who);
    if (!name) continue;
    const Position where = position_of(reader.diagnostics, *item);
    if (std::find(known.begin(), known.end(), *name) == known.end()) {
      reader.diagnostics.error(where, "the kernel has no argument '" + *name + "'",
                               suggestion_for(*name, known));
    } else {
      names.emplace_back(*name, where);
    }
  }
  return names;
}

void read_launch(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(reader.diagnostics, node, where, "'launch'",
                      {"block", "grid", "dynamic_shared_bytes", "cluster", "cooperative",
                       "carveout", "scheduling", "work", "then"});
  reader.study.launch = read_geometry(reader, fields, kSpaceNames, "'launch'");
  read_attributes(reader, fields, "'launch'", reader.study.launch.attributes);
  if (const YamlNode* work = fields.find("work")) {
    reader.study.work = reader.names.read(*work, "'work'", kSpaceNames, "'launch'");
  }
  if (const YamlNode* then = fields.find("then")) read_then(reader, *then);
}

}  // namespace tuner
