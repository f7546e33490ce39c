// Writes what a launcher knows of the tensor maps among its kernel's arguments.

#include "tuner/codegen/launcher_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tuner {
namespace {

using From = LauncherArgument::From;

// CUDA's name for elements of a map: it knows no signed ones of 8 and 16 bits, and only moves them.
std::string_view map_type_of(DataType type) {
  constexpr std::array<std::string_view, 12> kTypes{"FLOAT32", "FLOAT64", "FLOAT16", "BFLOAT16",
                                                    "UINT8",   "UINT16",  "INT32",   "INT64",
                                                    "UINT8",   "UINT16",  "UINT32",  "UINT64"};
  return kTypes.at(static_cast<std::size_t>(type));
}

// The argument whose buffer it is a map of; the study was refused if there is none.
const LauncherArgument& matrix_of(const LauncherSignature& signature, const LauncherArgument& map) {
  return *std::ranges::find_if(signature.arguments, [&](const LauncherArgument& one) {
    return map.spec->map && one.spec->name == map.spec->map->of;
  });
}

std::string numbers(const HeaderModel& model, const std::vector<Expression>& expressions) {
  std::string out;
  for (const Expression& one : expressions) {
    out += (out.empty() ? "" : ", ") + model.expression(one);
  }
  return out;
}

constexpr std::string_view kNumbers =
    R"txt(// What a map says, a failed number where the study's expression has no value.
struct map_numbers {
  CUtensorMapDataType type;
  unsigned element;  // bytes
  int rank;
  num extents[5];  // the fastest last
  num box[5];
  num swizzle;
};
)txt";

}  // namespace

std::string map_functions(const HeaderModel& model, const LauncherSignature& signature) {
  std::string out;
  int n = 0;
  for (const LauncherArgument& one : signature.arguments) {
    if (one.from != From::kMap || !one.spec->map) continue;
    const ArgumentSpec& matrix = *matrix_of(signature, one).spec;
    const Expression& swizzle = one.spec->map->swizzle;
    out += fmt::format(
        "map_numbers map_{}(const names& n) {{  // {}\n  static_cast<void>(n);\n"
        "  return {{CU_TENSOR_MAP_DATA_TYPE_{}, {}, {}, {{{}}}, {{{}}}, {}}};\n}}\n",
        n++, one.name, map_type_of(matrix.type), size_of(matrix.type), matrix.shape.size(),
        numbers(model, matrix.shape), numbers(model, one.spec->map->box),
        swizzle.text().empty() ? "num(0)" : model.expression(swizzle));
  }
  if (out.empty()) return out;
  return fmt::format(
      "\nnamespace {0} {{\nnamespace detail {{\nnamespace {{\n{1}{2}}}  // namespace\n"
      "}}  // namespace detail\n}}  // namespace {0}\n",
      model.space, kNumbers, out);
}

std::string map_step(int n) {
  return fmt::format(
      "plan.map_{0}.says = detail::map_{0}(names);\n"
      "  if (!has_values(plan.map_{0}.says)) plan.status = cudaErrorInvalidValue",
      n);
}

std::string map_local(const LauncherSignature& signature, const LauncherArgument& map, int n) {
  return fmt::format(
      "  done.status = map_matrix(*state, plan.map_{0}, {1});\n"
      "  if (done.status != cudaSuccess) return done;\n"
      "  const CUtensorMap& {2} = plan.map_{0}.made;\n",
      n, matrix_of(signature, map).name, map.name);
}

}  // namespace tuner
