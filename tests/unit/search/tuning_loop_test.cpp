#include "tuner/search/tuning_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/fakes/fake_evaluator.h"
#include "tests/fakes/fake_strategy.h"

namespace tuner {
namespace {

std::vector<ConfigIndex> first(std::size_t count) {
  std::vector<ConfigIndex> out(count);
  std::iota(out.begin(), out.end(), ConfigIndex{0});
  return out;
}

Trial ok_trial(ConfigIndex index) {
  Trial trial;
  trial.objective = SearchFigure(100 - static_cast<double>(index));
  return trial;
}

std::uint64_t number(ConfigIndex index) { return static_cast<std::uint64_t>(index); }

TEST(TuningLoop, EvaluatesEverythingTheStrategyProposes) {
  FakeStrategy strategy(first(10));
  FakeEvaluator evaluator(3, ok_trial);
  std::vector<Trial> seen;
  const LoopResult result =
      run_loop(strategy, evaluator, {}, {}, {[&](const Trial& t) { seen.push_back(t); }, {}});
  EXPECT_EQ(result.end, LoopEnd::kExhausted);
  EXPECT_EQ(result.reason, "nothing is left to try");
  EXPECT_EQ(result.evaluations, 10U);
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(strategy.told.size(), 10U);
}

TEST(TuningLoop, KeepsTheEvaluatorsCapacityBusyAndNoMore) {
  FakeStrategy strategy(first(20));
  FakeEvaluator evaluator(4, ok_trial);
  run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_EQ(evaluator.most_outstanding, 4U);
}

// 0 to 4 are known, the others are not.
LoopCallbacks with_known(std::function<bool()> before_new) {
  LoopCallbacks callbacks;
  callbacks.is_known = [](ConfigIndex index) { return index < 5; };
  callbacks.before_new = std::move(before_new);
  return callbacks;
}

TEST(TuningLoop, BeforeANewQuestionWhatIsKnownHasComeIn) {
  FakeStrategy strategy({0, 1, 7, 2, 3});
  FakeEvaluator evaluator(4, ok_trial);
  std::vector<std::size_t> told;
  run_loop(strategy, evaluator, {}, {}, with_known([&] {
             told.push_back(strategy.told.size());
             return true;
           }));
  EXPECT_EQ(told, std::vector<std::size_t>{2});
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{0, 1, 7, 2, 3}));
}

TEST(TuningLoop, WhatIsDoneBeforeANewQuestionMayEndTheSearch) {
  FakeStrategy strategy({0, 7, 1});
  FakeEvaluator evaluator(4, ok_trial);
  const LoopResult result = run_loop(strategy, evaluator, {}, {}, with_known([] { return false; }));
  EXPECT_EQ(result.end, LoopEnd::kInterrupted);
  EXPECT_EQ(result.evaluations, 1U);
  EXPECT_EQ(evaluator.submitted, std::vector<ConfigIndex>{0});
}

TEST(TuningLoop, WhereEverythingAskedForIsKnownNothingIsDoneBefore) {
  FakeStrategy strategy({3, 0, 1, 2, 7});
  FakeEvaluator evaluator(4, ok_trial);
  Budget four;
  four.evaluations = 4;
  run_loop(strategy, evaluator, {}, four, with_known([] {
             ADD_FAILURE() << "nothing new was asked for";
             return true;
           }));
  EXPECT_EQ(strategy.told.size(), 4U);
}

