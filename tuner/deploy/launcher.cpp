// Fills the exported launcher: the source once, each variant's definitions, and the function that
// picks one.

#include "tuner/deploy/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/deploy/launcher_signature.h"

namespace tuner {
namespace {

using Definitions = std::vector<std::pair<std::string, std::string>>;

// Lists all definitions of a variant: those of the study, and which kernels are launched.
Definitions told(const LauncherVariant& variant) {
  Definitions out = variant.defines;
  out.emplace_back("TUNER_KERNEL_0", variant.entry);
  for (const auto& [place, entry] : variant.then) {
    out.emplace_back(fmt::format("TUNER_KERNEL_{}", place + 1), entry);
  }
  return out;
}

// Lists the definitions that all variants share, unless the source changes them: they are written
// once.
Definitions told_to_all(const LauncherVariants& variants, const LauncherSource& source) {
  Definitions out = told(variants.all.front());
  std::erase_if(out, [&](const auto& one) {
    const auto knows = [&](const LauncherVariant& variant) {
      const Definitions all = told(variant);
      return std::ranges::find(all, one) != all.end();
    };
    return !std::ranges::all_of(variants.all, knows) ||
           std::ranges::find(source.macros, one.first) != source.macros.end() ||
           source.text.find("undef " + one.first) != std::string::npos;
  });
  return out;
}

// The name and the text that "-DNAME=TEXT" defines; nothing of another option.
std::optional<std::pair<std::string, std::string>> definition_of(const std::string& option) {
  for (const std::string_view head : {"--define-macro=", "-D"}) {
    if (!option.starts_with(head)) continue;
    const std::string text = option.substr(head.size());
    const std::size_t equals = std::min(text.find('='), text.size());
    return std::pair{text.substr(0, equals), equals < text.size() ? text.substr(equals + 1) : "1"};
  }
  return std::nullopt;
}

std::string macro_name(const std::string& defined) { return defined.substr(0, defined.find('(')); }

// Fills in each variant's definitions. None of them stays defined behind the source.
void fill_variants(const LauncherVariants& variants, const LauncherSource& source, Filling& out) {
  const Definitions shared = told_to_all(variants, source);
  for (const auto& [name, value] : shared) {
    out.lists["SHARED"].push_back(
        {{{"NAME", name}, {"VALUE", value}, {"MACRO", macro_name(name)}}});
  }
  std::set<std::string> known;
  const auto forget = [&](const std::string& name) {
    if (known.insert(name).second) out.lists["FORGOTTEN"].push_back({{{"NAME", name}}});
  };
  forget("TUNER_VARIANT");
  for (const LauncherVariant& variant : variants.all) {
    std::vector<Filling>& all = out.lists["VARIANTS"];
    Filling one{{{"V", std::to_string(all.size())}}};
    for (const auto& definition : told(variant)) {
      if (std::ranges::find(shared, definition) != shared.end()) continue;
      one.lists["DEFINES"].push_back({{{"NAME", definition.first}, {"VALUE", definition.second}}});
      forget(macro_name(definition.first));
    }
    all.push_back(std::move(one));
  }
  std::ranges::for_each(source.macros, forget);
  out.words["VARIANTS"] = std::to_string(variants.all.size());
}

std::string same_size(const HeaderModel& model, const std::string& other) {
  const auto same = [&](const HeaderField& dim) {
    return fmt::format("{0}.{1} == problem.{1}", other, dim.name);
  };
  return model.dims.empty() ? "true" : joined(model.dims, same, " && ");
}

// Which variant a selection has.
void fill_choice(const HeaderModel& model, const LauncherVariants& variants, Filling& out) {
  for (const SizedVariant& one : variants.of_size) {
    const auto extent = [](const auto& dim) { return std::to_string(dim.second); };
    out.lists["SIZED"].push_back({{{"CONFIG", std::to_string(one.configuration)},
                                   {"EXTENTS", joined(one.size.dims, extent)},
                                   {"V", std::to_string(one.variant)}}});
  }
  const auto number = [](std::size_t variant) { return std::to_string(variant); };
  out.words["OF_CONFIGURATION"] = joined(variants.of_configuration, number);
  out.words["SAME_VARIANT"] = same_size(model, "one.size");
  out.words["SAME_SIZE"] = same_size(model, "one.problem");
}

// Constants: given in each call, or, where they are arrays, set once and kept.
void fill_constants(const HeaderModel& model, const LauncherSignature& signature, Filling& out) {
  for (const LauncherArgument& constant : signature.constants) {
    const bool is_fixed = has_fixed_shape(*constant.spec);
    Filling one{
        {{"NAME", constant.name},
         {"SYMBOL", constant.spec->name},
         {"TYPE", constant.type},
         {"N", std::to_string(out.lists["ARRAYS"].size())},
         {"IS_SCALAR", constant.spec->is_scalar ? "yes" : ""},
         // The number of elements, where that may differ.
         {"COUNT", is_fixed ? "" : "std::size_t count, "},
         {"HERE", is_fixed ? "detail::constant_bytes_" + constant.name
                           : "static_cast<std::size_t>(plan.constant_" + constant.name + ")"},
         {"BYTES", bytes_expression(model, *constant.spec)}}};
    if (!constant.spec->is_scalar) {
      if (!is_fixed) out.lists["COUNTED"].push_back(one);
      out.lists["ARRAYS"].push_back(one);
    }
    out.lists["CONSTANTS"].push_back(std::move(one));
  }
  out.words["CONSTANTS"] = std::to_string(out.lists["ARRAYS"].size());
}

void fill_launches(const Study& study, const LauncherSignature& signature, Filling& out) {
  constexpr std::string_view kAddress = "address(@), ";
  out.words["LIST"] = signature.list(study.launch_arguments, kAddress);
  for (std::size_t i = 0; i < study.then.size(); ++i) {
    out.lists["NEXT"].push_back({{{"I", std::to_string(i)},
                                  {"NUMBER", std::to_string(i + 1)},
                                  {"LIST", signature.list(study.then[i].arguments, kAddress)}}});
  }
  out.words["NEXT_COUNT"] = std::to_string(study.then.size());
  if (asks_for_attributes(study)) out.words["ATTRIBUTES"] = "yes";
}

// "const float* A, ..., cudaStream_t stream" with or without default values.
std::string parameters_of(const LauncherSignature& signature, bool with_defaults) {
  std::string out = signature.parameters();
  out += with_defaults ? "cudaStream_t stream = nullptr" : "cudaStream_t stream";
  if (!signature.has(LauncherArgument::From::kScratch)) return out;
  return out + ", const scratch_space& scratch" + (with_defaults ? " = {}" : "");
}

std::string includes_of(const Study& study) {
  std::string out = "#include <cuda_runtime.h>\n";
  std::string_view last;
  for (const TypeFacts& one : kDataTypes) {
    const bool is_used = std::ranges::count(study.arguments, one.type, &ArgumentSpec::type) > 0 ||
                         std::ranges::count(study.constants, one.type, &ArgumentSpec::type) > 0;
    if (!is_used || one.cuda_header.empty() || one.cuda_header == last) continue;
    out += fmt::format("#include <{}>\n", one.cuda_header);
    last = one.cuda_header;
  }
  return out + "#include <cstddef>\n#include <cstdint>\n";
}

// Whether neither the shell into which a command is pasted nor the one to which nvcc gives its own
// makes anything else of the text. No quotes protect from both.
bool is_harmless(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return is_word_part(c) || std::string_view("-./+=,:").find(c) != std::string_view::npos;
  });
}

