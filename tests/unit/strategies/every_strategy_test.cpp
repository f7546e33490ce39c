// What holds for every strategy of a plugin: compiled into the tests of each plugin of strategies.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/unit/strategies/driver.h"
#include "tests/unit/strategies/enormous_space.h"
#include "tests/unit/strategies/listed_space.h"

namespace tuner::strategies {
namespace {

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  static Objective typical(const ListedSpace& space) {
    return [&space](Index i) { return std::vector<double>{typical_objective(space.values(i))}; };
  }

  // Each configuration exactly once.
  void expect_all_once(const ListedSpace& space, const Objective& objective,
                       const PlayOptions& how) {
    Driver driver(GetParam(), space.table(), {});
    const auto asked = play(driver, objective, how);
    EXPECT_EQ(asked.size(), space.size());
    const std::set<Index> different(asked.begin(), asked.end());
    EXPECT_EQ(different.size(), asked.size());
    for (const Index index : different) EXPECT_LT(index, space.size());
    EXPECT_TRUE(driver.ask(3).empty());
  }
};

TEST_P(EveryStrategy, AsksForEachConfigurationOnceAndThenEnds) {
  const ListedSpace space(typical_parameters(), typical_rule);
  expect_all_once(space, typical(space), {});
}

TEST_P(EveryStrategy, AnswersMayComeLateAndInAnyOrder) {
  const ListedSpace space(typical_parameters(), typical_rule);
  expect_all_once(space, typical(space), {.batch = 16, .shuffled = true});
}

TEST_P(EveryStrategy, KeepsSixteenQuestionsOpen) {
  if (GetParam() == "default") GTEST_SKIP() << "asks ahead by what it knows";
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver(GetParam(), space.table(), {});
  std::vector<Index> open = driver.ask(16);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(open.size(), 16U);
    driver.tell(open.front(), typical(space)(open.front()));
    open.erase(open.begin());
    for (const Index index : driver.ask(1)) open.push_back(index);
  }
}

TEST_P(EveryStrategy, SurvivesASpaceWhereEverythingFails) {
  const ListedSpace space(typical_parameters(), typical_rule);
  expect_all_once(space, [](Index) { return std::vector<double>(); }, {.batch = 4});
}

TEST_P(EveryStrategy, SurvivesManyFailures) {
  const ListedSpace space(typical_parameters(), typical_rule);
  expect_all_once(
      space, [&](Index i) { return mix64(i) % 3 == 0 ? typical(space)(i) : std::vector<double>(); },
      {.batch = 2});
}

TEST_P(EveryStrategy, SurvivesEqualNegativeAndEndlessValues) {
  const ListedSpace space(typical_parameters(), typical_rule);
  expect_all_once(space, [](Index) { return std::vector<double>{0.0}; }, {});
  expect_all_once(
      space, [&](Index i) { return std::vector<double>{-1e9 * typical(space)(i).front()}; }, {});
  expect_all_once(
      space, [](Index i) { return std::vector<double>{i % 2 == 0 ? kInfinity : std::nan("")}; },
      {});
}

TEST_P(EveryStrategy, CopesWithTinySpaces) {
  const std::vector<std::vector<ListedParameter>> tiny{
      {{{7}, true}},
      {{{0, 1}, false}},
      {{{1, 2, 4}, true}},
      {{{1, 2}, true}, {{5}, true}, {{0, 1}, false}},
      {{{0, 1}, false}, {{0, 1}, false}, {{0, 1}, false}, {{0, 1}, false}}};
  for (const auto& parameters : tiny) {
    const ListedSpace space(parameters, [](const auto&) { return true; });
    for (const std::size_t batch : {1, 2, 16}) {
      expect_all_once(space, [](Index i) { return std::vector<double>{1.0 + double(i)}; },
                      {.batch = batch});
    }
  }
}

TEST_P(EveryStrategy, EndsAtOnceInAnEmptySpace) {
  const ListedSpace space({{{1, 2}, true}}, [](const auto&) { return false; });
  Driver driver(GetParam(), space.table(), {});
  EXPECT_TRUE(driver.ask(4).empty());
}

// Valid configurations that are no neighbours of each other.
TEST_P(EveryStrategy, CopesWithConfigurationsThatHaveNoNeighbours) {
  const ListedSpace space({{{0, 1, 2, 3}, true}, {{0, 1, 2, 3}, true}},
                          [](const auto& v) { return v[0] == v[1]; });
  ASSERT_EQ(space.size(), 4U);
  expect_all_once(space, [](Index i) { return std::vector<double>{double(i)}; }, {});
}

TEST_P(EveryStrategy, DoesNotAskForWhatItWasToldBefore) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver(GetParam(), space.table(), {});
  for (Index i = 0; i < space.size(); i += 3) driver.tell(i, typical(space)(i));
  const auto asked = play(driver, typical(space));
  for (const Index index : asked) EXPECT_NE(index % 3, 0);
  EXPECT_EQ(asked.size(), space.size() - (space.size() + 2) / 3);
}

TEST_P(EveryStrategy, SameSeedAndAnswersGiveTheSameQuestions) {
  const ListedSpace space(typical_parameters(), typical_rule);
  const PlayOptions how{.batch = 5, .limit = 120, .shuffled = true};
  Driver first(GetParam(), space.table(), {.seed = 5});
  Driver second(GetParam(), space.table(), {.seed = 5});
  EXPECT_EQ(play(first, typical(space), how), play(second, typical(space), how));
  if (GetParam() == "exhaustive") return;
  Driver again(GetParam(), space.table(), {.seed = 5});
  Driver other(GetParam(), space.table(), {.seed = 6});
  EXPECT_NE(play(other, typical(space), how), play(again, typical(space), how));
}