TEST(TuningLoop, BeforeEachAskTheStrategyHearsOfTheMachineAndOfWhatIsLeft) {
  FakeStrategy strategy(first(3));
  FakeEvaluator evaluator(2, ok_trial);
  evaluator.workers = 2;
  run_loop(strategy, evaluator, {}, Budget{3, 20}, {});
  ASSERT_EQ(strategy.noticed.size(), strategy.asked.size());
  const MachineState& at_first = strategy.noticed[0];
  EXPECT_EQ(at_first.compile_workers, 2U);
  EXPECT_TRUE(at_first.under_way.empty());
  EXPECT_EQ(at_first.evaluations_left, 3);
  EXPECT_EQ(at_first.seconds_left, 20);
  const MachineState& then = strategy.noticed[1];
  ASSERT_EQ(then.under_way.size(), 1U);
  EXPECT_EQ(number(then.under_way[0].index), 1U);
  EXPECT_EQ(then.evaluations_left, 1);
  EXPECT_EQ(then.seconds_left, 19);
}

TEST(TuningLoop, AfterEachAnswerTheStrategyReordersWhatIsCompiled) {
  FakeStrategy strategy(first(4));
  FakeEvaluator evaluator(4, ok_trial);
  evaluator.workers = 2;
  evaluator.stage = TUNER_STAGE_COMPILED;
  run_loop(strategy, evaluator, {}, {}, {});
  std::vector<std::uint64_t> told;
  for (const Observation& one : strategy.told) told.push_back(number(one.index));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 3, 1, 2}));
  EXPECT_EQ(strategy.ordered, (std::vector<std::vector<ConfigIndex>>{{1, 2, 3}, {2, 1}}))
      << "one alone has no order";
}

TEST(TuningLoop, WhatIsStillCompiledIsNotReordered) {
  FakeStrategy strategy(first(4));
  FakeEvaluator evaluator(4, ok_trial);
  evaluator.workers = 2;
  run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_TRUE(strategy.ordered.empty());
}

TEST(TuningLoop, WhereNoClockEndsTheSearchTheStrategyHearsNothingThatDependsOnTime) {
  FakeStrategy strategy(first(3));
  FakeEvaluator evaluator(2, ok_trial);
  evaluator.workers = 2;
  evaluator.newest_first = true;
  run_loop(strategy, evaluator, {}, Budget{3, {}}, {});
  const auto open = strategy.noticed.at(1).under_way;
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(number(open[0].index), 0U);
  EXPECT_EQ(open[0].seconds, 0);
  FakeStrategy timed(first(3));
  run_loop(timed, evaluator, {}, Budget{3, 100}, {});
  EXPECT_EQ(timed.noticed.at(1).under_way.at(0).seconds, 1);
}

TEST(TuningLoop, WithoutABudgetThereIsNoEnd) {
  FakeStrategy strategy(first(1));
  FakeEvaluator evaluator(1, ok_trial);
  evaluator.workers = 1;
  run_loop(strategy, evaluator, {}, {}, {});
  ASSERT_FALSE(strategy.noticed.empty());
  EXPECT_TRUE(std::isinf(strategy.noticed[0].evaluations_left));
  EXPECT_TRUE(std::isinf(strategy.noticed[0].seconds_left));
}

TEST(TuningLoop, WithoutAMachineTheStrategyHearsOfNone) {
  FakeStrategy strategy(first(3));
  FakeEvaluator evaluator(2, ok_trial);
  run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_TRUE(strategy.noticed.empty());
}

TEST(TuningLoop, NeverExceedsTheEvaluations) {
  for (const std::uint64_t limit : {1U, 3U, 4U, 5U, 17U}) {
    FakeStrategy strategy(first(100));
    FakeEvaluator evaluator(4, ok_trial);
    const LoopResult result = run_loop(strategy, evaluator, {}, Budget{limit, {}}, {});
    EXPECT_EQ(result.end, LoopEnd::kBudget);
    EXPECT_EQ(evaluator.submitted.size(), limit);
    EXPECT_EQ(result.evaluations, limit) << "what was outstanding is drained and counts";
    EXPECT_EQ(strategy.told.size(), limit);
  }
}

