// Writes the function that picks a variant and launches it.

#include "tuner/exporters/launcher_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tuner/exporters/cpp_text.h"
#include "tuner/exporters/embedded_text.h"

namespace tuner {
namespace {

// Bytes of a buffer with this shape, as a `num` expression; a failure where it has none.
std::string bytes_expression(const HeaderModel& model, const ArgumentSpec& spec) {
  std::string text = fmt::format("num({})", size_of(spec.type));
  for (const Expression& one : spec.shape) text += " * " + model.expression(one);
  return text;
}

// What a variant's constants are set from.
std::string constants_function(const HeaderModel& model, const LauncherSignature& signature,
                               std::size_t variants) {
  std::string out;
  for (const LauncherArgument& one : signature.constants) {
    out += fmt::format(
        "cudaError_t set_{}(int variant, const void* from, std::size_t bytes, cudaStream_t stream) "
        "{{\n  switch (variant) {{\n",
        one.name);
    for (std::size_t v = 0; v < variants; ++v) {
      out += fmt::format(
          "    case {}: return {}_kernels::variant_{}::tuner_set_{}(from, bytes, stream);\n", v,
          model.space, v, one.name);
    }
    out += "  }\n  return cudaErrorInvalidValue;\n}\n";
  }
  return out;
}

// Declares the local variables that are not the caller's, in the kernel's order.
std::string locals(const LauncherSignature& signature) {
  std::string out;
  int scratch = 0;
  int computed = 0;
  for (const auto* list : {&signature.arguments, &signature.constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from == LauncherArgument::From::kScratch) {
        out += fmt::format("  void* {} = words.take(detail::scratch_{}(names).i);\n", one.name,
                           scratch++);
      } else if (one.from == LauncherArgument::From::kComputed) {
        out += fmt::format(
            "  {} {}{{}};\n  if (!number_from(detail::computed_{}(names), {})) {{\n"
            "    done.status = cudaErrorInvalidValue;\n    return done;\n  }}\n",
            one.type, one.name, computed++, one.name);
      }
    }
  }
  return out;
}

std::string set_constants(const LauncherSignature& signature) {
  std::string out;
  for (const LauncherArgument& one : signature.constants) {
    const std::string from = one.spec->is_scalar ? "&" + one.name : one.name;
    const std::string bytes =
        one.spec->is_scalar
            ? "sizeof " + one.name
            : "static_cast<std::size_t>(detail::constant_bytes_" + one.name + "(names).i)";
    out += fmt::format(
        "  done.status = set_{}(variant, {}, {}, stream);\n"
        "  if (done.status != cudaSuccess) return done;\n",
        one.name, from, bytes);
  }
  return out;
}

std::string constant_bytes(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out;
  for (const LauncherArgument& one : signature.constants) {
    if (one.spec->is_scalar) continue;
    out += fmt::format(
        "constexpr num constant_bytes_{}(const names& n) {{\n  static_cast<void>(n);\n"
        "  return {};\n}}\n",
        one.name, bytes_expression(model, *one.spec));
  }
  if (out.empty()) return out;
  return "\nnamespace " + model.space + " {\nnamespace detail {\n" + out +
         "}  // namespace detail\n}  // namespace " + model.space + "\n";
}

std::string kernel_table(const HeaderModel& model, const LauncherKernels& kernels) {
  const std::vector<std::size_t>& variant_of = kernels.variant_of_configuration;
  std::string out =
      "// Configurations that differ in how they are launched only share a variant.\n";
  out += "constexpr int variant_of[] = {";
  for (std::size_t c = 0; c < variant_of.size(); ++c) {
    out += fmt::format("{}{}", c > 0 ? ", " : "", variant_of[c]);
  }
  out += "};\n\nconst void* kernel_of(int variant) {\n  switch (variant) {\n";
  for (std::size_t v = 0; v < kernels.next.size(); ++v) {
    out += fmt::format("    case {}: return {}_kernels::variant_{}::tuner_kernel();\n", v,
                       model.space, v);
  }
  out += "  }\n  return nullptr;\n}\n\n";
  const std::size_t count = model.study->then.size();
  if (count == 0) return out;
  out += fmt::format(
      "const void* next_kernel_of(int variant, int which) {{\n  switch (variant * {} + which) {{\n",
      count);
  for (std::size_t v = 0; v < kernels.next.size(); ++v) {
    for (const std::size_t i : kernels.next[v]) {
      out += fmt::format("    case {}: return {}_kernels::variant_{}::tuner_next_kernel_{}();\n",
                         v * count + i, model.space, v, i);
    }
  }
  return out + "    default: return nullptr;\n  }\n}\n\n";
}

constexpr std::string_view kLaunch =
    R"txt(  done.status = put_in_stream(*state, variant, kernel_of(variant),
                              grid_of(done.chosen.cfg, problem, facts),
                              block_of(done.chosen.cfg, problem, facts),
                              dynamic_shared_bytes_of(done.chosen.cfg, problem, facts), list,
                              stream);
)txt";

// @I@: place in study.then, @NUMBER@: of its kernel, @LIST@: addresses of its arguments.
constexpr std::string_view kNextLaunch =
    R"txt(  if (const next_launch next = next_launch_of(@I@, done.chosen.cfg, problem, facts);
      done.status == cudaSuccess && next.takes_part) {
    void* next_list[] = {@LIST@nullptr};
    done.status = put_in_stream(*state, @NUMBER@, next_kernel_of(variant, @I@), next.grid,
                                next.block, next.dynamic_shared_bytes, next_list, stream);
  }
)txt";

