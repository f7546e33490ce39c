#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string map_study(const std::string& arguments) {
  return "schema: 1\n"
         "kernel: {name: k, source: k.cu, entry: k}\n"
         "problem_sizes: [{M: 64, N: 32}]\n"
         "parameters: {BM: [32, 64], SWIZZLE: [0, 128]}\n"
         "launch: {block: [BM], grid: [N]}\n"
         "arguments:\n"
         "  - {name: Y, type: float32, shape: [N], role: out}\n" +
         arguments +
         "reference: {entry: r, block: [1], grid: [N], arguments: [Y]}\n"
         "verify: {Y: {rtol: 0}}\n";
}

constexpr const char* kA = "  - {name: A, type: float16, shape: [M, N], fill: {uniform: [0, 1]}}\n";

TEST(TensorMaps, AreReadWithTheirExpressions) {
  // The map may come before the buffer.
  const Study study = accepted(
      map_study("  - {name: A_map, tensor_map: {of: A, box: [BM, N // 2], swizzle: SWIZZLE}}\n" +
                std::string(kA)));
  const ArgumentSpec& argument = study.arguments[1];
  ASSERT_TRUE(argument.map.has_value());
  EXPECT_TRUE(argument.is_scalar) << "it has no buffer of its own";
  EXPECT_EQ(argument.map->of, "A");
  ASSERT_EQ(argument.map->box.size(), 2U);
  EXPECT_EQ(argument.map->box[1].text(), "N // 2");
  EXPECT_EQ(argument.map->swizzle.text(), "SWIZZLE");
  EXPECT_FALSE(study.arguments[2].map.has_value());
}

TEST(TensorMaps, HaveTheExtentsOfTheirBufferAlsoOfAWorkspace) {
  const Study study = accepted(map_study(
      "  - {name: W_map, tensor_map: {of: W, box: [8, 8]}}\n"
      "  - {name: W, type: float16, shape: [M, 3 * BM], role: workspace, zero: never}\n"));
  ASSERT_EQ(study.arguments[1].map->extents.size(), 2U);
  EXPECT_EQ(study.arguments[1].map->extents[1].text(), "3 * BM");
}

TEST(TensorMaps, MistakesAreReportedWhereTheyAre) {
  EXPECT_EQ(complaints_of(map_study(std::string(kA) + R"yaml(  - {name: S, type: int, value: 3}
  - {name: m1, tensor_map: {of: B, box: [8, 8]}}
  - {name: m2, tensor_map: {of: S, box: [8]}}
  - {name: m3, type: float16, tensor_map: {of: A, box: [8]}}
  - {name: m4, tensor_map: {of: A, boxes: [8, 8]}}
  - {name: m5, tensor_map: {of: A, box: [QQ, 8], swizzle: 128}}
  - {name: m6, tensor_map: {of: A, box: []}}
)yaml")),
            R"text(study.yaml:10:33: there is no argument 'B' (known: Y and A)
study.yaml:11:33: 'S' is no buffer: there is nothing to make a map of
study.yaml:12:16: 'm3' is a tensor map, so it cannot have 'type'
study.yaml:12:48: the box has 1 extents, the shape of 'A' 2
study.yaml:13:16: missing key 'box' in 'tensor_map'
study.yaml:13:36: unknown key 'boxes' in 'tensor_map' (known: of, box and swizzle)
study.yaml:14:42: unknown name 'QQ'
study.yaml:15:41: a box has one to five extents)text");
}

TEST(TensorMaps, TheReferenceCannotTakeOneThatVaries) {
  const std::string text = complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: Y_map, tensor_map: {of: Y, box: [B]}}
reference: {entry: r, block: [1], grid: [N], arguments: [Y, Y_map]}
)yaml"));
  EXPECT_NE(text.find("study.yaml:9:61: the reference cannot take 'Y_map', which differs"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tuner::testing
