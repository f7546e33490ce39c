// Writes the function that picks a variant and launches it.

#include "tuner/codegen/launcher_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"
#include "tuner/codegen/launcher_constants.h"
#include "tuner/codegen/launcher_maps.h"

namespace tuner {
namespace {

using From = LauncherArgument::From;

// Calls visit(argument, n) for those that come from `from`, n counting them.
template <typename Visit>
void for_each_from(const LauncherSignature& signature, From from, Visit&& visit) {
  int n = 0;
  for (const auto* list : {&signature.arguments, &signature.constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from == from) visit(one, n++);
    }
  }
}

// Of a workspace: which of the two kinds of memory it is in.
const char* memory_of(const LauncherArgument& one) {
  return one.spec->zero == Zero::kOnce ? "clean" : "other";
}

// Declares the local variables that are not the caller's.
std::string locals(const LauncherSignature& signature) {
  std::string out;
  for_each_from(signature, From::kScratch, [&](const LauncherArgument& one, int n) {
    out += fmt::format("  void* {} = words.take(plan.scratch_{});\n", one.name, n);
  });
  for_each_from(signature, From::kWorkspace, [&](const LauncherArgument& one, int n) {
    out += fmt::format("  void* {} = held.take(held.{}, plan.workspace_{});\n", one.name,
                       memory_of(one), n);
    if (one.spec->zero != Zero::kEach) return;
    out += fmt::format(
        "  done.status =\n      cudaMemsetAsync({}, 0, "
        "static_cast<std::size_t>(plan.workspace_{}), stream);\n"
        "  if (done.status != cudaSuccess) return done;\n",
        one.name, n);
  });
  for_each_from(signature, From::kComputed, [&](const LauncherArgument& one, int n) {
    out += fmt::format("  {} {} = plan.computed_{};\n", one.type, one.name, n);
  });
  for_each_from(signature, From::kMap,
                [&](const LauncherArgument& one, int n) { out += map_local(signature, one, n); });
  return out;
}

std::string same_size(const HeaderModel& model, const std::string& other) {
  std::string out;
  for (const HeaderField& dim : model.dims) {
    out += fmt::format("{0}{1}.{2} == problem.{2}", out.empty() ? "" : " && ", other, dim.name);
  }
  return out.empty() ? "true" : out;
}

std::string numbers_of(const std::vector<std::size_t>& all) {
  return fmt::format("{}", fmt::join(all, ", "));
}

// Which variant a selection has, and where its kernels are.
std::string kernel_table(const HeaderModel& model, const LauncherVariants& variants) {
  std::string out;
  if (variants.of_size.empty()) {
    out += fmt::format(
        "// Configurations that differ in how they are launched only share a variant.\n"
        "constexpr int variant_of[] = {{{}}};\n"
        "int variant_for(const selection& chosen, const dims&) {{\n"
        "  return variant_of[chosen.config_id];\n}}\n\n",
        numbers_of(variants.of_configuration));
  } else {
    out +=
        "// The kernel is compiled for each size that was tuned.\nstruct sized_variant {\n"
        "  int config_id;\n  dims size;\n  int variant;\n};\n"
        "constexpr sized_variant sized_variants[] = {\n";
    for (const SizedVariant& one : variants.of_size) {
      std::string extents;
      for (const auto& [name, extent] : one.size.dims) extents += std::to_string(extent) + ", ";
      out += fmt::format("    {{{}, {{{}}}, {}}},\n", one.configuration,
                         extents.substr(0, extents.size() - 2), one.variant);
    }
    out +=
        "};\n// -1: none.\nint variant_for(const selection& chosen, const dims& problem) {\n"
        "  for (const sized_variant& one : sized_variants) {\n"
        "    if (one.config_id == chosen.config_id && " +
        same_size(model, "one.size") + ") return one.variant;\n  }\n  return -1;\n}\n\n";
  }
  return out + "const void* kernel_of(int variant, int which) {\n" +
         table_of_variants(model, variants.all.size(), "const void* (*)(int)", "tuner_kernel") +
         "  return of[variant](which);\n}\n\n";
}

constexpr std::string_view kLaunch =
    R"txt(  done.status = put_in_stream(*state, variant * @KERNELS@, kernel_of(variant, 0), plan.grid,
                              plan.block, plan.shared, @PLAN@list, stream);
)txt";

