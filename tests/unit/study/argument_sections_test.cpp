// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(ArgumentSections, UnknownTypeAndRole) {
  EXPECT_EQ(complaints_of(unreferenced_study(R"yaml(arguments:
  - {name: Y, type: float31, shape: [N], role: output}
)yaml")),
            R"text(study.yaml:7:21: unknown type 'float31' (did you mean 'float32'?)
study.yaml:7:48: 'role' must be in, out, inout, scratch or workspace, not 'output')text");
}

TEST(ArgumentSections, ArgumentNeedsNameTypeAndContents) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {}
  - {name: Y, type: int}
  - 3
)yaml")),
            R"text(study.yaml:7:5: missing key 'name' in an argument
study.yaml:7:5: missing key 'type' in an argument
study.yaml:7:5: this needs a 'shape' (a buffer) or a 'value' (a scalar)
study.yaml:8:12: 'Y' needs a 'shape' (a buffer) or a 'value' (a scalar)
study.yaml:9:5: an argument must be a map (key: value), not an integer)text");
}

TEST(ArgumentSections, NoArguments) {
  EXPECT_EQ(complaints_of(usual_study("arguments: []\n")),
            "study.yaml:6:12: 'arguments' is empty: the kernel could not return anything (without "
            "the key where the kernel takes none)");
}

TEST(ArgumentSections, ArgumentTwice) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: Y, type: int, value: 3}
)yaml")),
            "study.yaml:8:12: 'Y' is already on line 7 (one buffer for two arguments: {name: Y2, "
            "buffer: Y})");
}

TEST(ArgumentSections, ScalarsAreNotBuffers) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out, value: 3}
)yaml")),
            R"text(study.yaml:7:28: 'Y' has a value, so it cannot have 'shape'
study.yaml:7:40: 'Y' has a value, so it cannot have 'role')text");
}

TEST(ArgumentSections, OutputsAndScratchTakeNoFill) {
  EXPECT_EQ(
      complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out, fill: zeros}
  - {name: W, type: float, shape: [B], role: scratch, fill: {constant: 1}}
reference: {entry: r, block: [1], grid: [N], arguments: [Y]}
)yaml")),
      R"text(study.yaml:7:51: 'Y' is an output: it is poisoned before every check, so a fill has no effect (role: inout, where the kernel reads what it overwrites)
study.yaml:8:55: 'W' is scratch: it is zeroed before every use, so a fill has no effect)text");
}

TEST(ArgumentSections, ShapesAreTheSameForEveryConfiguration) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N * B], role: out}
)yaml")),
            "study.yaml:7:40: 'B' is a parameter; the shape of all but scratch and workspaces may "
            "use only problem sizes and device facts");
}

TEST(ArgumentSections, ShapesMustBePositiveWholeNumbers) {
  EXPECT_EQ(
      complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N / 3], role: out}
  - {name: X, type: float, shape: [N - 64], role: out}
  - {name: Z, type: float, shape: [N // 0], role: out}
  - {name: W, type: float, shape: [2 ** 40, 2 ** 40], role: out}
  - {name: V, type: float, shape: [], role: out}
)yaml")),
      R"text(study.yaml:7:36: the shape of 'Y' is not a whole number (21.333333333333332) for N=64
study.yaml:8:36: the shape of 'X' is 0, less than 1 for N=64
study.yaml:9:38: division by zero for N=64
study.yaml:10:45: 'W' is larger than 2^63 bytes for N=64
study.yaml:11:35: 'shape' is empty; a single number is an argument with 'value')text");
}

TEST(ArgumentSections, ScalarsMustFitTheirType) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: a, type: int8, value: N * 2}
  - {name: b, type: uint32, value: -1}
  - {name: c, type: int, value: 0.5}
  - {name: d, type: float, value: "'x'"}
)yaml")),
            R"text(study.yaml:8:34: the value of 'a', 128, does not fit in int8 for N=64
study.yaml:9:36: the value of 'b', -1, does not fit in uint32 for N=64
study.yaml:10:33: the value of 'c', 0.5, does not fit in int32 for N=64
study.yaml:11:36: the value of 'd' is text for N=64)text");
}