// Writes how the file is compiled. Definitions that a shell might obey stand in the file instead.
void fill_command(const LauncherVariants& variants, const std::string& stem, Filling& out) {
  std::string& flags = out.words["FLAGS"];
  for (const std::string& one : variants.options) {
    if (is_harmless(one)) {
      flags += one + " ";
    } else if (const auto macro = definition_of(one)) {
      out.lists["DEFINITIONS"].push_back({{{"NAME", macro->first},
                                           {"MACRO", macro_name(macro->first)},
                                           {"VALUE", macro->second}}});
    } else {
      out.words["LEFT_OUT"] = "yes";
    }
  }
  // A study that was tuned on a CPU has no architecture for nvcc.
  const bool is_gpu = variants.architecture.starts_with("sm_");
  const std::string number = variants.architecture.substr(variants.architecture.find('_') + 1);
  flags += is_gpu ? fmt::format("-gencode arch=compute_{0},code=sm_{0}", number) : "-arch=native";
  out.words["FILE"] =
      stem + ".cu" + (is_gpu ? "" : "  (tuned on a CPU: choose your GPU's architecture)");
}

// Writes which limits the application has to set, since a device's limits are all kernels'.
std::string limits_of(const Study& study) {
  std::string out;
  const auto add = [&out](const char* name, std::uint64_t bytes) {
    if (bytes > 0) out += fmt::format("//   cudaDeviceSetLimit({}, {});\n", name, bytes);
  };
  add("cudaLimitMallocHeapSize", study.limits.heap);
  add("cudaLimitStackSize", study.limits.stack);
  add("cudaLimitPrintfFifoSize", study.limits.printf);
  if (out.empty()) return out;
  return "// Tuned with these limits of the device: set them before the first launch, or its "
         "kernels "
         "may fail.\n" +
         out + "//\n";
}

}  // namespace

