// What holds for `default`.

#include <gtest/gtest.h>

#include <cstddef>

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

TEST(Default, WhereCompilingTakesLongestEveryWorkerIsBusyAndOneQuestionWaits) {
  EXPECT_EQ(asked_beside(10, 0.1), 17U);
}

TEST(Default, WhereTheDeviceTakesLongestItAsksNoMoreThanKeepsThatBusy) {
  EXPECT_EQ(asked_beside(0.1, 10), 3U);
  EXPECT_EQ(asked_beside(2, 1), 6U);
}

TEST(Default, WhereTheDevicesTakeLongestItAsksWhatKeepsEachOfThemBusy) {
  EXPECT_EQ(asked_beside(0.1, 10, 4), 9U);
  EXPECT_EQ(asked_beside(2, 1, 2), 11U);
  EXPECT_EQ(asked_beside(0.1, 10, 16), 17U) << "no more than the compile workers can take";
}

TEST(Default, AHostThatIsTooOldToSayHowManyDevicesThereAreHasOne) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  driver.machine_size = offsetof(tuner_machine, devices);
  driver.notice(4, {}, 4);
  for (const Index index : driver.ask(4)) driver.tell(index, {1});
  driver.notice(4, {}, 4);
  EXPECT_EQ(driver.ask(40).size(), 3U);
}

TEST(Default, WhereNoMachineIsKnownItAsksTwoAtFirst) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  EXPECT_EQ(driver.ask(40).size(), 2U);
}

}  // namespace
}  // namespace tuner::strategies
