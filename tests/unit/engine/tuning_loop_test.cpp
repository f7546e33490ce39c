#include "tuner/engine/tuning_loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

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

TEST(TuningLoop, DrainsWhatIsOutstandingWhenTheTimeIsOver) {
  FakeStrategy strategy(first(100));
  FakeEvaluator evaluator(4, ok_trial);  // a second for each trial
  const LoopResult result = run_loop(strategy, evaluator, {}, Budget{{}, 10.0}, {});
  EXPECT_EQ(result.reason, "10 seconds");
  // After the tenth second nothing is submitted; three more were on their way.
  EXPECT_EQ(evaluator.submitted.size(), 13U);
  EXPECT_EQ(result.evaluations, 13U);
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
  EXPECT_EQ(result.reason, "the strategy only repeats itself");
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
  EXPECT_EQ(strategy.told[0].state, TrialState::kCompile);
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
  EXPECT_NE(observation.state, TrialState::kOk);
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
