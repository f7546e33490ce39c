// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(VerifySections, ReferenceNeedsEntryBlockAndGrid) {
  EXPECT_EQ(complaints_of(usual_study("reference: {}\n")),
            R"text(study.yaml:8:1: missing key 'entry' in 'reference'
study.yaml:8:1: missing key 'block' in 'reference'
study.yaml:8:1: missing key 'grid' in 'reference')text");
}

TEST(VerifySections, ReferenceIsTheSameForEveryConfiguration) {
  EXPECT_EQ(
      complaints_of(usual_study("reference: {entry: 'r<{B}>', block: [B], grid: [N - 64]}\n")),
      R"text(study.yaml:8:24: 'B' is a parameter; the reference's 'entry' may use only problem sizes and device facts
study.yaml:8:38: 'B' is a parameter; 'reference' may use only problem sizes and device facts
study.yaml:8:49: the reference's grid is 0, less than 1 for N=64)text");
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
            R"text(study.yaml:8:42: 'B' cannot be 7 (one of 1 or 2)
study.yaml:8:45: unknown name 'D')text");
}

TEST(VerifySections, AnswersAreComparedOnSoManySetsOfInputs) {
  const auto with = [](const std::string& seeds) {
    return usual_study("reference: {entry: k, block: [2], grid: [N]" + seeds + "}");
  };
  EXPECT_EQ(accepted(with("")).reference->seeds, 2);
  EXPECT_EQ(accepted(with(", seeds: 5")).reference->seeds, 5);
  EXPECT_EQ(complaints_of(with(", seeds: 0")),
            "study.yaml:8:53: 'seeds' must be from 1 to 100, not 0");
}

TEST(VerifySections, ReferenceTakesArgumentsOfTheKernel) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: b, type: int, value: B}
reference: {entry: r, block: [1], grid: [N], arguments: [Y, X, b]}
)yaml")),
            R"text(study.yaml:9:61: the kernel has no argument 'X' (known: Y and b)
study.yaml:9:64: the reference cannot take 'b', which differs between configurations (list the others in 'arguments' of the reference, or in 'per' the parameters that the right answer depends on, or say in 'configuration' with which values it runs))text");
}

TEST(VerifySections, ReferenceTakesAllArgumentsUnlessItSays) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: b, type: int, value: B}
)yaml")),
            "study.yaml:9:1: the reference cannot take 'b', which differs between configurations "
            "(list the others in 'arguments' of the reference, or in 'per' the parameters that the "
            "right answer depends on, or say in 'configuration' with which values it runs)");
}

TEST(VerifySections, VerifyNeedsAReference) {
  EXPECT_EQ(complaints_of(unreferenced_study("verify: {Y: {rtol: 1}}\n")),
            "study.yaml:8:1: 'verify' needs a 'reference' that computes the right answer");
}

TEST(VerifySections, OnlyOutputsAreVerified) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(arguments:
  - {name: Yout, type: float, shape: [N], role: out}
  - {name: Xin, type: float, shape: [N], fill: zeros}
  - {name: Z, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N], arguments: [Yout]}
verify: {Yuot: {rtol: 1}, Xin: {}, Z: {}}
)yaml")),
            R"text(study.yaml:11:10: the kernel has no argument 'Yuot' (did you mean 'Yout'?)
study.yaml:11:27: 'Xin' is not an output, so there is nothing to verify (role: out or inout)
study.yaml:11:36: the reference does not take 'Z', so nothing says what it should be)text");
}

TEST(VerifySections, TolerancesAreNotNegative) {
  EXPECT_EQ(complaints_of(usual_study("verify: {Y: {rtol: -1e-3, atol: N - 65, btol: 1}}\n")),
            R"text(study.yaml:9:20: rtol of 'Y' must not be negative, and is -0.001 for N=64
study.yaml:9:33: atol of 'Y' must not be negative, and is -1 for N=64
study.yaml:9:41: unknown key 'btol' in the tolerance of 'Y' (did you mean 'rtol'?))text");
}

TEST(VerifySections, TolerancesDoNotDependOnParameters) {
  EXPECT_EQ(complaints_of(usual_study("verify: {Y: {rtol: B}}\n")),
            "study.yaml:9:20: 'B' is a parameter; a tolerance may use only problem sizes and "
            "device facts");
}

}  // namespace
}  // namespace tuner::testing
