#include <gtest/gtest.h>

#include "tuner/files/failure_report.h"

namespace tuner {
namespace {

const std::vector<std::string> kStepsAndBlock{"STEPS", "BLOCK"};

RankedResults ranked_of(std::vector<Trial> trials) {
  RankedResults results;
  results.device.abilities = {std::string(kShufflesThreads)};
  for (Trial& trial : trials) {
    if (trial.state == TrialState::kOk) ++results.ranked;
    results.trials.push_back(std::move(trial));
  }
  return results;
}

Trial right(std::int64_t steps, std::int64_t block) {
  Trial trial;
  trial.configuration = {steps, block};
  trial.timing.median = 1;
  return trial;
}

Trial wrong(std::int64_t steps, std::int64_t block, const std::string& message,
            std::optional<Evidence> evidence = Evidence::kNone) {
  Trial trial = right(steps, block);
  trial.state = TrialState::kCorrectness;
  trial.message = message;
  trial.evidence = evidence;
  trial.max_error = 2;
  return trial;
}

std::string said(std::vector<Trial> trials) {
  return about_wrong_answers(ranked_of(std::move(trials)), kStepsAndBlock);
}

// Prints what is said of two wrong variants with this evidence.
std::string of_two(std::optional<Evidence> evidence, const std::string& one = "y[0] = 3",
                   const std::string& other = "y[0] = 4") {
  return said({wrong(1, 32, one, evidence), wrong(2, 64, other, evidence)});
}

constexpr const char* kAlone = ". To run one alone: --where \"STEPS == 1 and BLOCK == 32\"\n";

TEST(WrongAnswers, SomeOfManySayNothing) {
  EXPECT_EQ(said({right(1, 32), right(2, 64), wrong(2, 32, "y[0] = 1"), wrong(1, 64, "y[0] = 2")}),
            "");
  EXPECT_EQ(said({right(1, 32), right(2, 32)}), "");
}

TEST(WrongAnswers, OneParameterThatTellsWrongFromRightIsNamed) {
  EXPECT_EQ(
      said({right(1, 32), wrong(2, 32, "y[0] = 1"), right(1, 64), wrong(4, 64, "y[0] = 2"),
            wrong(2, 64, "y[0] = 1"), right(1, 16)}),
      "all 3 wrong variants have STEPS = 2, 4; right ones have 1. If the right answer depends on "
      "STEPS, 'reference: {per: [STEPS]}' computes one for each value (T1 file: --per STEPS)\n");
  EXPECT_EQ(said({right(1, 32), wrong(2, 64, "y[0] = 1"), wrong(2, 64, "y[0] = 1")}),
            "only 1 of 3 gave the right answer, 2 did not: look at the study first\n")
      << "either of the two may be it";
  EXPECT_EQ(said({right(1, 32), right(1, 64), wrong(2, 64, "y[0] = 1")}), "") << "one is no rule";
}

TEST(WrongAnswers, WhatIsNoWholeAnswerIsNotRightForOtherValues) {
  const auto of = [](std::optional<Evidence> seen) {
    return said({right(1, 32), right(1, 64), right(1, 16), wrong(2, 32, "y[0] = 1", seen),
                 wrong(2, 64, "y[0] = 1", seen), wrong(4, 16, "y[0] = 1", seen)});
  };
  const std::string seen = "all 3 wrong variants have STEPS = 2, 4; right ones have 1";
  EXPECT_EQ(of(Evidence::kUnwritten),
            seen +
                ": elements are not written. The grid covers too little, or the kernel leaves them "
                "out\n");
  EXPECT_EQ(of(Evidence::kRounding),
            seen + " by a little: with 'atol: 2.1e+00' in 'verify' all would pass\n");
  EXPECT_NE(of(Evidence::kEverywhere).find("per: [STEPS]"), std::string::npos);
  EXPECT_EQ(of(std::nullopt).find("per: [STEPS]"), std::string::npos) << "nobody looked";
}

TEST(WrongAnswers, WhereFewAreRightTheStudyIsToBeLookedAt) {
  RankedResults results =
      ranked_of({right(1, 32), wrong(2, 32, "y[0] = 1"), wrong(2, 64, "y[1] = 1")});
  EXPECT_EQ(mostly_wrong_text(results),
            "only 1 of 3 gave the right answer, 2 did not: look at the study first");
  results.baseline.emplace().at = 0;
  EXPECT_EQ(mostly_wrong_text(results),
            "only the baseline gave the right answer, 2 did not: look at the study first");
  EXPECT_EQ(mostly_wrong_text(ranked_of({right(1, 32), wrong(2, 32, "y[0] = 1")})), "");
  EXPECT_EQ(mostly_wrong_text(ranked_of({wrong(2, 32, "y[0] = 1")})), "");
}

TEST(WrongAnswers, OfAFunctionOfPythonNoKeyOfAStudyIsAdvised) {
  RankedResults results =
      ranked_of({right(1, 32), wrong(2, 32, "y[0] = 1"), right(1, 64), wrong(2, 64, "y[0] = 1")});
  results.device.backend = "python";
  EXPECT_EQ(about_wrong_answers(results, kStepsAndBlock),
            "all 2 wrong variants have STEPS = 2; right ones have 1\n");
}

TEST(WrongAnswers, OfSeveralTheOneWithASingleRightValueIsNamed) {
  const std::string text =
      said({right(1, 32), right(1, 64), wrong(2, 128, "y[0] = 1"), wrong(4, 256, "y[0] = 2")});
  EXPECT_EQ(text.find("all 2 wrong variants have STEPS = 2, 4; right ones have 1."), 0U) << text;
}

TEST(WrongAnswers, OneParameterThatDecidesWhichWrongAnswerItIsIsNamed) {
  EXPECT_EQ(
      said({wrong(1, 32, "y[0] = 1, expected 9 (2 of 4"), wrong(1, 64, "y[0] = 1, expected 9 (3"),
            wrong(2, 32, "y[0] = 4, expected 9 (2 of 4"), wrong(2, 64, "y[0] = 4, expected 9 (2")}),
      std::string("wrong answers differ with STEPS alone. If the right answer depends on STEPS, "
                  "'reference: {per: [STEPS]}' computes one for each value (T1 file: --per STEPS)\n"
                  "every variant is wrong") +
          kAlone);
}

TEST(WrongAnswers, OnlyWhatWasSeenIsSaidOfTheCause) {
  const auto expect = [](Evidence seen, const std::string& cause) {
    EXPECT_EQ(of_two(seen), "every variant is wrong" + cause + kAlone);
  };
  expect(Evidence::kNone, "");
  expect(Evidence::kNan,
         ": NaN is left, which outputs start as. The kernel does not write it, or computes it");
  expect(Evidence::kDirty,
         ": right where workspaces are zeroed before each launch, which 'zero: never' does not "
         "promise");
  expect(Evidence::kRounding, " by a little: with 'atol: 2.1e+00' in 'verify' all would pass");
  expect(Evidence::kNowAndThen,
         ": it is right in some launches only, as with a race, a missing barrier, or sums in any "
         "order. --random-order may show it");
  expect(Evidence::kPlaces,
         ": the right values are in other places. Answers are compared element by element");
  expect(Evidence::kEverywhere,
         ", in all elements. The kernel, the reference, or an argument is wrong");
  EXPECT_EQ(of_two(Evidence::kNone, "y[0] = 3, expected 1", "y[0] = 3, expected 1"),
            std::string("every variant is wrong in the same way. The kernel, the reference, or an "
                        "argument is wrong") +
                kAlone);
  EXPECT_EQ(said({wrong(1, 32, "y[0] = 1", Evidence::kNan), wrong(2, 64, "y[3] = 2")}),
            std::string("every variant is wrong") + kAlone);
}

TEST(WrongAnswers, OtherFailuresAreNoWrongAnswers) {
  Trial crashed = wrong(2, 64, "killed");
  crashed.state = TrialState::kRuntime;
  EXPECT_EQ(said({wrong(1, 32, "y[0] = 1"), crashed}), "");
}

}  // namespace
}  // namespace tuner
