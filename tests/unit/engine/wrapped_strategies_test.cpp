#include "tuner/engine/wrapped_strategies.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_evaluator.h"
#include "tests/fakes/fake_strategy.h"
#include "tuner/engine/tuning_loop.h"

namespace tuner {
namespace {

// Asks for 0, 1, 2, ... and remembers the answers.
class Counting final : public Strategy {
 public:
  Counting(ConfigIndex size, std::vector<ConfigIndex>& told) : size_(size), told_(told) {}
  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count && next_ < size_) out.push_back(next_++);
    return out;
  }
  void tell(const Observation& observation) override { told_.push_back(observation.index); }

 private:
  ConfigIndex size_;
  ConfigIndex next_ = 0;
  std::vector<ConfigIndex>& told_;
};

Observation about(ConfigIndex index) {
  Observation out;
  out.index = index;
  return out;
}

using Indices = std::vector<ConfigIndex>;

TEST(Postponed, SuspectsComeLastAndEachAlone) {
  Indices told;
  Postponed strategy({1, 2}, std::make_unique<Counting>(4, told));
  EXPECT_EQ(strategy.ask(3), (Indices{0}));
  EXPECT_EQ(strategy.ask(2), (Indices{3}));
  EXPECT_EQ(strategy.ask(2), (Indices{})) << "while others are on their way";
  EXPECT_EQ(strategy.held_back(), (Indices{1, 2}));
  strategy.tell(about(0));
  strategy.tell(about(3));
  EXPECT_EQ(strategy.ask(8), (Indices{1}));
  EXPECT_EQ(strategy.ask(8), (Indices{})) << "nothing beside it";
  strategy.tell(about(1));
  EXPECT_EQ(strategy.ask(8), (Indices{2}));
  strategy.tell(about(2));
  EXPECT_EQ(strategy.ask(8), (Indices{}));
  EXPECT_EQ(told, (Indices{0, 3, 1, 2}));
}

TEST(Postponed, WhatItHearsOfTheMachineGoesToTheOther) {
  auto fake = std::make_unique<FakeStrategy>(Indices{0});
  const FakeStrategy& other = *fake;
  Postponed strategy({}, std::move(fake));
  strategy.notice({.compile_workers = 5});
  EXPECT_EQ(strategy.order({1, 2}), (std::vector<ConfigIndex>{2, 1}));
  ASSERT_EQ(other.noticed.size(), 1U);
  EXPECT_EQ(other.noticed.front().compile_workers, 5U);
}

TEST(Postponed, WhatNobodyAsksForIsNotTried) {
  Indices told;
  Postponed strategy({7}, std::make_unique<Counting>(2, told));
  EXPECT_EQ(strategy.ask(8), (Indices{0, 1}));
  strategy.tell(about(0));
  strategy.tell(about(1));
  EXPECT_EQ(strategy.ask(8), (Indices{}));
  EXPECT_TRUE(strategy.held_back().empty());
}

Trial taking(ConfigIndex index, double ms) {
  Trial trial;
  trial.index = index;
  trial.timing.median = ms;
  trial.objective = SearchFigure(ms / 1000);
  return trial;
}

TEST(GivenFirst, GivenOnesComeFirstAndTheStrategyHearsOfThemWhenItAsks) {
  auto script = std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{5, 2, 0, 6});
  FakeStrategy& then = *script;
  GivenFirst strategy({1, 2, 0}, std::move(script));
  FakeEvaluator evaluator(
      1, [](ConfigIndex index) { return taking(index, 1.0 + static_cast<double>(index)); });
  const auto done = run_loop(strategy, evaluator, {}, {}, {});
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{1, 2, 0, 5, 6})) << "none twice";
  EXPECT_EQ(done.evaluations, 5U);
  std::vector<ConfigIndex> told;
  for (const Observation& one : then.told) told.push_back(one.index);
  EXPECT_EQ(told, (std::vector<ConfigIndex>{5, 2, 0, 6})) << "not of 1, for which it did not ask";
}

TEST(GivenFirst, GivenOnesAreMeasuredFirstUnlessTheOtherStrategyAsksForThem) {
  GivenFirst strategy({1, 2}, std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{5, 2, 6}));
  EXPECT_EQ(strategy.ask(2), (std::vector<ConfigIndex>{1, 2}));
  EXPECT_EQ(strategy.ask(3), (std::vector<ConfigIndex>{5, 6}));
  EXPECT_EQ(strategy.order({5, 2, 6, 1}), (std::vector<ConfigIndex>{1, 6, 2, 5}));
}

TEST(GivenFirst, GivenOnesStayWithinTheBudget) {
  GivenFirst strategy({1, 2, 3}, std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{4}));
  FakeEvaluator evaluator(2, [](ConfigIndex index) { return taking(index, 1); });
  Budget two;
  two.evaluations = 2;
  run_loop(strategy, evaluator, {}, two, {});
  EXPECT_EQ(evaluator.submitted, (std::vector<ConfigIndex>{1, 2}));
}

}  // namespace
}  // namespace tuner
