#include "tuner/search/resumption.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_evaluator.h"
#include "tests/fakes/fake_strategy.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {
namespace {

const ObjectiveSpec kTime;

Trial took(ConfigIndex index, double ms, TrialState state = TrialState::kOk) {
  Trial trial;
  trial.index = index;
  trial.configuration = {static_cast<std::int64_t>(index)};
  trial.state = state;
  trial.timing.samples = {ms};
  trial.timing.median = trial.timing.min = ms;
  trial.timing.ci_low = ms * 0.99;
  trial.timing.ci_high = ms * 1.01;
  trial.objective = SearchFigure(ms / 1000);
  return trial;
}

Trial stored(ConfigIndex index, double ms, TrialState state = TrialState::kOk) {
  Trial trial = took(index, ms, state);
  trial.from_store = true;
  return trial;
}

std::vector<Trial> four() {
  return {stored(0, 30), stored(1, 10), stored(2, 20, TrialState::kDropped),
          stored(3, 0, TrialState::kCompile)};
}

// A device on which everything takes `factor` times as long as it did.
FakeEvaluator device(double factor, std::vector<Trial> trials) {
  return FakeEvaluator(4, [factor, trials = std::move(trials)](ConfigIndex index) {
    Trial now = trials.at(static_cast<std::size_t>(index));
    return took(index, now.timing.median * factor, now.state);
  });
}

struct Told {
  std::vector<Trial> changed;
  std::optional<Moved> moved;
};

Told compare(Resumption& resumption, FakeEvaluator& evaluator) {
  Told told;
  told.moved = resumption.compare(evaluator, kNoEnd, [&](std::span<const Trial> changed) {
    told.changed.assign(changed.begin(), changed.end());
  });
  return told;
}

TEST(Resumption, ADeviceAsFastAsThenChangesNothing) {
  Resumption resumption(kTime, {}, four());
  FakeEvaluator same = device(1.02, four());
  const Told told = compare(resumption, same);
  EXPECT_FALSE(told.moved);
  EXPECT_TRUE(told.changed.empty());
  EXPECT_EQ(same.submitted, std::vector<ConfigIndex>{1}) << "the best, and once";
  for (const Trial& trial : four()) {
    ASSERT_TRUE(resumption.recall(trial.index)) << static_cast<int>(trial.index);
    EXPECT_TRUE(resumption.recall(trial.index)->trial.from_store);
  }
}

TEST(Resumption, ASlowerOrFasterDeviceOutdatesWhatIsRanked) {
  for (const double factor : {1.9, 0.5}) {
    Resumption resumption(kTime, {}, four());
    FakeEvaluator changed = device(factor, four());
    const Told told = compare(resumption, changed);
    ASSERT_TRUE(told.moved);
    EXPECT_DOUBLE_EQ(told.moved->ratio, factor);
    EXPECT_EQ(told.moved->results, 2U);
    ASSERT_EQ(told.changed.size(), 3U);
    EXPECT_EQ(told.changed.back().index, 1U) << "what was measured comes last";
    EXPECT_FALSE(told.changed.back().outdated);
    EXPECT_TRUE(told.changed.front().outdated);
    EXPECT_NE(told.changed.front().message.find(factor > 1 ? "1.9 times faster" : "2 times slower"),
              std::string::npos)
        << told.changed.front().message;
    EXPECT_DOUBLE_EQ(resumption.recall(1)->trial.timing.median, 10 * factor);
    EXPECT_FALSE(resumption.recall(1)->trial.from_store) << "it was measured in this run";
    EXPECT_FALSE(resumption.recall(0));
    EXPECT_FALSE(resumption.recall(2));
    EXPECT_TRUE(resumption.recall(3)) << "a failure does not depend on the speed";
    EXPECT_EQ(resumption.outdated(), (std::vector<ConfigIndex>{0, 2}))
        << "best first, dropped last";
  }
}

TEST(Resumption, AFinalOfTheOldSpeedIsForgotten) {
  std::vector<Trial> trials{stored(0, 10), stored(1, 10.1)};
  for (Trial& trial : trials) trial.final.emplace().samples = {10, 10};
  Resumption resumption(kTime, {}, trials);
  FakeEvaluator slow = device(2, trials);
  const Told told = compare(resumption, slow);
  ASSERT_TRUE(told.moved);
  for (const Trial& trial : resumption.trials()) EXPECT_FALSE(trial.final);
}

TEST(Resumption, MoreThanTheIntervalAndThreePerCentIsAMove) {
  const Timing then = took(0, 10).timing;
  EXPECT_FALSE(has_moved(then, took(0, 10.25).timing)) << "apart, but 2.5 %";
  EXPECT_TRUE(has_moved(then, took(0, 10.4).timing));
  EXPECT_TRUE(has_moved(then, took(0, 9.6).timing));
  Timing wide = took(0, 12).timing;
  wide.ci_low = 10;
  EXPECT_FALSE(has_moved(then, wide)) << "20 %, but the intervals meet";
  Timing alone = then;
  alone.ci_low = alone.ci_high = 0;
  EXPECT_TRUE(has_moved(alone, took(0, 10.4).timing)) << "its median is all that was kept";
  EXPECT_FALSE(has_moved(Timing{}, took(0, 10.4).timing)) << "nothing of the search was kept";
}

TEST(Resumption, ABestThatFailsNowIsAFailureAndTheNextBestIsCompared) {
  Resumption resumption(kTime, {}, four());
  FakeEvaluator evaluator(1, [](ConfigIndex index) {
    return index == 1 ? took(1, 0, TrialState::kRuntime) : took(index, 60);
  });
  std::vector<std::size_t> told;
  const auto moved = resumption.compare(
      evaluator, kNoEnd, [&](std::span<const Trial> changed) { told.push_back(changed.size()); });
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->then.index, 0U);
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{1, 0}));
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(resumption.recall(1)->trial.state, TrialState::kRuntime);
}

