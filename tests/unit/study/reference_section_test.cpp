// Where right answers come from: answers for each value of a parameter, in files, on further
// inputs.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

const std::string kThreeSteps = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {STEPS: [1, 2, 4], B: [32, 64]}
derived: {halo: 2 * STEPS, width: B + halo}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
  - {name: steps, type: int, value: STEPS}
)yaml";

TEST(ReferencePer, ItsParametersMayStandInAllThatTheReferenceSays) {
  const Study study = accepted(
      kThreeSteps +
      "reference: {entry: 'r<{STEPS}>', per: [STEPS], block: [halo], grid: [N * STEPS]}\n");
  ASSERT_TRUE(study.reference);
  EXPECT_EQ(study.reference->per, std::vector<std::string>{"STEPS"});
  EXPECT_EQ(study.reference->launch.block[0].text(), "halo");
}

TEST(Reference, MayWaitForItselfAsTheKernelMay) {
  const Study study =
      accepted(kThreeSteps +
               "reference: {entry: r, per: [STEPS], block: [32], grid: [4], cooperative: N > 1}\n");
  EXPECT_EQ(study.reference->launch.attributes.cooperative.text(), "N > 1");
}

TEST(ReferencePer, WhatDependsOnOtherParametersIsStillRefused) {
  EXPECT_EQ(
      complaints_of(kThreeSteps +
                    "reference: {entry: r, per: [STEPS], block: [width], grid: [B]}\n"),
      R"text(study.yaml:10:45: 'width' is a derived name; 'reference' may use only problem sizes, device facts and what 'per' names
study.yaml:10:60: 'B' is a parameter; 'reference' may use only problem sizes, device facts and what 'per' names)text");
}

TEST(ReferencePer, TakesParametersEachOnce) {
  EXPECT_EQ(complaints_of(kThreeSteps + R"yaml(reference:
  entry: r
  per: [STEP, halo, STEPS, STEPS]
  configuration: {STEPS: 2}
  block: [1]
  grid: [N]
)yaml"),
            R"text(study.yaml:12:9: unknown name 'STEP' (did you mean 'STEPS'?)
study.yaml:12:15: 'halo' is a derived name; 'per' may use only parameters
study.yaml:12:28: 'STEPS' is in 'per' already
study.yaml:13:19: 'STEPS' is in 'per', so the reference gets each of its values (leave it out of 'configuration'))text");
}

TEST(ReferencePer, ThereAreNotTooManyAnswers) {
  std::string many = kThreeSteps;
  many.replace(many.find("[1, 2, 4]"), 9, "{range: [1, 40]}");
  EXPECT_EQ(complaints_of(many + "reference: {entry: r, per: [STEPS, B], block: [1], grid: [N]}\n"),
            "study.yaml:10:36: 'per' asks for 80 right answers, one for each combination of "
            "values; at most 64 are computed (fewer values of these parameters)");
}

TEST(ReferenceFills, AreNamedEachOnce) {
  const std::string head =
      kThreeSteps + "reference: {entry: r, per: [STEPS], block: [1], grid: [N], ";
  EXPECT_EQ(accepted(head + "fills: [tiny, special]}\n").reference->fills,
            (std::vector<ExtremeInputs>{ExtremeInputs::kTiny, ExtremeInputs::kSpecial}));
  EXPECT_EQ(
      complaints_of(head + "fills: [huge, tiny, tiny]}\n"),
      R"text(study.yaml:10:68: 'fills' cannot have 'huge' (known: large, tiny, equal and special)
study.yaml:10:80: 'tiny' is in 'fills' already)text");
}

TEST(VerifyDeterministic, IsAFlagAndNeedsNoReference) {
  EXPECT_TRUE(accepted(kThreeSteps + "verify: {deterministic: true}\n").deterministic);
  EXPECT_FALSE(accepted(kThreeSteps + "verify: {deterministic: false}\n").deterministic);
  EXPECT_EQ(complaints_of(kThreeSteps + "verify: {deterministic: often}\n"),
            "study.yaml:10:25: 'deterministic' must be true or false, not often");
}

// ---- answers in files ---------------------------------------------------------------------------

TEST(ReferenceFile, ComputesNothing) {
  EXPECT_EQ(complaints_of(kThreeSteps + "reference: {file: k.cu, entry: r, seeds: 2}\n"),
            R"text(study.yaml:10:1: k.cu holds 2 bytes; 'Y' needs 256 for N=64
study.yaml:10:25: a reference with 'file' computes nothing, so it cannot have 'entry'
study.yaml:10:35: a reference with 'file' computes nothing, so it cannot have 'seeds')text");
}

// Of one place the first complaint is shown.
TEST(ReferenceFile, IsLookedForAtEachSizeAndValue) {
  EXPECT_EQ(complaints_of(kThreeSteps + "reference: {file: 'y_{N}_{STEPS}.npy', per: [STEPS]}\n"),
            "study.yaml:10:1: y_64_1.npy: cannot be read: No such file or directory for N=64");
  EXPECT_EQ(complaints_of(kThreeSteps + "reference: {file: 'y_{B}.npy'}\n"),
            "study.yaml:10:23: 'B' is a parameter; 'file' of the reference may use only problem "
            "sizes and what 'per' names");
}

TEST(ReferenceFile, SaysWhichOutputItIsOf) {
  std::string two = kThreeSteps;
  two.insert(two.find("  - {name: steps"), "  - {name: Z, type: float, shape: [N], role: out}\n");
  EXPECT_EQ(complaints_of(two + "reference: {file: k.cu}\n"),
            "study.yaml:11:19: the kernel has 2 outputs, so 'file' must say which one it is of "
            "(file: {Y: NAME.npy})");
  EXPECT_EQ(complaints_of(two + "reference: {file: {X: k.cu}}\n"),
            "study.yaml:11:20: the kernel has no output 'X' (known: Y and Z)");
}

}  // namespace
}  // namespace tuner::testing
