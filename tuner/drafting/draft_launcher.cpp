// Writes a function of the host that launches a kernel, for one that takes what no study can give.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

// An expression of a study, or "k<float, {TILE}>", as C++: parameters are macros, but for those
// that the source defines itself.
std::string in_cpp(const DraftPlan& plan, const std::string& expression) {
  std::string out;
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_word_part(expression[at])) {
      const bool divides = expression.substr(at, 2) == "//";
      if (expression[at] != '{' && expression[at] != '}') out += expression[at];
      at += divides ? 2 : 1;
      continue;
    }
    std::size_t end = at;
    while (end < expression.size() && is_word_part(expression[end])) ++end;
    const std::string word = expression.substr(at, end - at);
    const bool is_macro = plan.parameter(word) != nullptr && !plan.has_macros &&
                          std::ranges::count(plan.replaced, word) == 0;
    out += is_macro ? "TUNE_" + word : word;
    at = end;
  }
  return out;
}

std::string cpp_type(const DraftContext& c, const FoundArgument& one) {
  const auto type = c.types.find(one.c_type);
  return (one.is_const ? "const " : "") + (type == c.types.end() ? one.c_type : type->second) +
         std::string(static_cast<std::size_t>(one.pointers), '*');
}

// The declared type of a parameter without its name, and with the template's arguments in it.
std::string declared_type(const DraftContext& c, Tokens declared, const std::string& name) {
  std::string out;
  for (const Token& token : part_before(declared, "=")) {
    if (token.is(name) || is_one_of("const & __grid_constant__", token.text)) continue;
    const std::string word(token.text);
    const auto type = c.types.find(word);
    const auto value = c.template_values.find(word);
    const bool is_behind_word = !out.empty() && is_word_part(out.back()) && token.is_word();
    out += is_behind_word ? " " : "";
    out += type != c.types.end()              ? type->second
           : value != c.template_values.end() ? in_cpp(c.plan, value->second)
                                              : word;
  }
  return out;
}

}  // namespace

void draft_launcher(DraftContext& c) {
  DraftPlan& plan = c.plan;
  const std::vector<Tokens> declared = pieces_between_commas(c.kernel.parameters);
  std::string parameters, passed, inside;
  const auto take = [&](const std::string& text) { parameters += text + ", "; };
  for (std::size_t i = 0; i < c.kernel.arguments.size(); ++i) {
    const FoundArgument& one = c.kernel.arguments[i];
    passed += (passed.empty() ? "" : ", ") + one.name;
    const bool is_given = std::ranges::count(plan.arguments, one.name, &DraftedArgument::name) > 0;
    if (is_given) {
      take(cpp_type(c, one) + " " + one.name);
      continue;
    }
    const std::string host = joined(c.passed_for(one.name));
    inside += fmt::format("  {} {}{{}};  // a guess: set what the kernel needs{}\n",
                          declared_type(c, declared[i], one.name), one.name,
                          host.empty() ? "" : "; the host code passes " + host);
  }
  for (const auto& [name, value] : plan.extents) {
    if (std::ranges::count(plan.arguments, name, &DraftedArgument::name) > 0) continue;
    take("long long " + name);
    plan.arguments.push_back({.name = name, .type = "int64", .value = name});
  }
  const auto extents = [&](const std::vector<std::string>& axes) {
    return with_commas(axes, [&](const std::string& one) { return in_cpp(plan, one); });
  };
  plan.launcher_entry = "launch_" + plan.kernel;
  plan.launcher_code = fmt::format(
      "// Made by tuner init from {0}: launches {1} in the study's stream, with what no study can "
      "give.\n// Look at what is marked as a guess, then: tuner check --compile --arch sm_90.\n"
      "#include \"{0}\"\n\n"
      "extern \"C\" cudaError_t {2}({3}cudaStream_t stream) {{\n"
      "  [[maybe_unused]] const auto ceil_div = [](long long a, long long b) {{\n"
      "    return unsigned((a + b - 1) / b);\n  }};\n{4}"
      "  {5}<<<dim3({6}), dim3({7}), {8}, stream>>>({9});\n"
      "  return cudaGetLastError();\n}}\n",
      plan.relative_name, c.kernel.name, plan.launcher_entry, parameters, inside,
      in_cpp(plan, plan.entry), extents(plan.grid), extents(plan.block),
      plan.shared.empty() ? "0" : in_cpp(plan, plan.shared), passed);
  // Nothing is replaced in a file that is included: what stands there stays.
  const auto is_kept = [&](const std::string& name) {
    return std::ranges::count(plan.replaced, name) > 0;
  };
  std::vector<std::string> free;
  for (const DraftedParameter& one : plan.parameters) {
    if (!is_kept(one.name)) free.push_back(one.name);
  }
  for (auto* texts : {&plan.constraints, &plan.block}) {
    for (std::string& one : *texts) one = with_present_values(plan, one, free);
  }
  std::erase_if(plan.parameters, [&](const DraftedParameter& one) { return is_kept(one.name); });
  plan.replaced.clear();
  for (const DraftedArgument& one : std::exchange(plan.constants, {})) {
    plan.guessed.push_back("nothing sets the symbol '" + one.name + "': do it in the launcher");
  }
}

}  // namespace tuner
