// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(StudyWarnings, ConstraintWithoutParameters) {
  EXPECT_EQ(
      warnings_of(usual_study(R"yaml(constraints:
  - N > 3
)yaml")),
      "study.yaml:10:5: this constraint uses no parameter: it keeps every configuration or none");
}

TEST(StudyWarnings, MetricThatTakesTheTimeForMilliseconds) {
  EXPECT_EQ(
      warnings_of("schema: 1\nparameters: {B: [1, 2]}\nmetrics: {g: 8 / (time / 1e3) / 1e9}\n"),
      "study.yaml:3:14: metric 'g' divides 'time' by 1000 (it is in seconds here, in Kernel Tuner "
      "in milliseconds)");
  EXPECT_EQ(warnings_of("schema: 1\nparameters: {B: [1, 2]}\nmetrics: {g: 8 / time / 1e9}\n"), "");
}

TEST(StudyWarnings, UnverifiedOutput) {
  EXPECT_EQ(warnings_of(unreferenced_study("")),
            "study.yaml:7:12: nothing verifies 'Y': wrong answers would be ranked (a 'reference' "
            "computes the right ones)");
}

TEST(StudyWarnings, AnArgumentThatNeitherALaunchNorTheReferenceTakes) {
  const auto with = [](const std::string& reference) {
    return warnings_of(usual_study(R"yaml(launch: {block: [B], grid: [N], arguments: [Y]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: n, type: int, value: N}
reference: {entry: r, block: [1], grid: [N], arguments: )yaml") +
                       reference + "}\n");
  };
  EXPECT_EQ(with("[Y, n]"), "");
  EXPECT_EQ(with("[Y]"), "study.yaml:8:12: no launch takes 'n'");
}

TEST(StudyWarnings, TextAmongNumbersUnlessInQuotes) {
  const auto with = [](const std::string& values) {
    return warnings_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters:
  B: )yaml" + values + R"yaml(
launch: {block: [1], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N]}
)yaml");
  };
  EXPECT_EQ(with("[32, x64, y128]"),
            "study.yaml:5:11: 'x64' is text, other values of parameter 'B' are not (in quotes, "
            "where that is meant)");
  EXPECT_EQ(with("[true, yes]"),
            "study.yaml:5:13: 'yes' is text, other values of parameter 'B' are not (in quotes, "
            "where that is meant)");
  EXPECT_EQ(with("[32, 'auto']"), "");
  EXPECT_EQ(with("[none, both]"), "");
}

TEST(StudyWarnings, OutputThatTheReferenceDoesNotTake) {
  EXPECT_EQ(warnings_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: X, type: float, shape: [N], fill: {constant: 2}}
  - {name: Z, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N], arguments: [X, Y]}
)yaml")),
            "study.yaml:9:12: nothing verifies 'Z': wrong answers would be ranked");
}

TEST(StudyWarnings, NoOutputAtAll) {
  EXPECT_EQ(warnings_of(unreferenced_study("arguments:\n  - {name: N, type: int, value: N}\n")),
            "study.yaml:6:1: no argument is an output: wrong answers would be ranked");
}

TEST(StudyWarnings, InputWithoutFill) {
  EXPECT_EQ(warnings_of(usual_study(R"yaml(arguments:
  - {name: X, type: float, shape: [N]}
  - {name: Y, type: float, shape: [N], role: out}
)yaml")),
            "study.yaml:7:12: 'X' has no fill, so it is all zeros: a kernel that ignores it "
            "passes, too (fill: zeros, where that is meant)");
}

}  // namespace
}  // namespace tuner::testing