// @I@: place in study.then, @NUMBER@: among the variant's kernels; @LIST@: addresses of its
// arguments.
constexpr std::string_view kNextLaunch =
    R"txt(  if (const next_launch& next = plan.next[@I@];
      done.status == cudaSuccess && next.takes_part) {
    void* next_list[] = {@LIST@nullptr};
    done.status = put_in_stream(*state, variant * @KERNELS@ + @NUMBER@,
                                kernel_of(variant, @NUMBER@), next.grid, next.block,
                                next.dynamic_shared_bytes, @NEXT@next_list, stream);
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

std::string launches(const HeaderModel& model, const LauncherSignature& signature) {
  std::vector<std::string> all;
  for (const LauncherArgument& one : signature.arguments) all.push_back(one.spec->name);
  const std::vector<std::string>& first = model.study->launch_arguments;
  std::string out =
      "  void* list[] = {" + addresses(signature, first.empty() ? all : first) + "nullptr};\n";
  const bool more = asks_for_attributes(*model.study);
  out += replaced(std::string(kLaunch), "@PLAN@", more ? "plan.attributes, " : "");
  const std::vector<NextLaunchSpec>& then = model.study->then;
  if (signature.has_workspaces) out += "  const bool begun = done.status == cudaSuccess;\n";
  for (std::size_t i = 0; i < then.size(); ++i) {
    const std::vector<std::string>& own = then[i].arguments;
    std::string text = replaced(std::string(kNextLaunch), "@I@", std::to_string(i));
    text = replaced(std::move(text), "@NEXT@", more ? "next.attributes, " : "");
    text = replaced(std::move(text), "@NUMBER@", std::to_string(i + 1));
    out += replaced(std::move(text), "@LIST@", addresses(signature, own.empty() ? all : own));
  }
  if (signature.has_workspaces) out += "  if (begun && done.status != cudaSuccess) held.spoil();\n";
  return replaced(std::move(out), "@KERNELS@", std::to_string(then.size() + 1)) +
         "  return done;\n}\n\n";
}

// What a launch_plan keeps besides, and how it comes to it.
struct PlanParts {
  std::string members;
  std::string steps;
};

PlanParts plan_parts(const HeaderModel& model, const LauncherSignature& signature) {
  PlanParts out;
  const auto add = [&](const std::string& type, const std::string& name, const std::string& step) {
    out.members += "  " + type + " " + name + ";\n";
    out.steps += "  " + step + ";\n";
  };
  const auto bytes = [&](const std::string& name, const std::string& of) {
    add("long long", name + " = 0", fmt::format("plan.{} = detail::{}(names).i", name, of));
  };
  for_each_from(signature, From::kComputed, [&](const LauncherArgument& one, int n) {
    add(one.type, fmt::format("computed_{}{{}}", n),
        fmt::format("if (!number_from(detail::computed_{0}(names), plan.computed_{0})) "
                    "plan.status = cudaErrorInvalidValue",
                    n));
  });
  for (const LauncherArgument& one : signature.constants) {
    if (one.spec->is_scalar || has_fixed_shape(*one.spec)) continue;
    bytes("constant_" + one.name, "constant_bytes_" + one.name);
  }
  for_each_from(signature, From::kScratch, [&](const LauncherArgument&, int n) {
    bytes(fmt::format("scratch_{}", n), fmt::format("scratch_{}", n));
  });
  for_each_from(signature, From::kWorkspace, [&](const LauncherArgument&, int n) {
    bytes(fmt::format("workspace_{}", n), fmt::format("workspace_{}", n));
  });
  for_each_from(signature, From::kMap, [&](const LauncherArgument&, int n) {
    add("matrix_map", fmt::format("map_{}", n), map_step(n));
  });
  if (!out.steps.empty()) {
    out.steps = "  const detail::names names(cfg, problem, facts);\n" + out.steps;
  }
  const auto total = [&](const std::string& name, const std::string& value) {
    add("long long", name + " = 0", fmt::format("plan.{} = {}", name, value));
    out.steps += fmt::format("  if (plan.{} < 0) plan.status = cudaErrorInvalidValue;\n", name);
  };
  if (signature.has_scratch) total("scratch", "scratch_bytes_of(cfg, problem, facts)");
  if (signature.has_workspaces) {
    total("clean", "detail::clean_bytes(names)");
    total("other", "detail::other_bytes(names)");
  }
  if (asks_for_attributes(*model.study)) {
    add("launch_attributes", "attributes{}",
        "plan.attributes = attributes_of(cfg, problem, facts)");
  }
  const std::size_t count = model.study->then.size();
  if (count == 0) return out;
  out.members += fmt::format("  next_launch next[{}]{{}};\n", count);
  for (std::size_t i = 0; i < count; ++i) {
    out.steps += fmt::format("  plan.next[{0}] = next_launch_of({0}, cfg, problem, facts);\n", i);
  }
  return out;
}

std::string plan_text(const HeaderModel& model, const LauncherSignature& signature) {
  std::string positive;
  for (const HeaderField& dim : model.dims) {
    positive += (positive.empty() ? "problem." : " && problem.") + dim.name + " > 0";
  }
  const PlanParts parts = plan_parts(model, signature);
  std::string out(kLauncherPlanText);
  out = replaced(std::move(out), "  TUNER_PLAN_MEMBERS\n", parts.members);
  out = replaced(std::move(out), "  TUNER_PLAN_STEPS\n", parts.steps);
  out = replaced(std::move(out), "TUNER_POSITIVE", positive.empty() ? "true" : positive);
  out = replaced(std::move(out), "TUNER_SPACE", model.space);
  return replaced(std::move(out), "TUNER_SAME_SIZE", same_size(model, "one.problem"));
}

// Workspaces, and what is kept of constants; both with what they need of captures and streams.
std::string memory_texts(const LauncherSignature& signature) {
  const std::string number(kLauncherStreamNumberText);
  std::string out;
  if (signature.has_workspaces || !signature.constants.empty()) {
    out += std::string(kLauncherCapturesText) + "\n";
  }
  if (signature.has_workspaces) {
    out +=
        replaced(std::string(kLauncherWorkspacesText), "TUNER_NUMBER_OF\n", number + "\n") + "\n";
  } else if (signature.keeps_constants()) {
    out += number + "\n";
  }
  return out;
}

// The beginning of the function: the plan, and memory that is not the caller's.
std::string beginning(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out =
      "  launched done{};\n  device_state* state = nullptr;\n"
      "  done.status = current_device(state);\n  if (done.status != cudaSuccess) return done;\n"
      "  dims problem;\n";
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& dim = model.table->entries.front().size.dims[d].first;
    for (const auto& [name, value] : signature.sizes) {
      if (name != dim) continue;
      out += fmt::format("  problem.{} = static_cast<long long>({});\n", model.dims[d].name, value);
    }
  }
  out +=
      "  const launch_plan& plan = plan_for(*state, problem);\n"
      "  done.status = plan.status;\n  done.chosen = plan.chosen;\n"
      "  if (done.status != cudaSuccess) return done;\n"
      "  const int variant = plan.variant;\n";
  if (signature.has_scratch) {
    out +=
        "  scratch_memory words(stream);\n"
        "  done.status = words.get(scratch.data, scratch.bytes, scratch.zeroed,\n"
        "                          static_cast<std::size_t>(plan.scratch));\n"
        "  if (done.status != cudaSuccess) return done;\n";
  }
  if (!signature.has_workspaces) return out;
  return out +
         "  workspace_hold held;\n"
         "  done.status = held.get(state->number, stream, plan.clean, plan.other);\n"
         "  if (done.status != cudaSuccess) return done;\n";
}

