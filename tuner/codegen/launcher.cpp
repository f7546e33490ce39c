// Joins the parts of the exported launcher, with one region for each variant.

#include "tuner/codegen/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
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

// The variant's text in a namespace of its own, with nothing left defined behind it.
std::string region(const LauncherVariant& variant, std::size_t number, const LauncherSource& source,
                   const LauncherSignature& signature) {
  std::string out = fmt::format("\n// ---- variant {} ----\n", number);
  std::string undefines;
  for (const auto& [name, value] : variant.defines) {
    out += fmt::format("#define {} {}\n", name, value);
    undefines += "#undef " + name.substr(0, name.find('(')) + "\n";
  }
  out += fmt::format("namespace variant_{} {{\n{}\n", number, source.text);
  const auto address_function = [&](const std::string& name, const std::string& entry) {
    out += fmt::format(
        "inline const void* {}() {{\n  auto* const entry = &{};\n"
        "  return reinterpret_cast<const void*>(entry);\n}}\n",
        name, entry);
  };
  address_function("tuner_kernel", variant.entry);
  for (const auto& [place, entry] : variant.then) {
    address_function(fmt::format("tuner_next_kernel_{}", place), entry);
  }
  for (const LauncherArgument& one : signature.constants) {
    out += fmt::format(
        "inline cudaError_t tuner_place_of_{0}(std::size_t bytes, void** place) {{\n"
        "  return bytes <= sizeof {1} ? cudaGetSymbolAddress(place, {1}) : cudaErrorInvalidValue;\n"
        "}}\n",
        one.name, one.spec->name);
  }
  out += fmt::format("}}  // namespace variant_{}\n", number);
  for (const std::string& name : source.macros) out += "#undef " + name + "\n";
  return out + undefines;
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
  out += R"txt(// cudaErrorInvalidConfiguration: no configuration can run this size on this device.
struct launched {
  cudaError_t status;
  selection chosen;
};
)txt";
  return out + fmt::format("launched {}({});\n", signature.function, signature.parameters(true));
}

LauncherKernels kernels_of(const LauncherVariants& variants) {
  LauncherKernels out{variants.of_configuration, {}};
  for (const LauncherVariant& one : variants.all) {
    std::vector<std::size_t>& next = out.next.emplace_back();
    for (const auto& [place, entry] : one.then) next.push_back(place);
  }
  return out;
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
      "//   nvcc -std=c++17 {}{} -c {}{}\n#include "
      "\"{}.hpp\"\n\n{}#include <map>\n{}"
      "#include <mutex>\n#include <type_traits>\n{}",
      options.header.generator, study.kernel.name, variants.all.size(), flags, target,
      shell_word(options.stem + ".cu"),
      is_gpu ? "" : "  (tuned on a CPU: choose your GPU's architecture)", options.stem,
      signature.has_workspaces ? "#include <algorithm>\n#include <array>\n#include <iterator>\n"
                               : "",
      signature.has_workspaces ? "#include <memory>\n" : "",
      signature.has_workspaces ? "#include <vector>\n" : "");
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
  for (std::size_t v = 0; v < variants.all.size(); ++v) {
    files.source += region(variants.all[v], v, options.source, signature);
  }
  files.source += "}  // namespace " + model.space + "_kernels\n#pragma nv_diag_default 177\n";
  if (has_constants) files.source += "#pragma pop_macro(\"__constant__\")\n";
  files.source += launcher_function(model, signature, kernels_of(variants));
  return files;
}

}  // namespace tuner
