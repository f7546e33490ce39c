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
  EXPECT_TRUE(heard.heard("final: the best 3 again, interleaved"));
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
  std::size_t failed = 0;
  for (const Trial& trial : stored()) failed += trial.state == TrialState::kCorrectness ? 1 : 0;
  EXPECT_EQ(failed, 1U);
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
  std::size_t finalists = 0;
  for (const Trial& trial : stored()) finalists += trial.final ? 1 : 0;
  EXPECT_EQ(finalists, 2U);
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

}  // namespace
}  // namespace tuner::test
