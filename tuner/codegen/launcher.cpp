// Joins the parts of the exported launcher: the source once, and what each variant is told.

#include "tuner/codegen/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/choice/domain_table.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/launcher_constants.h"
#include "tuner/codegen/launcher_function.h"
#include "tuner/codegen/launcher_variants.h"

namespace tuner {
namespace {

// In a run each variant is a program of its own, whose constants begin the constant memory.
constexpr const char* kAlignConstants =
    R"txt(// Constants of several variants follow one another in memory: aligned, vectors of them can be read.
#pragma push_macro("__constant__")
#undef __constant__
#define __constant__ __location__(constant) __align__(16)
)txt";

using Definitions = std::vector<std::pair<std::string, std::string>>;

// All that a variant is told: by the study, and which kernels are launched.
Definitions told(const LauncherVariant& variant) {
  Definitions out = variant.defines;
  out.emplace_back("TUNER_KERNEL_0", variant.entry);
  for (const auto& [place, entry] : variant.then) {
    out.emplace_back(fmt::format("TUNER_KERNEL_{}", place + 1), entry);
  }
  return out;
}

// What all variants are told, as far as the source leaves it defined: it is said once.
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

std::string macro_name(const std::string& defined) { return defined.substr(0, defined.find('(')); }

// Each variant: what it is told, and the source, which is written once.
std::string variants_text(const LauncherVariants& variants, const Definitions& shared,
                          const std::string& stem) {
  std::string out;
  std::string forgotten = "\n";
  for (const auto& [name, value] : shared) {
    out += fmt::format("#define {} {}\n", name, value);
    forgotten += "#undef " + macro_name(name) + "\n";
  }
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    out += fmt::format("\n#define TUNER_VARIANT variant_{}\n", v);
    for (const auto& one : told(variants.all[v])) {
      if (std::ranges::find(shared, one) != shared.end()) continue;
      out += fmt::format("#define {} {}\n", one.first, one.second);
    }
    out += "#include \"" + stem + ".inl\"\n";
  }
  return out + forgotten;
}

constexpr const char* kKernel =
    "    case @I@: {\n      auto* const entry = &TUNER_KERNEL_@I@;\n"
    "      return reinterpret_cast<const void*>(entry);\n    }\n";

// The source in a namespace of its own, where its kernels are, and nothing left defined behind it.
std::string source_once(const Study& study, const LauncherVariants& variants,
                        const LauncherSource& source, const LauncherSignature& signature,
                        const Definitions& shared) {
  std::string out = "namespace TUNER_VARIANT {\n" + source.text +
                    "\ninline const void* tuner_kernel(int which) {\n  switch (which) {\n" +
                    replaced(kKernel, "@I@", "0");
  for (std::size_t i = 1; i <= study.then.size(); ++i) {
    out += replaced("#ifdef TUNER_KERNEL_@I@\n" + std::string(kKernel) + "#endif\n", "@I@",
                    std::to_string(i));
  }
  out += "    default: return nullptr;\n  }\n}\n";
  for (const LauncherArgument& one : signature.constants) {
    out += fmt::format(
        "inline cudaError_t tuner_place_of_{0}(std::size_t bytes, void** place) {{\n"
        "  return bytes <= sizeof {1} ? cudaGetSymbolAddress(place, {1}) : cudaErrorInvalidValue;\n"
        "}}\n",
        one.name, one.spec->name);
  }
  out += "}  // namespace TUNER_VARIANT\n";
  std::vector<std::string> names{"TUNER_VARIANT"};
  for (const LauncherVariant& variant : variants.all) {
    for (const auto& one : told(variant)) {
      if (std::ranges::find(shared, one) == shared.end()) names.push_back(macro_name(one.first));
    }
  }
  names.insert(names.end(), source.macros.begin(), source.macros.end());
  std::set<std::string> known;
  for (const std::string& name : names) {
    if (known.insert(name).second) out += "#undef " + name + "\n";
  }
  return out;
}

std::string usage(const HeaderModel& model, const LauncherSignature& signature,
                  const std::string& stem) {
  std::string call;
  for (const auto* list : {&signature.arguments, &signature.constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from == LauncherArgument::From::kCaller) call += one.name + ", ";
    }
  }
  for (const std::string& name : signature.more_sizes) call += name + ", ";
  return fmt::format(
      "// C++17; belongs to {}.cu, which nvcc compiles.\n//\n"
      "//   const auto done = {}::{}({}stream);\n"
      "//   // done.status is CUDA's; done.chosen says which configuration, and how it was found\n"
      "//\n",
      stem, model.space, signature.function, call);
}

std::string includes_of(const Study& study) {
  std::string out = "#include <cuda_runtime.h>\n";
  const auto uses = [&](DataType type) {
    const auto is = [&](const ArgumentSpec& one) { return one.type == type; };
    return std::ranges::any_of(study.arguments, is) || std::ranges::any_of(study.constants, is);
  };
  if (uses(DataType::kFloat16)) out += "#include <cuda_fp16.h>\n";
  if (uses(DataType::kBFloat16)) out += "#include <cuda_bf16.h>\n";
  if (uses(DataType::kFloat8E4M3) || uses(DataType::kFloat8E5M2)) out += "#include <cuda_fp8.h>\n";
  return out + "#include <cstddef>\n#include <cstdint>\n";
}

