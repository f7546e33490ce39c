#include <gtest/gtest.h>

#include "tests/fakes/fake_strategy.h"
#include "tuner/search/resumption.h"

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

}  // namespace
}  // namespace tuner