std::string addresses(const LauncherSignature& signature, const std::vector<std::string>& wanted) {
  std::string out;
  for (const std::string& name : wanted) {
    const auto one = std::ranges::find_if(
        signature.arguments, [&](const LauncherArgument& a) { return a.spec->name == name; });
    if (one != signature.arguments.end()) out += fmt::format("address({}), ", one->name);
  }
  return out;
}

std::string launches(const HeaderModel& model, const LauncherSignature& signature,
                     std::size_t variants) {
  std::vector<std::string> all;
  for (const LauncherArgument& one : signature.arguments) all.push_back(one.spec->name);
  std::string out = "  void* list[] = {" + addresses(signature, all) + "nullptr};\n";
  out += kLaunch;
  const std::vector<NextLaunchSpec>& then = model.study->then;
  for (std::size_t i = 0; i < then.size(); ++i) {
    const std::vector<std::string>& own = then[i].arguments;
    std::string text = replaced(std::string(kNextLaunch), "@I@", std::to_string(i));
    text = replaced(std::move(text), "@NUMBER@",
                    fmt::format("{} + variant * {}", variants + i, then.size()));
    out += replaced(std::move(text), "@LIST@", addresses(signature, own.empty() ? all : own));
  }
  return out + "  return done;\n}\n\n";
}

}  // namespace

std::string launcher_computations(const HeaderModel& model, const LauncherSignature& signature) {
  std::string detail;
  std::string total;
  int scratch = 0;
  int computed = 0;
  for (const auto* list : {&signature.arguments, &signature.constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from == LauncherArgument::From::kScratch) {
        detail += fmt::format(
            "// {}: bytes, rounded up so that what follows is aligned.\n"
            "TUNER_FN num scratch_{}(const names& n) {{\n  static_cast<void>(n);\n"
            "  return ceil_div({}, num(256)) * num(256);\n}}\n",
            cpp_identifier(one.spec->name), scratch, bytes_expression(model, *one.spec));
        total += fmt::format("{}detail::scratch_{}(n)", total.empty() ? "" : " + ", scratch);
        ++scratch;
      } else if (one.from == LauncherArgument::From::kComputed) {
        detail += fmt::format(
            "TUNER_FN num computed_{}(const names& n) {{  // {}\n  return {};\n}}\n", computed++,
            cpp_identifier(one.spec->name), model.expression(one.spec->value));
      }
    }
  }
  std::string out =
      detail.empty() ? "" : "namespace detail {\n" + detail + "}  // namespace detail\n";
  if (signature.has_scratch) {
    out +=
        "// Bytes of scratch memory that a configuration needs; -1: no value here.\n"
        "TUNER_FN long long scratch_bytes_of(const config& c, const dims& d, const device& v) {\n"
        "  const detail::names n(c, d, v);\n  const detail::num bytes = " +
        total + ";\n  return bytes.k == detail::kind::integer && bytes.i >= 0 ? bytes.i : -1;\n}\n";
  }
  return out;
}

std::string launcher_function(const HeaderModel& model, const LauncherSignature& signature,
                              const LauncherKernels& kernels) {
  const std::size_t variants = kernels.next.size();
  std::string out = constant_bytes(model, signature);
  out += "\n" +
         replaced(replaced(std::string(kLauncherStateText), "TUNER_SPACE", model.space),
                  "TUNER_KERNELS", std::to_string(variants * (1 + model.study->then.size()))) +
         "\n";
  if (signature.has_scratch) out += std::string(kLauncherScratchText) + "\n";
  if (signature.has_computed()) out += std::string(kLauncherNumberText) + "\n";
  out += kernel_table(model, kernels);
  out += constants_function(model, signature, variants);
  out += fmt::format("}}  // namespace\n\nlaunched {}({}) {{\n", signature.function,
                     signature.parameters(false));
  out +=
      "  launched done{};\n  device_state* state = nullptr;\n"
      "  done.status = current_device(state);\n  if (done.status != cudaSuccess) return done;\n"
      "  dims problem;\n";
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& dim = model.table->entries.front().size.dims[d].first;
    for (const auto& [name, value] : signature.sizes) {
      if (name == dim) {
        out +=
            fmt::format("  problem.{} = static_cast<long long>({});\n", model.dims[d].name, value);
      }
    }
  }
  out +=
      "  const device facts = device_from(state->properties);\n"
      "  done.chosen = select(facts, problem);\n"
      "  if (!(@POSITIVE@) || !valid(done.chosen.cfg, problem, facts)) {\n    done.status = "
      "done.chosen.how == "
      "match::unsupported ? cudaErrorInvalidConfiguration\n"
      "                                                       : cudaErrorInvalidValue;\n"
      "    return done;\n  }\n"
      "  const int variant = variant_of[done.chosen.config_id];\n"
      "  const detail::names names(done.chosen.cfg, problem, facts);\n"
      "  static_cast<void>(names);\n";
  std::string positive;
  for (const HeaderField& dim : model.dims) {
    positive += (positive.empty() ? "problem." : " && problem.") + dim.name + " > 0";
  }
  out = replaced(std::move(out), "@POSITIVE@", positive.empty() ? "true" : positive);
  if (signature.has_scratch) {
    out +=
        "  const long long needed = scratch_bytes_of(done.chosen.cfg, problem, facts);\n"
        "  scratch_memory words(stream);\n"
        "  done.status = needed < 0 ? cudaErrorInvalidValue\n"
        "                          : words.get(scratch.data, scratch.bytes, scratch.zeroed,\n"
        "                                      static_cast<std::size_t>(needed));\n"
        "  if (done.status != cudaSuccess) return done;\n";
  }
  out += locals(signature);
  out += set_constants(signature);
  out += launches(model, signature, variants);
  return out + "}  // namespace " + model.space + "\n";
}

}  // namespace tuner
