// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(StudyExpressions, NamesMayNotShadow) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
problem_sizes: [{B: 1}]
derived: {B: 2, x: 3}
metrics: {x: time}
)yaml"),
            R"text(study.yaml:2:14: 'B' is already a problem size (line 3)
study.yaml:4:11: 'B' is already a problem size (line 3)
study.yaml:5:11: 'x' is already a derived name (line 4))text");
}

TEST(StudyExpressions, DerivedNamesAreReadFromTheTop) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
derived:
  a: b + 1
  b: B
)yaml"),
      "study.yaml:4:6: 'b' is defined further down; a derived name sees only what is above it");
}

TEST(StudyExpressions, UnknownNameIsPointedAtInsideTheExpression) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B + 1 > BB
  - "B + 1 > BX"
  - 'B == ''x'' or BY'
)yaml"),
            R"text(study.yaml:4:13: unknown name 'BB'
study.yaml:5:14: unknown name 'BX'
study.yaml:6:20: unknown name 'BY')text");
}

TEST(StudyExpressions, UnknownNameInFoldedText) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - >-
    B > 1
    and BX > 2
  - B > 1 and
    BY > 2
)yaml"),
            R"text(study.yaml:6:9: unknown name 'BX'
study.yaml:8:5: unknown name 'BY')text");
}

TEST(StudyExpressions, EscapesBeforeAMistakeAreAsLongAsTheyAreWritten) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters:
  B: [1, 2]
  C: "['\u00e9', foo, 3]"
  D: [  i * none for i in range(1, 3)]
constraints:
  - "B != '\u00e9\xe9\U0001F600\L' and BX"
  - "B !=\n\u0020'\"\/' and BY"
  - "B != '\
    \u00e9' and BZ"
  - "B != 'é' and BE"
)yaml"),
            R"text(study.yaml:4:18: 'foo' has no value here
study.yaml:5:9: 'none' has no value here
study.yaml:7:40: unknown name 'BX'
study.yaml:8:29: unknown name 'BY'
study.yaml:10:17: unknown name 'BZ'
study.yaml:11:20: unknown name 'BE')text");
}

// YAML makes a map of the first three.
TEST(StudyExpressions, LambdasPasteInWithoutQuotes) {
  const Study study = accepted(R"yaml(schema: 1
parameters: {X: [1, 2], Y: [8, 16]}
constraints:
  - lambda p: p["X"] * p["Y"] <= 16
  - lambda p:   p.X < 3 and
      (p['X'], p.Y) in [(1, 8), (1, 16)]
  - lambda X, Y: X < Y
  - 'lambda p: p["X"] is not 3'
)yaml");
  ASSERT_EQ(study.constraints.size(), 4U);
  EXPECT_EQ(study.constraints[0].names(), (std::vector<std::string>{"X", "Y"}));
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {X: [1, 2], Y: [8, 16]}
constraints:
  - lambda p:   p["X"] * p["Z"] <= 16
  - lambda p: p["X"] is p["Y"]
  - lambda p: p[X] > 1
  - lambda p: X & Y && X
  - lambda p: (p["X"], 1) in [(2, 1, 1)]
  - {lambda p: "p.X > 1"}
)yaml"),
            R"text(study.yaml:4:29: unknown name 'Z'
study.yaml:5:22: 'is' compares objects, not values (write '==')
study.yaml:6:17: 'p' takes the name of a parameter in quotes (p["X"])
study.yaml:7:21: '&&' is not an operator here (write 'and')
study.yaml:8:31: expected a tuple of 2 values
study.yaml:9:5: a constraint must be an expression, not a map (quote text that begins with [ or {))text");
}

TEST(StudyExpressions, UnknownDeviceFact) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B < device.max_thread_per_block
)yaml"),
            "study.yaml:4:9: unknown name 'device.max_thread_per_block' (did you mean "
            "'device.max_threads_per_block'?)");
}

TEST(StudyExpressions, TimeIsOnlyForMetrics) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B < time
)yaml"),
            "study.yaml:4:9: 'time' is a measured quantity; a constraint may use only problem "
            "sizes, device facts, parameters and derived names");
}

TEST(StudyExpressions, ExpressionSyntax) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B >
  - B && 1
  - (B
  - B = 1
  - sin(B)
  - B =< 4
)yaml"),
            R"text(study.yaml:4:8: expected a value at the end
study.yaml:5:7: '&&' is not an operator here (write 'and')
study.yaml:6:7: expected ')' at the end
study.yaml:7:7: '=' does not compare (write '==')
study.yaml:8:5: there is no function 'sin', only min, max, abs, ceil_div, ceil, floor, log2, log, exp, sqrt, any, all, int, float, round, pow (did you mean 'min'?)
study.yaml:9:7: '=' does not compare (write '<='))text");
}

TEST(StudyExpressions, ExpressionMustBeScalar) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - [B]
  - {B: 1}
  -
)yaml"),
      R"text(study.yaml:4:5: a constraint must be an expression, not a list (quote text that begins with [ or {)
study.yaml:5:5: a constraint must be an expression, not a map (quote text that begins with [ or {)
study.yaml:6:3: a constraint must be an expression, not nothing)text");
}

TEST(StudyExpressions, ConstraintsMustBeAList) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints: B > 1
)yaml"),
            "study.yaml:3:14: 'constraints' must be a list, not text");
}

TEST(StudyExpressions, DerivedMustBeAMap) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
derived: [B]
constraints:
  - d > 1
)yaml"),
            "study.yaml:3:10: 'derived' must be a map (key: value), not a list");
}

}  // namespace
}  // namespace tuner::testing
