// Writes how a launcher fills the constant memory of its variants.

#include "tuner/codegen/launcher_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"

namespace tuner {
namespace {

// Calls visit(constant, n) for those that are arrays, n counting them.
template <typename Visit>
void for_each_array(const LauncherSignature& signature, Visit&& visit) {
  int n = 0;
  for (const LauncherArgument& one : signature.constants) {
    if (!one.spec->is_scalar) visit(one, n++);
  }
}

// "const float* from, cudaStream_t stream", with the number of elements where that may differ.
std::string set_parameters(const LauncherArgument& one, const char* default_stream) {
  return fmt::format("const {}* from, {}cudaStream_t stream{}", one.type,
                     has_fixed_shape(*one.spec) ? "" : "std::size_t count, ", default_stream);
}

constexpr std::string_view kDeclared =
    R"txt(// Sets a constant once: calls on the current device that are given a null pointer for it use these
// values, from now until it is set again. `from` is on host or device, and read behind what is in the
// stream; the function waits until that is done. No call that uses other values may be in flight.
)txt";

constexpr std::string_view kCounted =
    R"txt(// `count`: of elements; as many as the sizes to come need, or more.
)txt";

// A graph would read the parameter when it is launched, which is gone then.
constexpr std::string_view kNotCaptured =
    R"txt(  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  failed = cudaStreamIsCapturing(stream, &capturing);
  if (failed != cudaSuccess) return failed;
  if (capturing != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
)txt";

constexpr std::string_view kReleaseDeclared =
    R"txt(// Forgets what was set, on all devices. No call may be in flight, and no graph with one be launched
// again.
cudaError_t release_constants();
)txt";

}  // namespace

std::string table_of_variants(const HeaderModel& model, std::size_t variants,
                              const std::string& type, const std::string& function) {
  std::string out = "  using function = " + type + ";\n  static constexpr function of[] = {";
  for (std::size_t v = 0; v < variants; ++v) {
    out += fmt::format("\n      {}_kernels::variant_{}::{},", model.space, v, function);
  }
  return out + "};\n";
}

std::string constant_declarations(const LauncherSignature& signature) {
  if (!signature.keeps_constants()) return {};
  std::string functions;
  bool is_counted = false;
  for_each_array(signature, [&](const LauncherArgument& one, int) {
    is_counted = is_counted || !has_fixed_shape(*one.spec);
    functions +=
        fmt::format("cudaError_t set_{}({});\n", one.name, set_parameters(one, " = nullptr"));
  });
  return std::string(kDeclared) + (is_counted ? std::string(kCounted) : "") + functions +
         std::string(kReleaseDeclared);
}

std::string constant_numbers(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out;
  for_each_array(signature, [&](const LauncherArgument& one, int) {
    const std::string bytes = bytes_expression(model, *one.spec);
    out += fmt::format(fmt::runtime(has_fixed_shape(*one.spec)
                                        ? "constexpr std::size_t constant_bytes_{} =\n"
                                          "    static_cast<std::size_t>(({}).i);\n"
                                        : "constexpr num constant_bytes_{}(const names& n) {{\n"
                                          "  static_cast<void>(n);\n  return {};\n}}\n"),
                       one.name, bytes);
  });
  if (out.empty()) return out;
  return "\nnamespace " + model.space + " {\nnamespace detail {\n" + out +
         "}  // namespace detail\n}  // namespace " + model.space + "\n";
}

std::string constant_functions(const HeaderModel& model, const LauncherSignature& signature,
                               std::size_t variants) {
  std::string out;
  for (const LauncherArgument& one : signature.constants) {
    out += fmt::format(
        "cudaError_t put_{}(int variant, const void* from, std::size_t bytes, cudaStream_t stream) "
        "{{\n  void* place = nullptr;\n{}  cudaError_t failed = cudaSuccess;\n",
        one.name,
        table_of_variants(model, variants, "cudaError_t (*)(std::size_t, void**)",
                          "tuner_place_of_" + one.name));
    if (one.spec->is_scalar) out += kNotCaptured;
    // A copy to a symbol cannot be captured, and finding its place may load a module.
    out +=
        "  {\n    const outside_of_captures here;\n    failed = of[variant](bytes, &place);\n  }\n"
        "  if (failed != cudaSuccess) return failed;\n"
        "  return cudaMemcpyAsync(place, from, bytes, cudaMemcpyDefault, stream);\n}\n";
  }
  if (!signature.keeps_constants()) return out;
  int arrays = 0;
  for_each_array(signature, [&](const LauncherArgument&, int) { ++arrays; });
  std::string text(kLauncherConstantsText);
  text = replaced(std::move(text), "TUNER_VARIANTS", std::to_string(variants));
  return out + "\n" + replaced(std::move(text), "TUNER_CONSTANTS", std::to_string(arrays));
}

std::string set_constants(const LauncherSignature& signature) {
  std::string out;
  int arrays = 0;
  for (const LauncherArgument& one : signature.constants) {
    if (one.spec->is_scalar) {
      out += fmt::format("  done.status = put_{0}(variant, &{0}, sizeof {0}, stream);\n", one.name);
    } else {
      const std::string bytes = has_fixed_shape(*one.spec)
                                    ? "detail::constant_bytes_" + one.name
                                    : "static_cast<std::size_t>(plan.constant_" + one.name + ")";
      out += fmt::format(
          "  done.status =\n      set_constant(kept_on(state->number).of[{0}], put_{1}, variant, "
          "{1},\n                   {2}, stream);\n",
          arrays++, one.name, bytes);
    }
    out += "  if (done.status != cudaSuccess) return done;\n";
  }
  return out;
}

std::string set_functions(const LauncherSignature& signature) {
  std::string out;
  for_each_array(signature, [&](const LauncherArgument& one, int n) {
    out += fmt::format("cudaError_t set_{}({}) {{\n", one.name, set_parameters(one, ""));
    if (has_fixed_shape(*one.spec)) {
      out += fmt::format(
          "  return keep_constant({}, from, detail::constant_bytes_{}, stream);\n}}\n\n", n,
          one.name);
      return;
    }
    // The bytes of a count beyond `most` would wrap around to few.
    out += fmt::format(
        "  constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof *from;\n"
        "  if (count > most) return cudaErrorInvalidValue;\n"
        "  return keep_constant({}, from, count * sizeof *from, stream);\n}}\n\n",
        n);
  });
  if (out.empty()) return out;
  return out + "cudaError_t release_constants() { return release_kept(); }\n\n";
}

}  // namespace tuner
