// Who takes part in a final, when one is held, and what it does to the ranking.

#include "tuner/run/final.h"

#include "run_fixture.h"

namespace tuner::test {
namespace {

class FinalTest : public RunTest {
 protected:
  FinalTest() {
    // All within a tenth of each other; VEC=1 is the fastest of BLOCK=64.
    device.milliseconds = [this](const Configuration& c, const ProblemSize&) {
      return base_ms + 0.01 * base_ms * static_cast<double>(number(c[1])) +
             (number(c[0]) == 128 ? 0.5 * base_ms : 0);
    };
  }
  double base_ms = 10;
};

TEST_F(FinalTest, TheBestFewTakePart) {
  tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{3}));
  EXPECT_TRUE(heard.heard("final: the best 3 are measured again, alternately"));
}

TEST_F(FinalTest, NoMoreThanTheStudyWants) {
  study.measure.finalists = 2;
  tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{2}));
}

TEST_F(FinalTest, OneFinalistIsNoFinal) {
  study.measure.finalists = 1;
  tune();
  EXPECT_TRUE(device.finals.empty());
}

TEST_F(FinalTest, WhatIsATenthSlowerDoesNotTakePart) {
  study.measure.finalists = 6;
  tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{3}));  // BLOCK=128 is half as slow again
}

TEST_F(FinalTest, ThereIsNoneWhereSlowMayBeBest) {
  study.metrics = {{"slowness", expr("time")}};
  study.objective = {"slowness", true, {}};
  tune();
  EXPECT_TRUE(device.finals.empty());
}

TEST_F(FinalTest, TheBestIsCheckedOnAnotherDeviceWhereThereIsOne) {
  device.milliseconds_elsewhere = [this](const Configuration& c) {
    return 1.02 * base_ms + (number(c[1]) == 1 ? 0.05 * base_ms : 0);
  };
  tune();
  // 10.7 ms there, 10.1 ms here; the second, VEC=2, takes 10.2 ms there.
  EXPECT_TRUE(
      heard.heard("  checked on device 1: the best takes +5.9 % there, and is 4.7 % slower "
                  "than the second"));
}

TEST_F(FinalTest, WithoutAnotherDeviceNothingIsSaidOfACheck) {
  tune();
  EXPECT_FALSE(heard.heard("checked on"));
}

TEST_F(FinalTest, AFinalThatStandsIsNotHeldAgain) {
  tune();
  tune();
  EXPECT_EQ(device.finals.size(), 1U);
}

TEST_F(FinalTest, ABetterTrialAsksForANewOne) {
  tune();
  study.parameters[1].values.push_back(std::int64_t{0});
  study.derived.clear();
  study.launch.grid[0] = expr("n");
  tune();
  EXPECT_GE(device.finals.size(), 2U);
}

TEST_F(FinalTest, MoreFinalistsAskForANewOne) {
  study.measure.finalists = 2;
  tune();
  study.measure.finalists = 3;
  tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{2, 3}));
}

TEST_F(FinalTest, OneThatFailsInTheFinalIsRecordedAsFailed) {
  device.state_in_final = [](const Configuration& c) {
    return c == config(64, 1) ? TrialState::kCorrectness : TrialState::kOk;
  };
  const SizeOutcome outcome = tune();
  EXPECT_EQ(winner(outcome), config(64, 2));
  EXPECT_EQ(outcome.results.trials.back().state, TrialState::kCorrectness);
  EXPECT_EQ(count_stored([](const Trial& t) { return t.state == TrialState::kCorrectness; }), 1U);
}

TEST_F(FinalTest, WhereAllFailTheRankingIsTheSearchs) {
  device.state_in_final = [](const Configuration&) { return TrialState::kRuntime; };
  const SizeOutcome outcome = tune();
  EXPECT_EQ(outcome.results.ranked, 3U);
  EXPECT_EQ(winner(outcome), config(128, 1));
}

TEST_F(FinalTest, WhatItFindsStandsBesideWhatTheSearchFound) {
  device.before_final = [this] { device.slower = 1.1; };  // a hot board
  study.metrics = {{"rate", expr("1 / time")}};
  const SizeOutcome outcome = tune();
  const Trial& best = outcome.results.trials.front();
  ASSERT_TRUE(best.final);
  EXPECT_EQ(best.final->samples.size(), static_cast<std::size_t>(device.rounds.front()));
  EXPECT_DOUBLE_EQ(best.timing.median, 10.1);
  EXPECT_DOUBLE_EQ(best.objective.value(), 10.1e-3);
  EXPECT_DOUBLE_EQ(best.final->median_ms.value(), 11.11);
  EXPECT_DOUBLE_EQ(best.final->metrics.front().second, 1000 / 11.11);
  EXPECT_DOUBLE_EQ(best.metrics.front().second, 1000 / 10.1);
  for (const Trial& trial : stored()) {
    EXPECT_LT(trial.timing.median, 16) << "the search's own, in the store as well";
  }
}

TEST_F(FinalTest, AHotFinalOutdatesNothing) {
  device.before_final = [this] { device.slower = 1.1; };
  tune();
  device.slower = 1;
  study.parameters[1].values.push_back(std::int64_t{3});  // something is left to be measured
  tune();
  EXPECT_FALSE(heard.heard("than when these results were measured"));
}

