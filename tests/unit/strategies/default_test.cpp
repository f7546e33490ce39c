// What holds for `default`.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tests/unit/strategies/driver.h"
#include "tests/unit/strategies/enormous_space.h"
#include "tests/unit/strategies/listed_space.h"

namespace tuner::strategies {
namespace {

TEST(EnormousSpace, DefaultDescendsFarBelowRandom) {
  const tuner_space table = enormous_space();
  const auto bits = [](Index i) {
    return std::vector<double>{1.0 + __builtin_popcountll(static_cast<std::uint64_t>(i))};
  };
  Driver driver("default", table, {});
  double best = kInfinity;
  for (const Index index : play(driver, bits, {.limit = 300})) {
    best = std::min(best, bits(index).front());
  }
  EXPECT_LT(best, 12);  // random: about 22 of 64 bits
}

TEST(Default, FindsTheBestOfATypicalSpaceSoon) {
  const ListedSpace space(typical_parameters(), typical_rule);
  double optimum = kInfinity;
  for (Index i = 0; i < space.size(); ++i) {
    optimum = std::min(optimum, typical_objective(space.values(i)));
  }
  const auto objective = [&](Index i) {
    return std::vector<double>{typical_objective(space.values(i))};
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Driver driver("default", space.table(), {.seed = seed});
    double best = kInfinity;
    for (const Index index : play(driver, objective, {.limit = 45})) {
      best = std::min(best, objective(index).front());
    }
    EXPECT_DOUBLE_EQ(best, optimum) << "seed " << seed;
  }
}

TEST(Default, AsksFurtherAheadTheMoreItKnows) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  std::vector<Index> open = driver.ask(16);
  EXPECT_EQ(open.size(), 2U);
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(open.empty());
    driver.tell(open.front(), {typical_objective(space.values(open.front()))});
    open.erase(open.begin());
    for (const Index index : driver.ask(16 - open.size())) open.push_back(index);
  }
  EXPECT_EQ(open.size(), 12U);
}

// How many `default` asks at once, of 16 workers, after answers that took so long.
std::size_t asked_beside(double compile_seconds, double device_seconds, std::uint32_t devices = 1) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  driver.compile_seconds = compile_seconds;
  driver.device_seconds = device_seconds;
  driver.notice(16, {}, devices);
  const std::vector<Index> open = driver.ask(16);
  for (const Index index : open) driver.tell(index, {typical_objective(space.values(index))});
  driver.notice(16, {}, devices);
  return driver.ask(40).size();
}

TEST(Default, FillsEveryCompileWorkerFromTheStart) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  driver.notice(16, {});
  const std::vector<Index> asked = driver.ask(40);
  EXPECT_EQ(asked.size(), 16U);
  driver.notice(16, asked);
  EXPECT_TRUE(driver.ask(24).empty()) << "all are busy, and nothing is known yet";
}

TEST(Default, WhateverTakesLongestEveryWorkerIsBusyAndOneQuestionWaits) {
  EXPECT_EQ(asked_beside(10, 0.1), 17U);
  EXPECT_EQ(asked_beside(0.1, 10), 17U);
  EXPECT_EQ(asked_beside(0.1, 10, 16), 17U);
}

// 64 configurations, each worse than the one before, of which `default` knows eight.
struct Row {
  explicit Row(const std::function<double(Index)>& value, std::size_t known = 8) {
    driver.notice(16, {});
    for (const Index index : std::span(kKnown).first(known)) driver.tell(index, {value(index)});
  }

  static constexpr std::array<Index, 8> kKnown{20, 60, 7, 35, 49, 28, 14, 42};
  ListedSpace space{{{{0, 1, 2, 3, 4, 5, 6, 7}}, {{0, 1, 2, 3, 4, 5, 6, 7}}},
                    [](const std::vector<double>&) { return true; }};
  Driver driver{"default", space.table(), {}};
};

double rising(Index index) { return 10 + static_cast<double>(index); }
double level(Index) { return 5; }

TEST(Default, HasThePromisingOnesMeasuredFirst) {
  EXPECT_EQ(Row(rising).driver.order({55, 8}), (std::vector<Index>{8, 55}));
}

TEST(Default, OfThoseThatPromiseTheSameTheQuickerOnesComeFirst) {
  Row row(level, 0);
  for (const Index index : Row::kKnown) {
    row.driver.device_seconds = 0.01 * std::exp(static_cast<double>(index) / 8);
    row.driver.tell(index, {level(index)});
  }
  EXPECT_EQ(row.driver.order({55, 8}), (std::vector<Index>{8, 55}));
}

TEST(Default, WhatDidNotCompileSaysNothingOfWhatDid) {
  Row row(rising);
  const std::vector<Index> before = row.driver.order({19, 8, 33});
  EXPECT_EQ(before.front(), Index{8});
  row.driver.device_seconds = 0;
  for (const Index index : {9, 16, 1}) row.driver.tell(index, {});  // beside 8
  EXPECT_EQ(row.driver.order({19, 8, 33}), before);
}

TEST(Default, ResultsThatTookNoTimeOnADeviceSayNothingOfThatTime) {
  for (const double seconds : {1, 0}) {
    Row row(level);
    row.driver.device_seconds = seconds;
    row.driver.tell(54, {level(54)});
    EXPECT_EQ(row.driver.order({8, 55}), (std::vector<Index>{8, 55})) << seconds;
  }
}

TEST(Default, LeavesTheFirstQuestionsInTheirOrder) {
  EXPECT_EQ(Row(rising, 5).driver.order({63, 56, 1}), (std::vector<Index>{63, 56, 1}));
}

TEST(Default, AsksTheSameWhetherOrNotItHasOrdered) {
  const ListedSpace space(typical_parameters(), typical_rule);
  std::vector<Index> asked[2];
  for (const bool orders : {false, true}) {
    Driver driver("default", space.table(), {});
    for (int i = 0; i < 120; ++i) {
      driver.notice(4, {});
      for (const Index index : driver.ask(1)) {
        asked[orders ? 1 : 0].push_back(index);
        driver.tell(index, {typical_objective(space.values(index))});
      }
      if (orders) driver.order({1, 2, 3});
    }
  }
  EXPECT_EQ(asked[0].size(), 120U);
  EXPECT_EQ(asked[0], asked[1]);
}

// Many devices make their seconds cheap, so that compile time decides what is asked.
std::vector<Index> asked_by(std::uint32_t devices) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  std::vector<Index> asked;
  for (int i = 0; i < 60; ++i) {
    driver.notice(4, {}, devices);
    for (const Index index : driver.ask(1)) {
      asked.push_back(index);
      driver.compile_seconds = 1 + static_cast<double>(index % 7);
      driver.device_seconds = 8 - static_cast<double>(index % 7);
      driver.tell(index, {typical_objective(space.values(index))});
    }
  }
  return asked;
}

TEST(Default, ManyDevicesChangeWhatIsAsked) { EXPECT_NE(asked_by(1000), asked_by(1)); }

TEST(Default, WhereNoMachineIsKnownItAsksTwoAtFirst) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  EXPECT_EQ(driver.ask(40).size(), 2U);
}

}  // namespace
}  // namespace tuner::strategies
