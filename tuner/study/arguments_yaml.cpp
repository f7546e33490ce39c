// Writes the arguments of a study as YAML.

#include "tuner/study/arguments_yaml.h"

#include <fmt/format.h>

#include "tuner/study/yaml_text.h"

namespace tuner {

namespace fs = std::filesystem;

namespace {

std::string fill_text(const FillSpec& fill, const fs::path& folder) {
  using Kind = FillSpec::Kind;
  if (!fill.same_as.empty()) return "{same_as: " + quoted(fill.same_as) + "}";
  if (fill.sorted) {
    FillSpec inner = fill;
    inner.sorted = false;
    return "{sorted: " + fill_text(inner, folder) + "}";
  }
  switch (fill.kind) {
    case Kind::kZeros:
      return "zeros";
    case Kind::kConstant:
      return fmt::format("{{constant: {}}}", fill.a);
    case Kind::kUniform:
      return fmt::format("{{uniform: [{}, {}]}}", fill.a, fill.b);
    case Kind::kNormal:
      return fmt::format("{{normal: [{}, {}]}}", fill.a, fill.b);
    case Kind::kIntegers:
      return fmt::format("{{integers: [{}, {}]}}", fill.a, fill.b);
    case Kind::kSequence:
      return fmt::format("{{sequence: [{}, {}]}}", fill.a, fill.b);
    case Kind::kProblem:
      return "problem";
    case Kind::kFile:
      return "{file: " + path_text(fill.file, folder) + "}";
    case Kind::kPermutation:
      return "{permutation: true}";
    case Kind::kChoice:
      return fmt::format("{{choice: [{}]}}", fmt::join(fill.values, ", "));
    case Kind::kFormula:
      return "{formula: " + quoted(fill.rule.text()) + "}";
    case Kind::kRagged:
      return fmt::format("{{ragged: {{{}of: {}}}}}",
                         fill.a > 0 ? fmt::format("mean: {}, ", fill.a) : std::string(),
                         quoted(fill.rule.text()));
  }
  return "zeros";
}

std::string map_line(const ArgumentSpec& argument) {
  const TensorMapSpec& map = *argument.map;
  std::string parts = fmt::format("of: {}, box: {}", quoted(map.of), list_of(map.box));
  if (!map.swizzle.empty()) parts += ", swizzle: " + quoted(map.swizzle.text());
  return fmt::format("  - {{name: {}, tensor_map: {{{}}}}}\n", quoted(argument.name), parts);
}

std::string argument_line(const ArgumentSpec& argument, const fs::path& folder) {
  constexpr const char* kRoles[] = {"in", "out", "inout", "scratch", "workspace"};
  constexpr const char* kZeros[] = {"once", "each", "never"};
  if (argument.map) return map_line(argument);
  std::string out =
      fmt::format("  - {{name: {}, type: {}, ", quoted(argument.name), name_of(argument.type));
  if (argument.is_scalar) return out + "value: " + quoted(argument.value.text()) + "}\n";
  out += "shape: " + list_of(argument.shape);
  if (argument.role != Role::kIn) {
    out += fmt::format(", role: {}", kRoles[static_cast<std::size_t>(argument.role)]);
  }
  if (argument.role == Role::kWorkspace) {
    out += fmt::format(", zero: {}", kZeros[static_cast<std::size_t>(argument.zero)]);
  }
  if (argument.role == Role::kIn || argument.role == Role::kInOut) {
    out += ", fill: " + fill_text(argument.fill, folder);
  }
  return out + "}\n";
}

}  // namespace

std::string arguments_yaml(const Study& study, const fs::path& folder) {
  std::string out = "arguments:\n";
  for (const ArgumentSpec& argument : study.arguments) out += argument_line(argument, folder);
  if (study.constants.empty()) return out;
  out += "constants:\n";
  for (const ArgumentSpec& constant : study.constants) out += argument_line(constant, folder);
  return out;
}

}  // namespace tuner