TEST(TuningLoop, NeverExceedsTheEvaluationsForAStrategyThatProposesMoreThanAsked) {
  class Generous : public FakeStrategy {
   public:
    using FakeStrategy::FakeStrategy;
    std::vector<ConfigIndex> ask(std::size_t) override { return FakeStrategy::ask(10); }
  };
  Generous strategy(first(100));
  FakeEvaluator evaluator(4, ok_trial);
  EXPECT_EQ(run_loop(strategy, evaluator, {}, Budget{6, {}}, {}).evaluations, 6U);
  EXPECT_EQ(evaluator.submitted.size(), 6U);
  EXPECT_EQ(evaluator.most_outstanding, 4U);
}

TEST(TuningLoop, CancelsWhatIsOpenWhenTheTimeIsOver) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(4, ok_trial);  // a second for each trial
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{{}, 9.5}, {});
  EXPECT_EQ(result.end, LoopEnd::kBudget);
  EXPECT_EQ(result.reason, "9.5 seconds");
  EXPECT_EQ(evaluator.now(), 9.5);
  EXPECT_EQ(result.evaluations, 9U);
  EXPECT_EQ(evaluator.submitted.size(), 13U);
  EXPECT_EQ(evaluator.cancelled, 4U);
  EXPECT_EQ(result.cancelled, 4U);
  EXPECT_EQ(strategy.told.size(), 9U) << "of what was cancelled nothing is known";
}

TEST(TuningLoop, OneThatTakesLongerThanTheWholeTimeDoesNotHoldTheEnd) {
  FakeStrategy strategy(first(3));
  FakeEvaluator evaluator(2, ok_trial);
  evaluator.seconds_per_trial = 1000;
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{{}, 3.0}, {});
  EXPECT_EQ(result.evaluations, 0U);
  EXPECT_EQ(result.cancelled, 2U);
  EXPECT_EQ(evaluator.now(), 3);
}

TEST(TuningLoop, LeavesOfItsTimeWhatFollowsNeedsAndTellsTheStrategySo) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(1, ok_trial);
  evaluator.workers = 1;
  double reserve = 1;
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial&) { reserve = 4; };
  callbacks.reserve = [&] { return reserve; };
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{{}, 10.0}, callbacks);
  EXPECT_EQ(result.evaluations, 6U);
  EXPECT_EQ(evaluator.now(), 6);
  EXPECT_EQ(result.reason, "10 seconds");
  EXPECT_EQ(strategy.noticed.at(0).seconds_left, 9);
  EXPECT_EQ(strategy.noticed.at(1).seconds_left, 5);
}

// Each of 0 to 19 is compiled for half a second, but the third.
FakeEvaluator with_a_straggler(double until) {
  FakeEvaluator evaluator(8, [](ConfigIndex index) {
    Trial trial = ok_trial(index);
    trial.compile_ms = 500;
    return trial;
  });
  evaluator.workers = 8;
  evaluator.seconds_per_trial = 0.25;
  evaluator.slow = 2;
  evaluator.slow_until = until;
  return evaluator;
}

std::size_t times_told(const FakeStrategy& strategy, ConfigIndex index) {
  return static_cast<std::size_t>(std::ranges::count(strategy.told, index, &Observation::index));
}

TEST(TuningLoop, AStragglerDoesNotHoldUpAGeneration) {
  FakeStrategy strategy(first(20));
  strategy.generation = true;
  FakeEvaluator evaluator = with_a_straggler(60);
  std::vector<std::pair<std::uint64_t, double>> came;
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    came.emplace_back(number(trial.index), evaluator.now());
  };
  const LoopResult result = run_loop(strategy, evaluator, {}, {}, callbacks);
  EXPECT_EQ(result.evaluations, 20U) << "without a budget everything is waited for";
  EXPECT_EQ(result.stragglers, 0U);
  ASSERT_EQ(came.size(), 20U);
  EXPECT_LT(came[18].second, 20) << "the other generations went on";
  EXPECT_EQ(came[19], (std::pair<std::uint64_t, double>{2, 60}));
  EXPECT_EQ(times_told(strategy, 2), 1U);
  const auto told = std::ranges::find(strategy.told, ConfigIndex{2}, &Observation::index);
  EXPECT_EQ(told->state, state_number(TrialState::kTimeout));
  EXPECT_GT(told->compile_seconds, 10);
}