std::vector<std::string> names_in(const LauncherSignature& signature) {
  std::vector<std::string> names = signature.more_sizes;
  names.push_back(signature.function);
  for (const auto* list : {&signature.arguments, &signature.constants}) {
    for (const LauncherArgument& one : *list) names.push_back(one.name);
  }
  return names;
}

std::string declarations(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out = launcher_computations(model, signature);
  if (signature.has_scratch) {
    out +=
        R"txt(// Scratch memory of the caller's: scratch_bytes_of(...) bytes, aligned to 256. Without any, each call
// allocates its own in the stream. It is zeroed before the launch, unless `zeroed` vouches that it
// is zero already (kernels that leave it so need it once).
struct scratch_space {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool zeroed = false;
};
)txt";
  }
  if (signature.has_workspaces) {
    out +=
        R"txt(// The kernel's workspaces are no parameters: each stream has its own, made by the first call that
// needs it, and so has each capture of a stream in a graph. They stay until they are released: those
// of one stream of the current device, or all. Nothing may use them any more: wait for the stream,
// and launch no graph that holds such a call. Before a stream is destroyed, release its workspace.
cudaError_t release_workspaces(cudaStream_t stream);
cudaError_t release_workspaces();
)txt";
  }
  out += constant_declarations(signature);
  out += R"txt(// What a call came to. cudaSuccess: the work is in the stream.
// cudaErrorInvalidValue: a size that is not positive, too little scratch memory)txt";
  out += signature.keeps_constants() ? ", a null pointer for a\n// constant that was not set.\n"
                                     : ".\n";
  out +=
      R"txt(// cudaErrorInvalidConfiguration: no configuration can run this size on this device, or it is none
// of those that were tuned and the kernel is compiled for each.
struct launched {
  cudaError_t status;
  selection chosen;
};
)txt";
  return out + fmt::format("launched {}({});\n", signature.function, signature.parameters(true));
}

}  // namespace

LauncherFiles export_launcher(const Study& study, const std::vector<RankedResults>& results,
                              const LauncherOptions& options) {
  refuse_what_no_launcher_has(study);
  const TunedTable table = exported_table(study, results, options.header.table);
  const HeaderModel model = header_model(study, table, "_launcher");
  const LauncherSignature signature = launcher_signature(model);
  const LauncherVariants variants = launcher_variants(study, table, options.source.relevant);
  LauncherFiles files;
  files.header = header_document(model, options.header,
                                 {usage(model, signature, options.stem), includes_of(study),
                                  declarations(model, signature), names_in(signature)});
  std::string flags;
  for (const std::string& one : variants.options) flags += shell_word(one) + " ";
  // What was tuned on a CPU has no architecture of nvcc's.
  const bool is_gpu = variants.architecture.starts_with("sm_");
  const std::string number = variants.architecture.substr(variants.architecture.find('_') + 1);
  const std::string target =
      is_gpu ? fmt::format("-gencode arch=compute_{0},code=sm_{0}", number) : "-arch=native";
  files.source = fmt::format(
      "// Made by {}; do not edit. The kernel {} in {} variants; compile with\n"
      "//   nvcc -std=c++17 {}{} -c {}{}\n#include \"{}.hpp\"\n\n"
      "#include <cstdio>\n#include <map>\n#include <mutex>\n#include <type_traits>\n{}",
      options.header.generator, study.kernel.name, variants.all.size(), flags, target,
      shell_word(options.stem + ".cu"),
      is_gpu ? "" : "  (tuned on a CPU: choose your GPU's architecture)", options.stem,
      signature.has_workspaces ? "#include <algorithm>\n#include <array>\n#include <iterator>\n"
                                 "#include <memory>\n#include <vector>\n"
                               : "");
  if (signature.has_maps) files.source += "#include <cuda.h>\n";
  if (!table.unverified.empty()) {
    files.source += "// WARNING, not verified: see " + options.stem + ".hpp\n";
  }
  for (const std::string& line : options.source.headers) files.source += line + "\n";
  // Not within the header's namespace, whose names are not the kernel's.
  files.source +=
      "\n#pragma nv_diag_suppress 177  // a variant does not use all that its source has\n";
  const bool has_constants = options.source.text.find("__constant__") != std::string::npos;
  if (has_constants) files.source += kAlignConstants;
  files.source += "namespace " + model.space + "_kernels {\n";
  const Definitions shared = told_to_all(variants, options.source);
  files.source += variants_text(variants, shared, options.stem);
  files.source += "}  // namespace " + model.space + "_kernels\n#pragma nv_diag_default 177\n";
  if (has_constants) files.source += "#pragma pop_macro(\"__constant__\")\n";
  files.source += launcher_function(model, signature, variants);
  files.text = fmt::format(
      "// Made by {}; do not edit. The kernel {}: {}.cu includes this once for each variant.\n{}",
      options.header.generator, study.kernel.name, options.stem,
      source_once(study, variants, options.source, signature, shared));
  return files;
}

}  // namespace tuner