TEST(ArgumentSections, BadFills) {
  EXPECT_EQ(
      complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: X0, type: float, shape: [N], fill: ones}
  - {name: X1, type: float, shape: [N], fill: {unifrom: [0, 1]}}
  - {name: X2, type: float, shape: [N], fill: {uniform: [1, 0]}}
  - {name: X3, type: float, shape: [N], fill: {uniform: 1}}
  - {name: X4, type: float, shape: [N], fill: {normal: [0, -1]}}
  - {name: X5, type: float, shape: [N], fill: {integers: [0.5, 1]}}
  - {name: X6, type: float, shape: [N], fill: {sequence: [0, a]}}
  - {name: X7, type: float, shape: [N], fill: {constant: 1, uniform: [0, 1]}}
  - {name: X8, type: float, shape: [N], fill: {file: nope.bin}}
  - {name: X9, type: float, shape: [N], fill: {file: k.cu}}
  - {name: X10, type: float, shape: [N], fill: [1]}
)yaml")),
      R"text(study.yaml:8:47: unknown fill 'ones' (zeros, problem, or a map such as {uniform: [-1, 1]})
study.yaml:9:48: unknown key 'unifrom' in 'fill' (did you mean 'uniform'?)
study.yaml:10:57: fill 'uniform': the lowest value is above the highest
study.yaml:11:57: fill 'uniform' takes [lowest, highest]
study.yaml:12:56: fill 'normal': a standard deviation cannot be negative
study.yaml:13:58: fill 'integers': both ends must be whole numbers
study.yaml:14:62: fill 'sequence' must be a number, not text
study.yaml:15:47: 'fill' must have exactly one of file, captured, same_as, sorted, constant, uniform, normal, sequence, integers, permutation, choice, formula, ragged or zipf
study.yaml:16:54: fill 'file': there is no file nope.bin (names are relative to the study file)
study.yaml:17:12: k.cu holds 2 bytes; 'X9' needs 256 for N=64
study.yaml:18:48: 'fill' must be a map (key: value), not a list)text");
}

TEST(ArgumentSections, ConstantsAreInputs) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(constants:
  - {name: 'n::weights', type: float, shape: [N], role: out}
  - {name: a b, type: float, value: 1}
)yaml")),
            R"text(study.yaml:10:57: a constant can only have role in
study.yaml:11:12: 'a b' cannot be a name (a letter or _, then letters, digits and _))text");
}

// ---- workspaces ---------------------------------------------------------------------------------

const std::string kWorkspaces = usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: a, type: uint32, shape: [N * B], role: workspace}
  - {name: b, type: uint32, shape: [N], role: workspace, zero: once}
  - {name: c, type: uint32, shape: [N], role: workspace, zero: each}
  - {name: d, type: uint32, shape: [N], role: workspace, zero: never}
reference: {entry: r, block: [1], grid: [N], arguments: [Y, b]}
)yaml");

TEST(Workspaces, AreZeroedOnceWhereNothingElseIsSaid) {
  EXPECT_EQ(warnings_of(kWorkspaces), "");
  const Study study = accepted(kWorkspaces);
  const Zero zeros[] = {Zero::kOnce, Zero::kOnce, Zero::kEach, Zero::kNever};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(study.arguments[i + 1].role, Role::kWorkspace);
    EXPECT_EQ(study.arguments[i + 1].zero, zeros[i]) << i;
  }
}

TEST(Workspaces, WhatMakesNoSenseForThemIsRefused) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out, zero: once}
  - {name: a, type: float, shape: [N], role: workspace, zero: twice}
  - {name: b, type: float, shape: [N], role: workspace, fill: {constant: 1}}
  - {name: c, type: float, shape: [N * B], role: workspace, zero: [each]}
  - {name: n, type: int, value: N, zero: each}
reference: {entry: r, block: [1], grid: [N], arguments: [Y, c]}
verify: {a: {rtol: 1}}
)yaml")),
            R"text(study.yaml:7:51: 'Y' is no workspace, so it cannot have 'zero' (role: workspace)
study.yaml:8:63: 'zero' must be once, each or never, not 'twice'
study.yaml:9:57: 'b' is a workspace: 'zero' says what the kernel finds in it, so a fill has no effect
study.yaml:10:67: 'zero' must be text, not a list
study.yaml:11:36: 'n' has a value, so it cannot have 'zero'
study.yaml:12:61: the reference cannot take 'c', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs)
study.yaml:13:10: 'a' is not an output, so there is nothing to verify (role: out or inout))text");
}

}  // namespace
}  // namespace tuner::testing