TEST_P(EveryStrategy, AnUnknownOptionIsAnErrorThatListsTheKnownOnes) {
  const ListedSpace space(typical_parameters(), typical_rule);
  try {
    const Driver driver(GetParam(), space.table(), {.options = {{"colour", "red"}}});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("colour"), std::string::npos) << message;
    const auto names = all_names();
    const auto item = std::ranges::find(names, GetParam()) - names.begin();
    const tuner_item_info* info = factory().info(static_cast<std::uint32_t>(item));
    for (std::uint32_t o = 0; o < info->option_count; ++o) {
      EXPECT_NE(message.find(info->options[o].name), std::string::npos) << message;
    }
  }
}

TEST_P(EveryStrategy, EveryOptionIsDescribedAndRefusesNonsense) {
  const ListedSpace space(typical_parameters(), typical_rule);
  const auto names = all_names();
  const auto item = std::ranges::find(names, GetParam()) - names.begin();
  const tuner_item_info* info = factory().info(static_cast<std::uint32_t>(item));
  for (std::uint32_t o = 0; o < info->option_count; ++o) {
    const std::string name = info->options[o].name;
    EXPECT_GT(std::string(info->options[o].help).size(), 5U) << name;
    EXPECT_NO_THROW(
        Driver(GetParam(), space.table(), {.options = {{name, info->options[o].default_value}}}));
    for (const std::string nonsense : {"", "many", "-77", "nan", "1e400"}) {
      EXPECT_THROW(Driver(GetParam(), space.table(), {.options = {{name, nonsense}}}),
                   std::invalid_argument)
          << name << "=" << nonsense;
    }
  }
}

// Fixed seeds: the same figures everywhere.
TEST_P(EveryStrategy, FindsBetterThanRandomOnASmoothLandscape) {
  if (GetParam() == "random" || GetParam() == "exhaustive") GTEST_SKIP();
  const ListedSpace space({{{16, 32, 48, 64, 96, 128, 192, 256}, true},
                           {{1, 2, 3, 4, 5, 6, 7, 8}, true},
                           {{1, 2, 3, 4, 6, 8}, true},
                           {{0, 1}, false},
                           {{0, 1, 2}, false}},
                          [](const auto& v) { return v[0] * v[1] <= 1024; });
  const auto median_best = [&](const auto& asked_with_seed) {
    std::vector<double> best;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      double least = kInfinity;
      for (const Index index : asked_with_seed(seed)) {
        least = std::min(least, typical(space)(index).front());
      }
      best.push_back(least);
    }
    std::ranges::sort(best);
    return best[best.size() / 2];
  };
  const auto searched = [&](std::uint64_t seed) {
    Driver driver(GetParam(), space.table(), {.seed = seed, .budget_evaluations = 100});
    return play(driver, typical(space), {.limit = 100});
  };
  const auto at_random = [&](std::uint64_t seed) {
    const sdk::Permutation order(space.size(), seed);
    std::vector<Index> asked;
    for (Index i = 0; i < 100; ++i) asked.push_back(order.at(i));
    return asked;
  };
  EXPECT_LT(median_best(searched), median_best(at_random));
}

TEST(EnormousSpace, EveryStrategySearchesIt) {
  const tuner_space table = enormous_space();
  for (const std::string& name : all_names()) {
    Driver driver(name, table, {});
    const auto asked = play(
        driver,
        [](Index i) {
          return std::vector<double>{1.0 + __builtin_popcountll(static_cast<std::uint64_t>(i))};
        },
        {.limit = 60});
    EXPECT_EQ(std::set<Index>(asked.begin(), asked.end()).size(), 60U) << name;
  }
}

// A file that the list has forgotten would compile all the same.
TEST(Catalogue, HasEveryStrategyThatASourceRegisters) {
  const bool is_classic = std::string(tuner_plugin_v2.name) == "classic";
  const std::string folder = std::string(TUNER_SOURCE_DIR "/tuner/plugins/strategies/") +
                             (is_classic ? "classic" : "model");
  std::size_t registered = 0;
  for (const auto& one : std::filesystem::directory_iterator(folder)) {
    if (one.path().extension() != ".cpp") continue;
    std::ifstream file(one.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string mark = "= registration_of<";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) ++registered;
  }
  EXPECT_EQ(all_names().size(), registered);
}

class EveryStrategyWithPrior : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategyWithPrior, AsksForEachConfigurationOnce) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver(GetParam(), space.table(), {});
  driver.learn(results_of(space, 3, 1), 1);
  driver.learn(results_of(space, 7, -1), 0.5);
  const auto asked =
      play(driver, [&](Index i) { return std::vector<double>{-1 / typical(space, i)}; });
  EXPECT_EQ(asked.size(), space.size());
  EXPECT_EQ(std::set<Index>(asked.begin(), asked.end()).size(), space.size());
}

INSTANTIATE_TEST_SUITE_P(Plugin, EveryStrategyWithPrior, testing::ValuesIn(all_names()),
                         [](const auto& one) { return one.param; });

INSTANTIATE_TEST_SUITE_P(Plugin, EveryStrategy, testing::ValuesIn(all_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tuner::strategies
