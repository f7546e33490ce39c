// Every kind of mistake, with the whole text that the user sees.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(VerifySections, ReferenceNeedsEntryBlockAndGrid) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {}
)yaml"),
            R"text(study.yaml:8:1: missing key 'entry' in 'reference'
    reference: {}
    ^
study.yaml:8:1: missing key 'block' in 'reference'
    reference: {}
    ^
study.yaml:8:1: missing key 'grid' in 'reference'
    reference: {}
    ^)text");
}

TEST(VerifySections, ReferenceIsTheSameForEveryConfiguration) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: 'r<{B}>', block: [B], grid: [N - 64]}
)yaml"),
      R"text(study.yaml:8:24: 'B' is a parameter; the reference's 'entry' may use only problem sizes and device facts
    reference: {entry: 'r<{B}>', block: [B], grid: [N - 64]}
                           ^
study.yaml:8:38: 'B' is a parameter; 'reference' may use only problem sizes and device facts
    reference: {entry: 'r<{B}>', block: [B], grid: [N - 64]}
                                         ^
study.yaml:8:49: the reference's grid is 0, less than 1 for N=64
    reference: {entry: 'r<{B}>', block: [B], grid: [N - 64]}
                                                    ^)text");
}

TEST(VerifySections, ConfigurationOfTheReferenceNamesParametersAndTheirValues) {
  const std::string head = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2], C: [3]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
)yaml";
  const Study study =
      accepted(head + "reference: {entry: k, configuration: {B: 2}, block: [2], grid: [N]}\n");
  ASSERT_EQ(study.reference->configuration.size(), 1U);
  EXPECT_EQ(study.reference->configuration[0].first, "B");
  EXPECT_EQ(complaints_of(head + "reference: {entry: k, configuration: {B: 7, D: 1}, block: [2], "
                                 "grid: [N]}\n"),
            R"text(study.yaml:8:42: 'B' cannot be 7
    reference: {entry: k, configuration: {B: 7, D: 1}, block: [2], grid: [N]}
                                             ^
study.yaml:8:45: unknown name 'D'
    reference: {entry: k, configuration: {B: 7, D: 1}, block: [2], grid: [N]}
                                                ^)text");
}

TEST(VerifySections, AnswersAreComparedOnSoManySetsOfInputs) {
  const std::string head = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: k, block: [2], grid: [N])yaml";
  EXPECT_EQ(accepted(head + "}\n").reference->seeds, 2);
  EXPECT_EQ(accepted(head + ", seeds: 5}\n").reference->seeds, 5);
  EXPECT_EQ(complaints_of(head + ", seeds: 0}\n"),
            R"text(study.yaml:8:53: 'seeds' is 0, must be 1 to 100
    reference: {entry: k, block: [2], grid: [N], seeds: 0}
                                                        ^)text");
}

TEST(VerifySections, ReferenceTakesArgumentsOfTheKernel) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: b, type: int, value: B}
reference: {entry: r, block: [1], grid: [N], arguments: [Y, X, b]}
)yaml"),
            R"text(study.yaml:9:61: the kernel has no argument 'X' (known: Y and b)
    reference: {entry: r, block: [1], grid: [N], arguments: [Y, X, b]}
                                                                ^
study.yaml:9:64: the reference cannot take 'b', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs)
    reference: {entry: r, block: [1], grid: [N], arguments: [Y, X, b]}
                                                                   ^)text");
}

TEST(VerifySections, ReferenceTakesAllArgumentsUnlessItSays) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: b, type: int, value: B}
reference: {entry: r, block: [1], grid: [N]}
)yaml"),
      R"text(study.yaml:9:1: the reference cannot take 'b', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs)
    reference: {entry: r, block: [1], grid: [N]}
    ^)text");
}

TEST(VerifySections, VerifyNeedsAReference) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
verify: {Y: {rtol: 1}}
)yaml"),
            R"text(study.yaml:8:1: 'verify' needs a 'reference' that computes the right answer
    verify: {Y: {rtol: 1}}
    ^)text");
}

TEST(VerifySections, OnlyOutputsAreVerified) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Yout, type: float, shape: [N], role: out}
  - {name: Xin, type: float, shape: [N], fill: zeros}
  - {name: Z, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N], arguments: [Yout]}
verify: {Yuot: {rtol: 1}, Xin: {}, Z: {}}
)yaml"),
            R"text(study.yaml:11:10: the kernel has no argument 'Yuot' (did you mean 'Yout'?)
    verify: {Yuot: {rtol: 1}, Xin: {}, Z: {}}
             ^
study.yaml:11:27: 'Xin' is not an output, so there is nothing to verify (role: out or inout)
    verify: {Yuot: {rtol: 1}, Xin: {}, Z: {}}
                              ^
study.yaml:11:36: the reference does not take 'Z', so nothing says what it should be
    verify: {Yuot: {rtol: 1}, Xin: {}, Z: {}}
                                       ^)text");
}

TEST(VerifySections, TolerancesAreNotNegative) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N]}
verify: {Y: {rtol: -1e-3, atol: N - 65, btol: 1}}
)yaml"),
            R"text(study.yaml:9:20: rtol of 'Y' must not be negative, and is -0.001 for N=64
    verify: {Y: {rtol: -1e-3, atol: N - 65, btol: 1}}
                       ^
study.yaml:9:33: atol of 'Y' must not be negative, and is -1 for N=64
    verify: {Y: {rtol: -1e-3, atol: N - 65, btol: 1}}
                                    ^
study.yaml:9:41: unknown key 'btol' in the tolerance of 'Y' (did you mean 'rtol'?)
    verify: {Y: {rtol: -1e-3, atol: N - 65, btol: 1}}
                                            ^)text");
}

TEST(VerifySections, TolerancesDoNotDependOnParameters) {
  EXPECT_EQ(
      complaints_of(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N]}
verify: {Y: {rtol: B}}
)yaml"),
      R"text(study.yaml:9:20: 'B' is a parameter; a tolerance may use only problem sizes and device facts
    verify: {Y: {rtol: B}}
                       ^)text");
}

}  // namespace
}  // namespace tuner::testing