TEST(Resumption, AnInterruptionLeavesEverythingAsItWas) {
  Resumption resumption(kTime, {}, four());
  FakeEvaluator evaluator = device(2, four());
  evaluator.interrupt_after = 0;
  const Told told = compare(resumption, evaluator);
  EXPECT_FALSE(told.moved);
  EXPECT_TRUE(resumption.outdated().empty());
  EXPECT_TRUE(resumption.recall(1));
}

TEST(Resumption, OutdatedTrialsOfAnEarlierRunAreMeasuredAgainByTheNext) {
  std::vector<Trial> trials = four();
  trials[0].outdated = true;
  const Resumption resumption(kTime, {}, trials);
  EXPECT_FALSE(resumption.recall(0));
  EXPECT_EQ(resumption.outdated(), std::vector<ConfigIndex>{0});
  EXPECT_TRUE(resumption.is_valid_result(0));
}

TEST(Resumption, GivenOnesComeFirstAndTheStrategyHearsOfThemWhenItAsks) {
  auto script = std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{5, 2, 0, 6});
  FakeStrategy& then = *script;
  GivenFirst strategy({1, 2, 0}, std::move(script));
  FakeEvaluator evaluator(1, [](ConfigIndex index) { return took(index, 1.0 + index); });
  const auto done = run_loop(strategy, evaluator, kTime, {}, {});
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{1, 2, 0, 5, 6})) << "none twice";
  EXPECT_EQ(done.evaluations, 5U);
  std::vector<ConfigIndex> told;
  for (const Observation& one : then.told) told.push_back(one.index);
  EXPECT_EQ(told, (std::vector<ConfigIndex>{5, 2, 0, 6})) << "not of 1, for which it did not ask";
}

TEST(Resumption, GivenOnesAreMeasuredFirstUnlessTheOtherStrategyAsksForThem) {
  GivenFirst strategy({1, 2}, std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{5, 2, 6}));
  EXPECT_EQ(strategy.ask(2), (std::vector<ConfigIndex>{1, 2}));
  EXPECT_EQ(strategy.ask(3), (std::vector<ConfigIndex>{5, 6}));
  EXPECT_EQ(strategy.order({5, 2, 6, 1}), (std::vector<ConfigIndex>{1, 6, 2, 5}));
}

TEST(Resumption, GivenOnesStayWithinTheBudget) {
  GivenFirst strategy({1, 2, 3}, std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{4}));
  FakeEvaluator evaluator(2, [](ConfigIndex index) { return took(index, 1); });
  Budget two;
  two.evaluations = 2;
  run_loop(strategy, evaluator, kTime, two, {});
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{1, 2}));
}

}  // namespace
}  // namespace tuner
