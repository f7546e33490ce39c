// Joins the parts of the launcher in OpenCL: source, definitions of each variant, one function.

#include "tuner/codegen/opencl_launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/choice/domain_table.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"
#include "tuner/codegen/launcher_function.h"

namespace tuner {
namespace {

using From = LauncherArgument::From;

void refuse_memory_of_launchers(const Study& study) {
  for (const ArgumentSpec& one : study.arguments) {
    const bool is_own = one.role == Role::kScratch || one.role == Role::kWorkspace;
    const bool is_half = one.is_scalar && is_floating(one.type) && size_of(one.type) < 4;
    if (!is_own && !is_half && !one.map) continue;
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

// variant_of, defines_of, entry_of and source_text.
std::string kernels_text(const LauncherVariants& variants, const std::string& source) {
  std::string places;
  for (const std::size_t one : variants.of_configuration) {
    places += (places.empty() ? "" : ", ") + std::to_string(one);
  }
  std::string defines;
  std::string entries;
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    std::string text;
    for (const auto& [name, value] : variants.all[v].defines) {
      text += fmt::format("#define {} {}\n", name, value);
    }
    defines += fmt::format("    case {}: return {};\n", v, text_literal(text));
    entries += fmt::format("    case {}: return {};\n", v, cpp_string(variants.all[v].entry));
  }
  return fmt::format(
      "\nnamespace detail {{\nconstexpr int variant_of[] = {{{}}};\n"
      "inline const char* source_text() {{\n  return {};\n}}\n"
      "inline const char* defines_of(int variant) {{\n  switch (variant) {{\n{}  }}\n"
      "  return \"\";\n}}\n"
      "inline const char* entry_of(int variant) {{\n  switch (variant) {{\n{}  }}\n"
      "  return \"\";\n}}\n}}  // namespace detail\n",
      places, text_literal(source), defines, entries);
}

std::string parameters_of(const LauncherSignature& signature) {
  std::string out;
  for (const LauncherArgument& one : signature.arguments) {
    if (one.from != From::kCaller) continue;
    out += (one.spec->is_scalar ? one.type : "cl_mem") + " " + one.name + ", ";
  }
  for (const std::string& name : signature.more_sizes) out += "long long " + name + ", ";
  return out;
}

std::string sizes_of(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out;
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& dim = model.table->entries.front().size.dims[d].first;
    for (const auto& [name, value] : signature.sizes) {
      if (name != dim) continue;
      out += fmt::format("  problem.{} = static_cast<long long>({});\n", model.dims[d].name, value);
    }
  }
  return out;
}

std::string computed_of(const LauncherSignature& signature) {
  std::string out;
  int n = 0;
  for (const LauncherArgument& one : signature.arguments) {
    if (one.from != From::kComputed) continue;
    out += fmt::format(
        "  {0} {1}{{}};\n  if (!detail::number_from(detail::computed_{2}(detail::names(cfg, "
        "problem, "
        "facts)), {1})) {{\n    done.status = CL_INVALID_VALUE;\n    return done;\n  }}\n",
        one.type, one.name, n++);
  }
  return out;
}

std::string list_of(const Study& study, const LauncherSignature& signature) {
  std::vector<std::string> wanted = study.launch_arguments;
  if (wanted.empty()) {
    for (const LauncherArgument& one : signature.arguments) wanted.push_back(one.spec->name);
  }
  std::string out;
  for (const std::string& name : wanted) {
    const auto one = std::ranges::find_if(
        signature.arguments, [&](const LauncherArgument& a) { return a.spec->name == name; });
    if (one != signature.arguments.end()) out += fmt::format("{{sizeof {0}, &{0}}}, ", one->name);
  }
  return out;
}

std::string usage_of(const HeaderModel& model, const LauncherSignature& signature) {
  std::string call;
  for (const LauncherArgument& one : signature.arguments) {
    if (one.from == From::kCaller) call += one.name + ", ";
  }
  for (const std::string& name : signature.more_sizes) call += name + ", ";
  return fmt::format(
      "// C++17; needs CL/cl.h and a link with OpenCL.\n//\n"
      "//   const auto done = {}::{}({}queue);\n"
      "//   // done.status is OpenCL's; done.chosen says which configuration, and how it was "
      "found\n//\n",
      model.space, signature.function, call);
}

}  // namespace

std::string export_opencl_launcher(const Study& study, const std::vector<RankedResults>& results,
                                   const LauncherOptions& options) {
  refuse_what_no_launcher_has(study);
  refuse_memory_of_launchers(study);
  const TunedTable table = exported_table(study, results, options.header.table);
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
  std::string positive;
  for (const HeaderField& dim : model.dims) {
    positive += (positive.empty() ? "problem." : " && problem.") + dim.name + " > 0";
  }
  std::string text(kOpenClLauncherText);
  text = replaced(std::move(text), "TUNER_OPTIONS", cpp_string(words));
  text = replaced(std::move(text), "TUNER_SPACE", model.space);
  text = replaced(std::move(text), "TUNER_FUNCTION", signature.function);
  text = replaced(std::move(text), "TUNER_PARAMETERS", parameters_of(signature));
  text = replaced(std::move(text), "TUNER_SIZES", sizes_of(model, signature));
  text = replaced(std::move(text), "TUNER_COMPUTED", computed_of(signature));
  text = replaced(std::move(text), "TUNER_LIST", list_of(study, signature));
  text = replaced(std::move(text), "TUNER_POSITIVE", positive.empty() ? "true" : positive);
  constexpr std::string_view kIncludes =
      "#include <CL/cl.h>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include "
      "<list>\n"
      "#include <mutex>\n#include <string>\n#include <vector>\n";
  std::vector<std::string> names = signature.more_sizes;
  for (const LauncherArgument& one : signature.arguments) names.push_back(one.name);
  return header_document(
      model, options.header,
      {usage_of(model, signature), std::string(kIncludes),
       launcher_computations(model, signature) + kernels_text(variants, options.source.text) + text,
       names});
}

}  // namespace tuner
