// Reads the section `kernel`.

#include "tuner/study/form.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

void read_name(Reader& reader, const YamlNode& node) {
  // The name becomes a folder of the results.
  static const NameForm kFileName("[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}");
  const auto name = read_text(reader.diagnostics, node, "'name'");
  if (!name) return;
  if (kFileName.fits(*name)) {
    reader.study.kernel.name = *name;
  } else {
    reader.diagnostics.error(position_of(reader.diagnostics, node),
                             "'" + *name + "' cannot be a kernel's name",
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
    reader.diagnostics.error(position_of(reader.diagnostics, node),
                             "'" + *prefix + "' cannot begin the name of a macro");
  }
}

void read_options(Reader& reader, const YamlNode& node) {
  if (!expect_list(reader.diagnostics, node, "'options'")) return;
  for (const YamlRef& item : node.items) {
    const auto option = read_text(reader.diagnostics, *item, "a compiler option");
    if (!option) continue;
    check_placeholders(reader, *item, kSpaceNames, "a compiler option");
    reader.study.kernel.options.push_back(*option);
  }
}

}  // namespace

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
                      {"name", "source", "entry", "define_prefix", "options"});
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
  if (const YamlNode* options = fields.find("options")) read_options(reader, *options);
}

}  // namespace tuner
