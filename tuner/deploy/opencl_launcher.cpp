// Joins the parts of the launcher in OpenCL: source, definitions of each variant, one function.

#include <fmt/format.h>

#include <string_view>

#include "tuner/deploy/cpp_text.h"
#include "tuner/deploy/domain_table.h"
#include "tuner/deploy/launcher.h"
#include "tuner/deploy/launcher_signature.h"

namespace tuner {
namespace {

void refuse_memory_of_launchers(const Study& study) {
  for (const ArgumentSpec& one : study.arguments) {
    const bool is_half = one.is_scalar && is_floating(one.type) && size_of(one.type) < 4;
    if (!is_working_space(one.role) && !is_half && !one.map) continue;
    reject_export(study, "an OpenCL launcher passes the caller's numbers and buffers, and '" +
                             one.name +
                             "' is none of them: launch the kernel yourself, with the "
                             "configuration of a header");
  }
  if (!study.then.empty()) {
    reject_export(study, "an OpenCL launcher launches one kernel, and this study has 'then'");
  }
}

// A text as literals of lines: compilers limit the length of one.
std::string text_literal(std::string_view text) {
  std::string out = text.empty() ? "\"\"" : "";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view piece = line.empty() ? text : line;
    out += "\n      " + cpp_string(piece);
    text.remove_prefix(piece.size());
  }
  return out;
}

void fill_kernels(const LauncherVariants& variants, Filling& out) {
  const auto number = [](std::size_t variant) { return std::to_string(variant); };
  out.words["OF_CONFIGURATION"] = joined(variants.of_configuration, number);
  for (const LauncherVariant& one : variants.all) {
    std::string defines;
    for (const auto& [name, value] : one.defines) {
      defines += fmt::format("#define {} {}\n", name, value);
    }
    std::vector<Filling>& all = out.lists["VARIANTS"];
    all.push_back({{{"V", number(all.size())},
                    {"DEFINES", text_literal(defines)},
                    {"ENTRY", cpp_string(one.entry)}}});
  }
}

std::string parameters_of_opencl(const LauncherSignature& signature) {
  std::string out;
  for (const LauncherArgument& one : signature.arguments) {
    if (one.from != LauncherArgument::From::kCaller) continue;
    out += (one.spec->is_scalar ? one.type : "cl_mem") + " " + one.name + ", ";
  }
  for (const std::string& name : signature.more_sizes) out += "long long " + name + ", ";
  return out;
}

}  // namespace

std::string export_opencl_launcher(const Study& study, const TunedTable& table,
                                   const LauncherOptions& options) {
  refuse_what_no_launcher_has(study);
  refuse_memory_of_launchers(study);
  const HeaderModel model = header_model(study, table, "_launcher");
  const LauncherSignature signature =
      launcher_signature(model, {"queue", "event", "context", "id", "lock", "facts", "cfg",
                                 "kernel", "grid", "block", "local", "global"});
  const LauncherVariants variants = launcher_variants(study, table, options.source.relevant);
  if (!variants.of_size.empty()) {
    reject_export(
        study, "an OpenCL launcher holds variants for all sizes: 'entry' must not depend on them");
  }
  std::string words = "-cl-kernel-arg-info";
  for (const std::string& one : variants.options) words += " " + one;
  Filling all = signature.filling;
  fill_kernels(variants, all);
  all.words.insert({{"OPTIONS", cpp_string(words)},
                    {"SOURCE", text_literal(options.source.text)},
                    {"PARAMETERS", parameters_of_opencl(signature)},
                    {"LIST", signature.list(study.launch_arguments, "{sizeof @, &@}, ")}});
  const std::string usage = fmt::format(
      "// C++17; needs CL/cl.h and a link with OpenCL.\n//\n"
      "//   const auto done = {}::{}({}queue);\n"
      "//   // done.status is OpenCL's; done.chosen says which configuration, and how it was "
      "found\n//\n",
      model.space, signature.function, signature.call());
  constexpr const char* kIncludes =
      "#include <CL/cl.h>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include "
      "<list>\n"
      "#include <mutex>\n#include <string>\n#include <vector>\n";
  return header_document(
      model, options.header,
      {usage, kIncludes, filled(embedded_text("opencl_launcher.hpp"), all), signature.names()});
}

}  // namespace tuner
