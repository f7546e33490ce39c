// fill: {same_as: NAME}.

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

// x, a constant c and what else a test gives them.
std::string filled(const std::string& x, const std::string& constants) {
  return usual_study(R"yaml(arguments:
  - {name: x, type: float, shape: [N], fill: )yaml" +
                     x + R"yaml(}
  - {name: n, type: int32, value: N}
  - {name: y, type: float, shape: [N], role: out}
constants:
)yaml" + constants);
}

TEST(SameFill, IsTheOthersAndFollowedThroughMany) {
  const Study study =
      accepted(filled("{uniform: [1, 2]}",
                      "  - {name: c, type: float, shape: [8], fill: {same_as: d}}\n"
                      "  - {name: d, type: float, shape: [N], fill: {same_as: x}}\n"));
  for (const ArgumentSpec& constant : study.constants) {
    EXPECT_EQ(constant.fill.kind, FillSpec::Kind::kUniform);
    EXPECT_EQ(constant.fill.b, 2);
    EXPECT_EQ(constant.fill.same_as, "x");
  }
}

TEST(SameFill, MistakesHaveTheirPlaces) {
  const auto message = [](const std::string& x, const std::string& constant) {
    const std::string said = complaints_of(filled(x, "  - {name: c, " + constant + "}\n"));
    return said.substr(0, said.find('\n'));
  };
  const std::string float8 = "type: float, shape: [8], fill: {same_as: ";
  EXPECT_EQ(message("zeros", float8 + "xx}"),
            "study.yaml:12:12: 'c' is filled as 'xx', which is no argument or constant (known: x "
            "and y)");
  EXPECT_EQ(
      message("zeros", float8 + "c}"),
      "study.yaml:12:12: 'c' is filled as 'c', which is no argument or constant (known: x and "
      "y)");
  EXPECT_EQ(message("{same_as: c}", float8 + "x}"),
            "study.yaml:7:12: 'x' is filled as itself in the end");
  EXPECT_EQ(message("zeros", float8 + "n}"),
            "study.yaml:12:12: 'c' is filled as 'n', which is no buffer");
  EXPECT_EQ(message("zeros", float8 + "y}"),
            "study.yaml:12:12: 'c' is filled as 'y', which nothing fills");
  EXPECT_EQ(message("zeros", "type: int32, shape: [8], fill: {same_as: x}"),
            "study.yaml:12:12: 'c' is int32 and filled as 'x', which is float32");
  EXPECT_EQ(message("zeros", "type: float, shape: [2 * N], fill: {same_as: x}"),
            "study.yaml:12:36: 'c' is filled as 'x' and larger than that for N=64");
}

TEST(SameFill, TheSameRandomFillTwiceEarnsAWarning) {
  EXPECT_NE(warnings_of(filled("{uniform: [1, 2]}",
                               "  - {name: c, type: float, shape: [N], fill: {uniform: [1, 2]}}\n"))
                .find("study.yaml:12:12: 'c' has the fill of the argument 'x', and holds other "
                      "numbers (fill: {same_as: x}, where they are one array)"),
            std::string::npos);
  EXPECT_EQ(
      warnings_of(filled("{uniform: [1, 2]}",
                         "  - {name: c, type: float, shape: [8], fill: {uniform: [1, 2]}}\n")),
      "");
}

}  // namespace
}  // namespace tuner::testing
