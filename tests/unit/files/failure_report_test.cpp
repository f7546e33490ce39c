#include "tuner/files/failure_report.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

const std::vector<std::string> kVecAndForm{"VEC", "FORM"};

Trial failed(TrialState state, std::int64_t vec, const std::string& form,
             const std::string& message) {
  Trial trial;
  trial.state = state;
  trial.configuration = {vec, form};
  trial.message = message;
  return trial;
}

RankedResults results_of(std::vector<Trial> trials) {
  RankedResults results;
  results.device.backend = "cpu";
  results.trials = std::move(trials);
  return results;
}

RankedResults mixed() {
  std::vector<Trial> trials;
  for (int i = 0; i < 3; ++i) {
    trials.push_back(failed(TrialState::kCorrectness, i, "plain",
                            "y[" + std::to_string(i) + "] = -0." + std::to_string(i) +
                                "5, expected 1e-0" + std::to_string(i) + " (7 of 9 differ)"));
  }
  for (int i = 0; i < 12; ++i) {
    trials.push_back(
        failed(TrialState::kCompile, i, i % 2 == 0 ? "plain" : "tiled",
               "warning: unused\n/somewhere/else" + std::to_string(i) +
                   "/saxpy.cu(3): error: identifier \"TUNE_VECC\" is undefined\n  in " + "line 3"));
  }
  trials.push_back(failed(TrialState::kCompile, 4, "tiled", "saxpy.cu(3): error: something else"));
  return results_of(std::move(trials));
}

TEST(FailureGroups, AreOfOneStateAndOneLineButForNumbersAndValues) {
  const auto groups = failure_groups(mixed());
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].state, TrialState::kCompile);
  EXPECT_EQ(groups[0].count, 12U);
  EXPECT_EQ(groups[0].cause, "saxpy.cu:3: identifier \"TUNE_VECC\" is undefined");
  EXPECT_EQ(groups[1].count, 3U) << "other numbers are no other cause";
  EXPECT_EQ(groups[1].cause, "y[0] = -0.05, expected 1e-00 (7 of 9 differ)");
  EXPECT_EQ(groups[2].count, 1U);
}

TEST(FailureGroups, TheValueOfAParameterIsNoOtherCause) {
  const auto groups = failure_groups(
      results_of({failed(TrialState::kLaunch, 1, "plain", "form plain takes too much"),
                  failed(TrialState::kLaunch, 1, "tiled", "form tiled takes too much"),
                  failed(TrialState::kRuntime, 1, "plain", "form plain takes too much"),
                  failed(TrialState::kLaunch, 1, "plain", "reads nan"),
                  failed(TrialState::kLaunch, 1, "plain", "reads 1.5e-7")}));
  std::vector<std::size_t> counts;
  for (const FailureGroup& group : groups) counts.push_back(group.count);
  EXPECT_EQ(counts, (std::vector<std::size_t>{2, 2, 1}));
}

TEST(FailureGroups, OneMessageIsOneCauseWhateverTheValuesAre) {
  const auto groups =
      failure_groups(results_of({failed(TrialState::kCompile, 1, "+", "a + b - c // d"),
                                 failed(TrialState::kCompile, 1, "-", "a + b - c // d"),
                                 failed(TrialState::kCompile, 1, "z//\\", "a + b - c // d"),
                                 failed(TrialState::kCompile, 1, "//", "a + b - c // d")}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].count, 4U);
}

TEST(FailureGroups, TheCauseIsTheErrorNotAWarningAboveIt) {
  const std::string warning =
      "k.cu(3): warning #177-D: variable \"error\" was declared but never referenced\n"
      "      float error;\n            ^\n\nRemark: The warnings can be suppressed\n\n";
  const auto cause_of = [&](const std::string& rest) {
    return failure_groups(results_of({failed(TrialState::kCompile, 1, "plain", warning + rest)}))
        .front()
        .cause;
  };
  for (const char* error :
       {"ptxas error   : Entry function 'k' uses too much shared data",
        "ptxas fatal   : Ptx assembly aborted due to errors", "k.cu(4): error #20-D: no such name",
        "nvcc error   : 'cicc' died due to signal 11",
        "/usr/bin/ld: k.o: undefined reference to `f'", "out of memory"}) {
    EXPECT_EQ(cause_of(std::string(error) + "\nlater"), error);
  }
  EXPECT_EQ(cause_of("k.cu(4): error: no"), "k.cu:4: no");
  EXPECT_EQ(cause_of("/a/k.cu(4): catastrophic error: no"), "k.cu:4: no");
  EXPECT_EQ(cause_of("k.cu:4:1: fatal error: no"), "k.cu:4:1: no");
}