LauncherFiles export_launcher(const Study& study, const TunedTable& table,
                              const LauncherOptions& options) {
  refuse_what_no_launcher_has(study);
  const HeaderModel model = header_model(study, table, "_launcher");
  const LauncherSignature signature = launcher_signature(model);
  if (!is_harmless(options.stem)) {
    reject_export(study, "the name of a launcher's file '" + options.stem +
                             ".cu' goes to nvcc, which gives it to a shell: it may have letters, "
                             "digits and '_-./+=,:' only");
  }
  const LauncherVariants variants = launcher_variants(study, table, options.source.relevant);
  const bool has_constants = options.source.text.find("__constant__") != std::string::npos;
  Filling all = signature.filling;
  all.words.insert({{"GENERATOR", options.header.generator},
                    {"KERNEL_NAME", study.kernel.name},
                    {"STEM", options.stem},
                    {"PREFIX", model.prefix},
                    {"TEXT", options.source.text},
                    {"UNVERIFIED", table.unverified},
                    {"CONSTANT_MEMORY", has_constants ? "yes" : ""},
                    {"PARAMETERS", parameters_of(signature, false)},
                    {"PARAMETERS_DECLARED", parameters_of(signature, true)},
                    {"KERNELS", std::to_string(variants.all.size() * (1 + study.then.size()))},
                    {"KERNELS_OF_ONE", std::to_string(1 + study.then.size())}});
  for (const std::string& line : options.source.headers) {
    all.lists["INCLUDES"].push_back({{{"LINE", line}}});
  }
  fill_command(variants, options.stem, all);
  fill_variants(variants, options.source, all);
  fill_choice(model, variants, all);
  fill_constants(model, signature, all);
  fill_launches(study, signature, all);
  for (const char* list : {"COMPUTED", "COUNTED", "SCRATCH", "WORKSPACES", "MAPS"}) {
    if (!all.lists[list].empty()) all.words["NAMED"] = "yes";
  }
  for (const char* list : {"WORKSPACES", "CONSTANTS"}) {
    if (!all.lists[list].empty()) all.words["CAPTURES"] = "yes";
  }
  const std::string usage = fmt::format(
                                "// C++17; belongs to {}.cu, which nvcc compiles.\n//\n"
                                "//   const auto done = {}::{}({}stream);\n"
                                "//   // done.status is CUDA's; done.chosen says which "
                                "configuration, and how it was found\n"
                                "//\n",
                                options.stem, model.space, signature.function, signature.call()) +
                            limits_of(study);
  std::vector<std::string> names = signature.names();
  names.push_back(signature.function);
  return {header_document(model, options.header,
                          {usage, includes_of(study),
                           filled(embedded_text("launcher_header.hpp"), all), names}),
          filled(embedded_text("launcher_source.hpp"), all),
          filled(embedded_text("launcher_inline.hpp"), all), !variants.of_size.empty()};
}

}  // namespace tuner