constexpr std::string_view kRelease =
    R"txt(cudaError_t release_workspaces() {
  return release_those([](const workspace_key&) { return true; });
}

cudaError_t release_workspaces(cudaStream_t stream) {
  int device = 0;
  unsigned long long number = 0;
  cudaError_t failed = cudaGetDevice(&device);
  if (failed == cudaSuccess) failed = number_of(stream, number);
  if (failed != cudaSuccess) return failed;
  return release_those([&](const workspace_key& key) {
    return key[0] == static_cast<unsigned long long>(device) &&
           key[1] == (key[2] == 0 ? number : reinterpret_cast<std::uintptr_t>(stream));
  });
}

)txt";

}  // namespace

std::string launcher_computations(const HeaderModel& model, const LauncherSignature& signature) {
  std::string detail;
  std::string total;
  std::string kinds[2];  // of workspaces: clean, other
  const auto bytes = [&](const LauncherArgument& one, const std::string& name, std::string& sum) {
    detail += fmt::format(
        "// {}: bytes, rounded up so that what follows is aligned.\n"
        "TUNER_FN num {}(const names& n) {{\n  static_cast<void>(n);\n"
        "  return ceil_div({}, num(256)) * num(256);\n}}\n",
        cpp_identifier(one.spec->name), name, bytes_expression(model, *one.spec));
    sum += (sum.empty() ? "detail::" : " + detail::") + name + "(n)";
  };
  for_each_from(signature, From::kScratch, [&](const LauncherArgument& one, int n) {
    bytes(one, fmt::format("scratch_{}", n), total);
  });
  for_each_from(signature, From::kWorkspace, [&](const LauncherArgument& one, int n) {
    bytes(one, fmt::format("workspace_{}", n), kinds[one.spec->zero == Zero::kOnce ? 0 : 1]);
  });
  for_each_from(signature, From::kComputed, [&](const LauncherArgument& one, int n) {
    detail += fmt::format("TUNER_FN num computed_{}(const names& n) {{  // {}\n  return {};\n}}\n",
                          n, cpp_identifier(one.spec->name), model.expression(one.spec->value));
  });
  if (signature.has_workspaces) {
    detail +=
        "// Bytes of all workspaces that are zeroed once, and of the others; -1: no value here.\n";
    for (const std::size_t kind : {0U, 1U}) {
      detail += fmt::format(
          "TUNER_FN long long {}_bytes(const names& n) {{\n  static_cast<void>(n);\n"
          "  const num bytes = {};\n"
          "  return bytes.k == kind::integer && bytes.i >= 0 ? bytes.i : -1;\n}}\n",
          kind == 0 ? "clean" : "other", kinds[kind].empty() ? "num(0)" : kinds[kind]);
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
                              const LauncherVariants& variants) {
  const std::size_t count = variants.all.size();
  std::string out = constant_numbers(model, signature) + map_functions(model, signature);
  out += "\n" +
         replaced(replaced(std::string(kLauncherStateText), "TUNER_SPACE", model.space),
                  "TUNER_KERNELS", std::to_string(count * (1 + model.study->then.size()))) +
         "\n";
  if (asks_for_attributes(*model.study)) out += std::string(kLauncherAttributesText) + "\n";
  if (signature.has_scratch) out += std::string(kLauncherScratchText) + "\n";
  out += memory_texts(signature);
  if (signature.has_maps) out += std::string(kLauncherMapsText) + "\n";
  if (signature.has_computed()) out += std::string(kLauncherNumberText) + "\n";
  out += kernel_table(model, variants);
  out += plan_text(model, signature) + "\n";
  out += constant_functions(model, signature, count);
  out += fmt::format("}}  // namespace\n\nlaunched {}({}) {{\n", signature.function,
                     signature.parameters(false));
  out += beginning(model, signature);
  out += locals(signature);
  out += set_constants(signature);
  out += launches(model, signature);
  if (signature.has_workspaces) out += kRelease;
  out += set_functions(signature);
  return out + "}  // namespace " + model.space + "\n";
}

}  // namespace tuner