TEST_F(FinalTest, SamplesOfAnEarlierFinalGoWhenANewOneIsHeld) {
  study.measure.finalists = 2;
  tune();
  device.state_in_final = [](const Configuration& c) {
    return c == config(64, 1) ? TrialState::kRuntime : TrialState::kOk;
  };
  study.measure.finalists = 3;
  tune();
  EXPECT_EQ(count_stored([](const Trial& trial) { return trial.final.has_value(); }), 2U);
}

TEST_F(FinalTest, ShortKernelsGetMoreRoundsThanLongOnes) {
  base_ms = 0.01;
  tune();
  base_ms = 1000;
  settings.fresh = true;
  tune();
  EXPECT_EQ(device.rounds, (std::vector<int>{151, 31}));
}

TEST_F(FinalTest, AnInterruptedRunKeepsTheEarlierFinal) {
  const Configuration best = winner(tune());
  heard.on_trial = [this](const Trial&) { interrupted = true; };
  const SizeOutcome again = tune();
  EXPECT_EQ(winner(again), best);
  EXPECT_TRUE(again.results.trials.front().final);
  EXPECT_EQ(device.finals.size(), 1U);
}

TEST_F(FinalTest, NoneIsDueForFewerThanTwo) {
  std::vector<Trial> one(1);
  one.front().timing.median = 1;
  EXPECT_TRUE(finalists_due(study, study.sizes.front(), device.facts, one).empty());
  EXPECT_TRUE(finalists_due(study, study.sizes.front(), device.facts, {}).empty());
}

TEST_F(FinalTest, ASearchLeavesItTheTimeThatItTakes) {
  device.seconds = 0.5;
  study.search.budget.seconds = 100;
  tune();
  EXPECT_EQ(device.finals.size(), 1U);
  // All but the three seconds of the search, and what is kept for the files.
  EXPECT_NEAR(device.seconds_for_final, 97 - 1.1, 0.2);
  study.search.budget.seconds.reset();
  settings.fresh = true;
  tune();
  EXPECT_EQ(device.seconds_for_final, kNoEnd);
}

TEST_F(FinalTest, WithoutTheTimeForOneTheSearchRanksAndTheRunSaysSo) {
  study.search.budget.seconds =
      3.5;  // a second for each trial, and about as long for each finalist
  const SizeOutcome outcome = tune();
  EXPECT_TRUE(device.finals.empty());
  EXPECT_TRUE(heard.heard("  no final: it would take ")) << heard.notes.back();
  EXPECT_TRUE(heard.heard("of the budget are left; ranked by the search"));
  EXPECT_GE(outcome.results.ranked, 2U);
  EXPECT_FALSE(outcome.csv_path.empty());
  // The next run, which has the time, makes up for it.
  study.search.budget.seconds = 1000;
  tune();
  EXPECT_EQ(device.finals.size(), 1U);
}

TEST_F(FinalTest, WhereTheBestFailBesideEachOtherOnlyTheSearchRanksAndTheRunSaysSo) {
  device.fails_together = true;
  const SizeOutcome outcome = tune();
  EXPECT_EQ(device.finals.size(), 1U);
  EXPECT_TRUE(heard.heard(
      "  no final: the best cannot be measured beside each other; ranked by the search"));
  EXPECT_EQ(outcome.results.ranked, outcome.results.trials.size());
}

TEST_F(FinalTest, WithTimeForFewerTheBestOfThemTakePart) {
  // Six seconds of search; each of the three finalists takes a little more than one.
  study.search.budget.seconds = 9;
  const SizeOutcome outcome = tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{2}));
  EXPECT_EQ(number(winner(outcome)[1]), 1);
  EXPECT_TRUE(outcome.results.trials.front().final);
  // The next run, which has the time, asks them all.
  study.search.budget.seconds = 1000;
  tune();
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{2, 3}));
}

TEST(FinalEstimate, IsNothingBeforeThereAreTwoToTakePart) {
  MeasureSpec measure;
  measure.finalists = 4;
  FinalEstimate estimate(measure);
  EXPECT_EQ(estimate.seconds(), 0);
  Trial trial;
  trial.timing.median = 10;
  trial.cost_seconds = 3;
  trial.compile_ms = 2000;
  estimate.hear(trial);
  EXPECT_EQ(estimate.fewest_seconds(), 0);
  trial.state = TrialState::kCompile;
  estimate.hear(trial);
  EXPECT_EQ(estimate.seconds(), 0);
  trial.state = TrialState::kOk;
  trial.timing.median = 20;
  estimate.hear(trial);
  EXPECT_EQ(estimate.seconds(), 0) << "more than a tenth slower";
  trial.timing.median = 10.5;
  estimate.hear(trial);
  // Two finalists: a second each to be verified, and rounds of 10 ms and as much around each.
  EXPECT_NEAR(estimate.fewest_seconds(), 2 + 7 * 0.04, 1e-9);
  EXPECT_NEAR(estimate.seconds(), 2 + 75 * 0.04, 1e-9);
  EXPECT_EQ(estimate.room(2.3), 4U) << "as many as the study wants";
  EXPECT_EQ(estimate.room(1.2), 1U);
  EXPECT_EQ(estimate.room(-1), 0U);
  for (int i = 0; i < 10; ++i) estimate.hear(trial);
  EXPECT_NEAR(estimate.seconds(), 4 + 37.5 * 0.08, 1e-9) << "no more than four take part";
}

}  // namespace
}  // namespace tuner::test
