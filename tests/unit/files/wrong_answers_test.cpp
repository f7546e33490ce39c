#include <gtest/gtest.h>

#include "tuner/files/failure_report.h"

namespace tuner {
namespace {

const std::vector<std::string> kStepsAndBlock{"STEPS", "BLOCK"};

RankedResults ranked_of(std::vector<Trial> trials) {
  RankedResults results;
  results.device.backend = "cpu";
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

Trial wrong(std::int64_t steps, std::int64_t block, const std::string& message) {
  Trial trial = right(steps, block);
  trial.state = TrialState::kCorrectness;
  trial.message = message;
  trial.max_error = 2;
  return trial;
}

std::string said(std::vector<Trial> trials) {
  return about_wrong_answers(ranked_of(std::move(trials)), kStepsAndBlock);
}

std::string of_two(const std::string& one, const std::string& other) {
  return said({wrong(1, 32, one), wrong(2, 64, other)});
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

constexpr const char* kUnwritten =
    "y[9] = nan, expected 1 (3 of 9 elements differ, max error inf; 3 elements were not written)";
constexpr const char* kRounded =
    "y[1] = 1, expected 2 (2 of 9 elements differ, max error 2; allowed 0 (rtol 0, atol 0); atol: "
    "2.1e+00 would pass: rounding?)";

TEST(WrongAnswers, WhatIsNoWholeAnswerIsNotRightForOtherValues) {
  const auto of = [](const char* message) {
    return said({right(1, 32), right(1, 64), right(1, 16), wrong(2, 32, message),
                 wrong(2, 64, message), wrong(4, 16, message)});
  };
  const std::string seen = "all 3 wrong variants have STEPS = 2, 4; right ones have 1";
  EXPECT_EQ(of(kUnwritten), seen +
                                ": elements are not written. The grid covers too little, or the "
                                "kernel leaves them out\n");
  EXPECT_EQ(of(kRounded), seen + " by a little: with 'atol: 2.1e+00' in 'verify' all would pass\n");
  EXPECT_NE(of("y[0] = 1, expected 2 (9 of 9 elements differ, max error 1)").find("per: [STEPS]"),
            std::string::npos);
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

TEST(WrongAnswers, OnlyWhatMessagesShowIsSaidOfTheCause) {
  EXPECT_EQ(of_two("y[0] = 1", "y[3] = 2"), std::string("every variant is wrong") + kAlone);
  EXPECT_EQ(of_two("y[0] = nan, expected 1 (1 of 2 elements differ, max error inf; nan is what "
                   "outputs start as: it was not written, or is one)",
                   "y[1] = nan, expected 2 (2 of 2 elements differ, max error inf; nan is what "
                   "outputs start as: it was not written, or is one)"),
            std::string("every variant is wrong: NaN is left, which outputs start as. The kernel "
                        "does not write it, adds to it (then: role: inout), or computes it") +
                kAlone);
  EXPECT_EQ(of_two("y[0] = 1, expected 2 (2 of 9 elements differ, max error 2; allowed 0 (rtol 0, "
                   "atol 0); atol: 2.1e+00 would pass: rounding?)",
                   "y[1] = 1, expected 2 (2 of 9 elements differ, max error 1; allowed 0 (rtol 0, "
                   "atol 0); atol: 1.1e+00 would pass: rounding?)"),
            std::string("every variant is wrong by a little: with 'atol: 2.1e+00' in 'verify' "
                        "all would pass") +
                kAlone);
  EXPECT_EQ(
      of_two("right in some launches, wrong in another: y[0] = 1",
             "right in the usual order of threads, wrong in another: y[0] = 1"),
      std::string("every variant is wrong: it is right in some launches only, as with a "
                  "race, a missing barrier, or sums in any order. --random-order may show it") +
          kAlone);
  EXPECT_EQ(of_two("y[0] = 3, expected 1 (2 of 9 elements differ, max error 2; the same values in "
                   "other places: is their order free?)",
                   "right in the usual order of threads, wrong in another: y[0] = 2, expected 1 (3 "
                   "of 9 elements differ, max error 2; the same values in other places: is their "
                   "order free?)"),
            std::string("every variant is wrong: the right values are in other places. Answers "
                        "are compared element by element") +
                kAlone);
  EXPECT_EQ(of_two("y[0] = 3, expected 1 (9 of 9 elements differ, max error 2)",
                   "y[0] = 4, expected 1 (9 of 9 elements differ, max error 3)"),
            std::string("every variant is wrong, in all elements. The kernel, the reference, or "
                        "an argument is wrong") +
                kAlone);
  EXPECT_EQ(of_two("y[0] = 3, expected 1 (2 of 9 elements differ, max error 2)",
                   "y[0] = 3, expected 1 (2 of 9 elements differ, max error 2)"),
            std::string("every variant is wrong in the same way. The kernel, the reference, or an "
                        "argument is wrong") +
                kAlone);
}

TEST(WrongAnswers, OtherFailuresAreNoWrongAnswers) {
  Trial crashed = wrong(2, 64, "killed");
  crashed.state = TrialState::kRuntime;
  EXPECT_EQ(said({wrong(1, 32, "y[0] = 1"), crashed}), "");
}

}  // namespace
}  // namespace tuner
