// Writes what fills an input, and names of files.

#include "tuner/study/fill_yaml.h"

#include <fmt/format.h>

#include "tuner/base/text.h"

namespace tuner {

std::string path_text(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path relative =
      path.lexically_relative(std::filesystem::absolute(folder).lexically_normal());
  return quoted((relative.empty() ? path : relative).generic_string());
}

std::string fill_text(const FillSpec& fill, const std::filesystem::path& folder) {
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

}  // namespace tuner