TEST(TuningLoop, AStragglerThatIsCompiledAfterAllIsATrialLikeAnyOther) {
  FakeStrategy strategy(first(100));
  strategy.generation = true;
  FakeEvaluator evaluator = with_a_straggler(15);
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{100, {}}, {});
  EXPECT_EQ(result.evaluations, 100U);
  EXPECT_EQ(result.stragglers, 0U);
  EXPECT_EQ(times_told(strategy, 2), 1U);
}

TEST(TuningLoop, AStragglerDoesNotHoldTheEndOfASearchThatHasABudget) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator = with_a_straggler(1000);
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{20, {}}, {});
  EXPECT_EQ(result.evaluations, 19U);
  EXPECT_EQ(result.stragglers, 1U);
  EXPECT_EQ(evaluator.cancelled, 1U);
  EXPECT_LT(evaluator.now(), 20);
}

TEST(TuningLoop, WhileTooFewAreCompiledNothingIsAStraggler) {
  FakeStrategy strategy(first(4));
  FakeEvaluator evaluator = with_a_straggler(100);
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{4, {}}, {});
  EXPECT_EQ(result.evaluations, 4U);
  EXPECT_EQ(evaluator.now(), 100);
}

TEST(Stragglers, TakeTenTimesTheMedianAndMoreThanTenSeconds) {
  Stragglers stragglers;
  Trial trial;
  for (const double seconds : {1.0, 2.0, 3.0, 4.0}) {
    trial.compile_ms = 1000 * seconds;
    stragglers.heard(trial);
  }
  EXPECT_FALSE(stragglers.limit_seconds()) << "four tell too little";
  trial.compile_ms = 0;  // from a cache
  stragglers.heard(trial);
  trial.compile_ms = 9000;
  trial.from_store = true;
  stragglers.heard(trial);
  EXPECT_FALSE(stragglers.limit_seconds());
  trial.from_store = false;
  stragglers.heard(trial);
  EXPECT_EQ(stragglers.limit_seconds(), 30);
  const auto held = [&](std::vector<UnderWay> under_way) {
    MachineState machine;
    machine.under_way = std::move(under_way);
    return stragglers.hold_all_up(machine);
  };
  EXPECT_FALSE(held({}));
  EXPECT_FALSE(held({{0, TUNER_STAGE_COMPILING, 40, 30}})) << "it may have waited before";
  EXPECT_TRUE(held({{0, TUNER_STAGE_COMPILING, 40, 31}, {1, TUNER_STAGE_COMPILING, 31, 31}}));
  EXPECT_FALSE(held({{0, TUNER_STAGE_COMPILING, 40, 31}, {1, TUNER_STAGE_COMPILING, 1, 1}}));
  EXPECT_FALSE(held({{0, TUNER_STAGE_COMPILING, 40, 31}, {1, TUNER_STAGE_QUEUED, 40, 0}}));
  EXPECT_FALSE(held({{0, TUNER_STAGE_COMPILING, 40, 31}, {1, TUNER_STAGE_COMPILED, 40, 0}}));
  EXPECT_FALSE(held({{0, TUNER_STAGE_COMPILING, 40, 31}, {1, TUNER_STAGE_RUNNING, 40, 0}}));
}

TEST(Stragglers, OfQuickCompilationsTakeTenSeconds) {
  Stragglers stragglers;
  Trial trial;
  trial.compile_ms = 100;
  for (int i = 0; i < 5; ++i) stragglers.heard(trial);
  EXPECT_EQ(stragglers.limit_seconds(), 10);
}

