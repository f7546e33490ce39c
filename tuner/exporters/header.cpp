// Joins the parts of the exported header.

#include "tuner/exporters/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/base/hash.h"
#include "tuner/base/terminal_text.h"
#include "tuner/exporters/embedded_text.h"
#include "tuner/exporters/header_model.h"
#include "tuner/exporters/table_text.h"

namespace tuner {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// For a comment: no line break, no backslash that continues it, and nothing that turns the
// direction of the text, by which a comment could look like code.
std::string one_line(const std::string& text) {
  std::string line = for_terminal(text);
  std::ranges::replace(line, '\\', ' ');
  return line;
}

std::string preamble(const HeaderModel& model, const HeaderOptions& options,
                     const std::string& title) {
  const Study& study = *model.study;
  const TunedTable& table = *model.table;
  std::string out =
      fmt::format("// Tuned configurations of the kernel {}. Made by {}; do not edit.\n",
                  one_line(study.kernel.name), options.generator);
  out += title;
  out += fmt::format(
      "// source {}, objective {} {}\n", one_line(study.kernel.source.filename().string()),
      study.objective.maximize ? "maximize" : "minimize", one_line(study.objective.name));
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    const DeviceFacts& device = table.devices[i];
    out +=
        fmt::format("// device {}: {}, {}, driver {}, compiler {}\n", i, one_line(device.name),
                    one_line(device.arch), one_line(device.driver), one_line(table.compilers[i]));
  }
  out += fmt::format(
      "// {} sizes, {} configurations. The default one was valid for {} of the sizes and loses "
      "there\n"
      "// at most {:.1f} %.\n",
      table.entries.size(), table.configurations.size(), table.default_coverage,
      100 * (table.default_slowdown - 1));
  if (!table.unverified.empty()) {
    out += "// WARNING, not verified: " + one_line(table.unverified) +
           "; configurations that give wrong answers may be among these.\n";
  }
  if (!table.weights.empty()) {
    out += "// weights of the dimensions, for what is near:";
    for (std::size_t d = 0; d < table.weights.size(); ++d) {
      out += fmt::format(" {} {}", model.dims[d].name, table.weights[d]);
    }
    out += "\n";
  }
  return out;
}

std::string macros(const HeaderModel& model, const HeaderOptions& options) {
  // Not #pragma once: compilers warn of that in a header that is checked by itself.
  std::string out = fmt::format("#ifndef {}_H\n#define {}_H\n", model.prefix, model.prefix);
  out += fmt::format("#define {}_SCHEMA 1\n#define {}_SOURCE_HASH 0x{}ull\n", model.prefix,
                     model.prefix, source_hash(options));
  out += R"txt(#ifdef __CUDACC_RTC__
#define TUNER_FN __device__ constexpr
#define TUNER_TABLE static __device__ constexpr
#else
#define TUNER_FN constexpr
#define TUNER_TABLE inline constexpr
#endif
)txt";
  return out;
}

// X(id, value of each parameter) for each configuration: to instantiate them ahead of time.
std::string for_each(const HeaderModel& model) {
  std::string out = "// X(id, ";
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    out += (p > 0 ? ", " : "") + model.parameters[p].name;
  }
  out += ") for each configuration; id is selection::config_id.\n";
  out += fmt::format("#define {}_FOR_EACH_CONFIG(X)", model.prefix);
  for (std::size_t c = 0; c < model.table->configurations.size(); ++c) {
    out += fmt::format(" \\\n  X({}", c);
    for (std::size_t p = 0; p < model.parameters.size(); ++p) {
      const bool choice = model.parameters[p].is_choice;
      out += (choice ? ", ::" + model.space + "::" : ", ") +
             model.literal(p, model.table->configurations[c][p]);
    }
    out += ")";
  }
  return out + "\n";
}

std::string usage(const HeaderModel& model) {
  std::string dims;
  for (const HeaderField& dim : model.dims) dims += (dims.empty() ? "" : ", ") + dim.name;
  return fmt::format(
      "// C++17, no includes; for g++, clang, nvcc and NVRTC.\n//\n"
      "//   const auto s = {0}::select({0}::device_from(properties), {{{1}}});\n"
      "//   // s.cfg is the configuration, s.how says how it was found.\n//\n",
      model.space, dims);
}

}  // namespace

std::string source_hash(const HeaderOptions& options) {
  return fmt::format("{:016x}", hash_of(options.source_text).high);
}

std::string header_document(const HeaderModel& model, const HeaderOptions& options,
                            const HeaderText& text) {
  std::string out = preamble(model, options, text.title) + macros(model, options) + text.includes;
  out += "namespace " + model.space + " {\n" + header_types(model) + header_tables(model) +
         "\nnamespace detail {\n" + std::string(kNumbersText) + "\n" + std::string(kDistanceText) +
         "}  // namespace detail\n\n" + header_rules(model) + header_selection(model) + text.more +
         "}  // namespace " + model.space + "\n";
  out += for_each(model);
  out += "#undef TUNER_FN\n#undef TUNER_TABLE\n#endif\n";
  out = replaced(std::move(out), "TUNER_FN", model.prefix + "_FN");
  out = replaced(std::move(out), "TUNER_TABLE", model.prefix + "_TABLE");
  return out + table_comment(*model.study, *model.table, source_hash(options));
}

std::string export_header(const Study& study, const std::vector<RankedResults>& results,
                          const HeaderOptions& options) {
  const TunedTable table = tuned_table(study, results, options.table);
  const HeaderModel model = header_model(study, table, "_tuned");
  return header_document(model, options, {usage(model), "", ""});
}

}  // namespace tuner
