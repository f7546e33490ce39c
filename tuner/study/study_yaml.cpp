// Writes as YAML what a T1 file can say.

#include "tuner/study/study_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

std::string in_yaml(const std::string& text) { return quoted(text); }
std::string in_yaml(const Expression& expression) { return quoted(expression.text()); }
std::string in_yaml(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? to_text(value) : quoted(*text);
}

template <typename T>
std::string list_of(const std::vector<T>& all) {
  std::string out;
  for (const T& one : all) out += (out.empty() ? "" : ", ") + in_yaml(one);
  return "[" + out + "]";
}

// Relative to `folder` where that can be.
std::string path_text(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(fs::absolute(folder).lexically_normal());
  return quoted((relative.empty() ? path : relative).generic_string());
}

std::string axes(const std::array<Expression, 3>& extents) {
  std::vector<std::string> texts;
  for (const Expression& one : extents) texts.push_back(one.empty() ? "1" : one.text());
  while (texts.size() > 1 && extents[texts.size() - 1].empty()) texts.pop_back();
  return list_of(texts);
}

std::string launch_lines(const LaunchSpec& launch) {
  std::string out = fmt::format("  block: {}\n  grid: {}\n", axes(launch.block), axes(launch.grid));
  if (!launch.dynamic_shared_bytes.empty()) {
    out += fmt::format("  dynamic_shared_bytes: {}\n", in_yaml(launch.dynamic_shared_bytes));
  }
  return out;
}

std::string kernel_of(const KernelSpec& kernel, const fs::path& folder) {
  std::string out = fmt::format(
      "kernel:\n  name: {}\n  source: {}\n  entry: {}\n  define_prefix: {}\n", quoted(kernel.name),
      path_text(kernel.source, folder), quoted(kernel.entry), quoted(kernel.define_prefix));
  if (!kernel.replaced.empty()) out += "  replace: " + list_of(kernel.replaced) + "\n";
  if (kernel.language != KernelSpec{}.language) {
    out += fmt::format("  language: {}\n", kernel.language);
  }
  if (!kernel.options.empty()) out += "  options: " + list_of(kernel.options) + "\n";
  return out;
}

std::string space_of(const Study& study) {
  std::string out;
  for (const ProblemSize& size : study.sizes) {
    if (size.dims.empty()) continue;
    out += out.empty() ? "problem_sizes:\n" : "";
    std::string dims;
    for (const auto& [name, extent] : size.dims) {
      dims += fmt::format("{}{}: {}", dims.empty() ? "" : ", ", name, extent);
    }
    out += "  - {" + dims + "}\n";
  }
  out += "parameters:\n";
  for (const Parameter& parameter : study.parameters) {
    out += fmt::format("  {}: {}\n", parameter.name, list_of(parameter.values));
  }
  if (!study.constraints.empty()) out += "constraints:\n";
  for (const Expression& rule : study.constraints) out += "  - " + in_yaml(rule) + "\n";
  return out;
}

// Throws FatalError for a fill that no T1 file can say: written as another, it would change inputs.
std::string fill_text(const ArgumentSpec& argument, const fs::path& folder) {
  using Kind = FillSpec::Kind;
  const FillSpec& fill = argument.fill;
  if (fill.kind == Kind::kZeros) return "zeros";
  if (fill.kind == Kind::kConstant) return fmt::format("{{constant: {}}}", fill.a);
  if (fill.kind == Kind::kFile) return "{file: " + path_text(fill.file, folder) + "}";
  if (fill.kind == Kind::kFormula) return "{formula: " + in_yaml(fill.rule) + "}";
  for (const auto& [kind, name] : {std::pair(Kind::kUniform, "uniform"),
                                   {Kind::kIntegers, "integers"},
                                   {Kind::kSequence, "sequence"}}) {
    if (fill.kind == kind) return fmt::format("{{{}: [{}, {}]}}", name, fill.a, fill.b);
  }
  throw FatalError("the fill of '" + argument.name + "' cannot be written as YAML");
}

std::string argument_line(const ArgumentSpec& argument, const fs::path& folder) {
  std::string out =
      fmt::format("  - {{name: {}, type: {}, ", quoted(argument.name), name_of(argument.type));
  if (argument.is_scalar) return out + "value: " + in_yaml(argument.value) + "}\n";
  out += "shape: " + list_of(argument.shape);
  if (argument.role == Role::kOut) return out + ", role: out}\n";
  if (argument.role == Role::kInOut) out += ", role: inout";
  return out + ", fill: " + fill_text(argument, folder) + "}\n";
}

std::string arguments_of(const Study& study, const fs::path& folder) {
  std::string out = "arguments:\n";
  for (const ArgumentSpec& argument : study.arguments) out += argument_line(argument, folder);
  if (!study.constants.empty()) out += "constants:\n";
  for (const ArgumentSpec& constant : study.constants) out += argument_line(constant, folder);
  return out;
}

std::string reference_of(const ReferenceSpec& reference) {
  std::string out = fmt::format("reference:\n  entry: {}\n", quoted(reference.entry));
  std::string values;
  for (const auto& [name, value] : reference.configuration) {
    values += fmt::format("{}{}: {}", values.empty() ? "" : ", ", name, in_yaml(value));
  }
  if (!values.empty()) out += "  configuration: {" + values + "}\n";
  return out + launch_lines(reference.launch);
}

std::string verify_of(const Study& study) {
  std::string out = study.verify.empty() ? "" : "verify:\n";
  for (const auto& [name, tolerance] : study.verify) {
    std::vector<std::string> limits;
    if (tolerance.is_usual) limits.emplace_back("tolerance: usual");
    if (!tolerance.rtol.empty()) limits.push_back("rtol: " + in_yaml(tolerance.rtol));
    if (!tolerance.atol.empty()) limits.push_back("atol: " + in_yaml(tolerance.atol));
    if (tolerance.how.equal_nan) limits.emplace_back("equal_nan: true");
    out += fmt::format("  {}: {{{}}}\n", quoted(name), fmt::join(limits, ", "));
  }
  return out;
}

std::string search_of(const SearchSpec& search) {
  std::string parts;
  if (search.strategy != SearchSpec{}.strategy) parts = "  strategy: " + search.strategy + "\n";
  std::vector<std::string> limits;
  const auto limit = [&](const char* name, const auto& value) {
    if (value) limits.push_back(fmt::format("{}: {}", name, *value));
  };
  limit("evaluations", search.budget.evaluations);
  limit("seconds", search.budget.seconds);
  if (!limits.empty()) parts += fmt::format("  budget: {{{}}}\n", fmt::join(limits, ", "));
  return parts.empty() ? "" : "search:\n" + parts;
}

}  // namespace

std::string study_yaml(const Study& study, const fs::path& folder, const std::string& remark) {
  std::string out;
  for (std::size_t at = 0; at < remark.size();) {
    const std::size_t end = std::min(remark.find('\n', at), remark.size());
    out += "# " + remark.substr(at, end - at) + "\n";
    at = end + 1;
  }
  out += "schema: 1\n";
  if (study.runnable) out += kernel_of(study.kernel, folder);
  out += space_of(study);
  if (study.runnable) {
    out += "launch:\n" + launch_lines(study.launch) + arguments_of(study, folder);
    if (study.reference) out += reference_of(*study.reference);
    out += verify_of(study);
  }
  return out + search_of(study.search);
}

}  // namespace tuner