TEST(TuningLoop, StopsSubmittingWhenInterruptedAndKeepsWhatComesBack) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(4, ok_trial);
  int trials = 0;
  const LoopResult result = run_loop(
      strategy, evaluator, {}, {}, {[&](const Trial&) { ++trials; }, [&] { return trials >= 5; }});
  EXPECT_EQ(result.end, LoopEnd::kInterrupted);
  EXPECT_EQ(trials, 8) << "five, and the three outstanding";
  EXPECT_EQ(result.evaluations, 8U);
}

TEST(TuningLoop, EndsWhenTheEvaluatorItselfIsInterrupted) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(4, ok_trial);
  evaluator.interrupt_after = 6;
  const LoopResult result = run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_EQ(result.end, LoopEnd::kInterrupted);
  EXPECT_EQ(result.evaluations, 6U);
}

TEST(TuningLoop, AnswersARepeatedProposalFromMemory) {
  FakeStrategy strategy({7, 7, 8, 7});
  FakeEvaluator evaluator(1, ok_trial);
  const LoopResult result = run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_EQ(result.evaluations, 2U);
  EXPECT_EQ(evaluator.submitted.size(), 2U);
  std::vector<std::uint64_t> told;
  for (const Observation& o : strategy.told) told.push_back(number(o.index));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{7, 7, 8, 7}));
}

TEST(TuningLoop, GivesUpOnAStrategyThatOnlyRepeatsItself) {
  FakeStrategy strategy({3});
  strategy.repeats = true;
  FakeEvaluator evaluator(1, ok_trial);
  const LoopResult result = run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_EQ(result.end, LoopEnd::kExhausted);
  EXPECT_EQ(result.reason, "the strategy proposes nothing new");
  EXPECT_EQ(result.evaluations, 1U);
}

TEST(TuningLoop, WaitsForAnswersWhenTheStrategyWantsThemFirst) {
  FakeStrategy strategy(first(9));
  strategy.generation = true;
  FakeEvaluator evaluator(3, ok_trial);
  evaluator.newest_first = true;
  EXPECT_EQ(run_loop(strategy, evaluator, {}, {}, {}).evaluations, 9U);
  EXPECT_EQ(evaluator.most_outstanding, 3U);
}

TEST(TuningLoop, TellsFailuresWithoutAnObjective) {
  FakeStrategy strategy(first(2));
  FakeEvaluator evaluator(1, [](ConfigIndex index) {
    Trial trial = ok_trial(index);
    trial.state = index == 0 ? TrialState::kCompile : TrialState::kDropped;
    trial.cost_seconds = 2;
    return trial;
  });
  run_loop(strategy, evaluator, {"gflops", true}, {}, {});
  ASSERT_EQ(strategy.told.size(), 2U);
  EXPECT_EQ(strategy.told[0].state, state_number(TrialState::kCompile));
  EXPECT_TRUE(strategy.told[0].objectives.empty());
  EXPECT_EQ(strategy.told[0].cost_seconds, 2);
  // Maximised figures are negated: strategies minimise.
  EXPECT_EQ(strategy.told[1].objectives, std::vector<double>{-99});
}

TEST(TuningLoop, TellsATrialWhoseMetricHasNoValueAsAFailure) {
  Trial trial;
  trial.objective = SearchFigure(std::numeric_limits<double>::quiet_NaN());
  const Observation observation = observation_of({"gflops", true}, trial);
  EXPECT_TRUE(observation.objectives.empty());
  EXPECT_NE(observation.state, state_number(TrialState::kOk));
}

TEST(TuningLoop, StopsAtTheTarget) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(1, ok_trial);  // 100, 99, 98, ...
  Budget budget;
  budget.target = 95;
  const LoopResult result = run_loop(strategy, evaluator, {}, budget, {});
  EXPECT_EQ(result.evaluations, 6U);
  EXPECT_EQ(result.reason, "the target of 95 is reached");
}

}  // namespace
}  // namespace tuner
