// Every kind of mistake, with the whole text that the user sees.

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
    parameters: {B: [1, 2]}
                 ^
study.yaml:4:11: 'B' is already a problem size (line 3)
    derived: {B: 2, x: 3}
              ^
study.yaml:5:11: 'x' is already a derived name (line 4)
    metrics: {x: time}
              ^)text");
}

TEST(StudyExpressions, DerivedNamesAreReadFromTheTop) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
derived:
  a: b + 1
  b: B
)yaml"),
      R"text(study.yaml:4:6: 'b' is defined further down; a derived name sees only what is above it
      a: b + 1
         ^)text");
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
      - B + 1 > BB
                ^
study.yaml:5:14: unknown name 'BX'
      - "B + 1 > BX"
                 ^
study.yaml:6:20: unknown name 'BY'
      - 'B == ''x'' or BY'
                       ^)text");
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
        and BX > 2
            ^
study.yaml:8:5: unknown name 'BY'
        BY > 2
        ^)text");
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
      - lambda p:   p["X"] * p["Z"] <= 16
                                ^
study.yaml:5:22: 'is' asks for the same object, not for the same value (write '==')
      - lambda p: p["X"] is p["Y"]
                         ^
study.yaml:6:17: 'p' takes the name of a parameter in quotes (p["X"])
      - lambda p: p[X] > 1
                    ^
study.yaml:7:21: '&&' is not an operator here (write 'and')
      - lambda p: X & Y && X
                        ^
study.yaml:8:31: expected a tuple of 2 values
      - lambda p: (p["X"], 1) in [(2, 1, 1)]
                                  ^
study.yaml:9:5: a constraint must be an expression, not a map (quote text that begins with [ or {)
      - {lambda p: "p.X > 1"}
        ^)text");
}

TEST(StudyExpressions, UnknownDeviceFact) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B < device.max_thread_per_block
)yaml"),
      R"text(study.yaml:4:9: unknown name 'device.max_thread_per_block' (did you mean 'device.max_threads_per_block'?)
      - B < device.max_thread_per_block
            ^)text");
}

TEST(StudyExpressions, TimeIsOnlyForMetrics) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints:
  - B < time
)yaml"),
      R"text(study.yaml:4:9: 'time' is a measured quantity; a constraint may use only problem sizes, device facts, parameters and derived names
      - B < time
            ^)text");
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
      - B >
           ^
study.yaml:5:7: '&&' is not an operator here (write 'and')
      - B && 1
          ^
study.yaml:6:7: expected ')' at the end
      - (B
          ^
study.yaml:7:7: '=' does not compare (write '==')
      - B = 1
          ^
study.yaml:8:5: there is no function 'sin', only min, max, abs, ceil_div, ceil, floor, log2, log, exp, sqrt, any, all, int, float, round, pow (did you mean 'min'?)
      - sin(B)
        ^
study.yaml:9:7: '=' does not compare (write '<=')
      - B =< 4
          ^)text");
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
      - [B]
        ^
study.yaml:5:5: a constraint must be an expression, not a map (quote text that begins with [ or {)
      - {B: 1}
        ^
study.yaml:6:3: a constraint must be an expression, not nothing
      -
      ^)text");
}

TEST(StudyExpressions, ConstraintsMustBeAList) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
constraints: B > 1
)yaml"),
            R"text(study.yaml:3:14: 'constraints' must be a list, not text
    constraints: B > 1
                 ^)text");
}

TEST(StudyExpressions, DerivedMustBeAMap) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
derived: [B]
constraints:
  - d > 1
)yaml"),
            R"text(study.yaml:3:10: 'derived' must be a map (key: value), not a list
    derived: [B]
             ^)text");
}

}  // namespace
}  // namespace tuner::testing