TEST(FailureSummary, SaysTheMostFrequentFirstAndWhereTheRestIs) {
  EXPECT_EQ(failure_summary(mixed(), kVecAndForm, "tuner results s.yaml --failures"),
            "failures by cause:\n"
            "  12 x compile: saxpy.cu:3: identifier \"TUNE_VECC\" is undefined\n"
            "   3 x correctness: y[0] = -0.05, expected 1e-00 (7 of 9 differ)\n"
            "   1 x compile: saxpy.cu:3: something else\n"
            "more of them: tuner results s.yaml --failures\n");
  EXPECT_EQ(failure_summary(results_of({}), kVecAndForm, "x"), "");
}

TEST(FailureSummary, TheStateIsInTheColourOfWhatIsBad) {
  const std::string text = failure_summary(mixed(), kVecAndForm, "x", Colours("always", stdout));
  EXPECT_NE(text.find("   3 x \x1b[31mcorrectness\x1b[0m: y[0]"), std::string::npos) << text;
}

TEST(FailureSummary, HasFiveGroupsAtMost) {
  std::vector<Trial> trials;
  for (const char* what : {"a", "b", "c", "d", "e", "f", "g"}) {
    trials.push_back(failed(TrialState::kRuntime, 1, "plain", what));
  }
  const std::string text = failure_summary(results_of(std::move(trials)), kVecAndForm, "x");
  EXPECT_NE(text.find("   1 x runtime: e\n     and 2 more causes\n"), std::string::npos) << text;
}

TEST(FailureSummary, OfASingleReasonTheLogIsShown) {
  std::string log = "k.cu(1): error: no\n";
  for (int i = 0; i < 20; ++i) log += "line\n";
  const std::string text =
      failure_summary(results_of({failed(TrialState::kCompile, 1, "plain", log),
                                  failed(TrialState::kCompile, 2, "plain", log)}),
                      kVecAndForm, "x");
  EXPECT_NE(
      text.find("all 2 for one reason, as VEC=1 FORM=plain:\n    k.cu(1): error: no\n    line"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("    ... and 9 more lines\n"), std::string::npos) << text;
}

TEST(FailureSummary, OfASingleReasonTheLogBeginsWithTheError) {
  std::string log;
  for (int i = 0; i < 20; ++i) log += "k.cu(1): warning #177-D: unused\n";
  const Trial one = failed(TrialState::kCompile, 1, "plain", log + "k.cu(9): error: no\n  x\n");
  EXPECT_EQ(failure_summary(results_of({one, one}), kVecAndForm, "x"),
            "all 2 for one reason, as VEC=1 FORM=plain:\n    k.cu(9): error: no\n      x\n"
            "more of them: x\n");
}

// The run writes it in front of the compiler's log.
TEST(FailureSummary, WhatTheLogSaysOfAMacroWithoutItsPrefixIsToldOnce) {
  const std::string note = "note: VEC is a parameter; its macro is MY_VEC";
  const std::string log = note + "\nk.cu:4:47: error: 'VEC' was not declared in this scope";
  const Trial one = failed(TrialState::kCompile, 1, "plain", log);
  EXPECT_EQ(
      failure_summary(results_of({one}), kVecAndForm, "x"),
      "failures by cause:\n   1 x compile: k.cu:4:47: 'VEC' was not declared in this scope\n" +
          note + "\nmore of them: x\n");
  const std::string of_all = failure_summary(results_of({one, one}), kVecAndForm, "x");
  EXPECT_NE(of_all.find("    " + note + "\n"), std::string::npos) << of_all;
  EXPECT_EQ(of_all.find(note), of_all.rfind(note)) << of_all;
  const auto other = results_of({failed(TrialState::kCompile, 1, "plain", "k.cu(1): error: no")});
  EXPECT_EQ(failure_summary(other, kVecAndForm, "x").find("note: "), std::string::npos);
}

TEST(FailureReport, HasAnExampleOfEachCause) {
  const std::string text = failure_report(mixed(), kVecAndForm);
  EXPECT_NE(text.find("  12 x compile: saxpy.cu:3: identifier \"TUNE_VECC\" is undefined\n"
                      "    such as VEC=0 FORM=plain\n"
                      "    /somewhere/else0/saxpy.cu(3): error: identifier"),
            std::string::npos)
      << text;
  EXPECT_EQ(failure_report(results_of({}), kVecAndForm), "nothing failed\n");
}

TEST(FailureReport, TextCannotTearItApart) {
  const std::string text = failure_report(
      results_of({failed(TrialState::kRuntime, 1, "\x1b[31m", "said \x1b[31m")}), kVecAndForm);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

}  // namespace
}  // namespace tuner
