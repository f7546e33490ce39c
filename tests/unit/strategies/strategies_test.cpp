// What holds for single strategies.

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/strategies/driver.h"
#include "tests/unit/strategies/listed_space.h"
#include "tuner/plugins/strategies/parts/pareto.h"

namespace tuner::strategies {
namespace {

TEST(Exhaustive, FollowsTheOrderOfTheSpace) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("exhaustive", space.table(), {});
  const auto asked = play(driver, [](Index) { return std::vector<double>{1}; }, {.batch = 3});
  for (std::size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i], i);
}

// Figures that another machine, compiler or standard library must come to as well (those strategies
// whose questions do not hang on the last bit of a sum).
TEST(Determinism, SeedSevenAsksTheseQuestionsEverywhere) {
  const std::vector<std::pair<std::string, std::uint64_t>> expected{
      {"random", 6881336348887744467U},
      {"genetic", 17058710714163427158U},
      {"differential_evolution", 3877814589928088091U},
      {"simulated_annealing", 3877760976099870929U},
      {"hybrid_vndx", 5048312466785142345U}};
  const ListedSpace space(typical_parameters(), typical_rule);
  for (const auto& [name, digest] : expected) {
    Driver driver(name, space.table(), {.seed = 7});
    std::uint64_t found = 0;
    for (const Index index :
         play(driver,
              [&](Index i) { return std::vector<double>{typical_objective(space.values(i))}; },
              {.limit = 60})) {
      found = mix64(found ^ static_cast<std::uint64_t>(index));
    }
    EXPECT_EQ(found, digest) << name;
  }
}

// 64 parameters of two values and no constraint: 2^64 configurations, index = bits.
tuner_space enormous_space() {
  tuner_space table{};
  table.struct_size = sizeof table;
  table.parameter_count = 64;
  table.size = {0, 1};
  table.name = [](void*, std::uint32_t) { return tuner_str{"p", 1}; };
  table.value_count = [](void*, std::uint32_t) { return 2U; };
  table.value = [](void*, std::uint32_t, std::uint32_t v) { return double(v); };
  table.ordered = [](void*, std::uint32_t) { return 0; };
  table.positions = [](void*, tuner_index index, std::uint32_t* out) {
    for (int p = 0; p < 64; ++p) out[p] = (index.low >> p) & 1;
  };
  table.index_of = [](void*, const std::uint32_t* at, tuner_index* index) {
    *index = {0, 0};
    for (int p = 0; p < 64; ++p) index->low |= std::uint64_t{at[p]} << p;
    return 1;
  };
  table.neighbours = [](void*, const std::uint32_t* at, std::uint32_t, tuner_sink out) {
    std::uint64_t bits = 0;
    for (int p = 0; p < 64; ++p) bits |= std::uint64_t{at[p]} << p;
    for (int p = 0; p < 64; ++p) {
      const tuner_index near{bits ^ (1ULL << p), 0};
      out.emit(out.context, &near, sizeof near);
    }
  };
  return table;
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

// How many `default` asks at once, of 16 workers, after one answer that took so long.
std::size_t asked_beside(double compile_seconds, double device_seconds) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  driver.compile_seconds = compile_seconds;
  driver.device_seconds = device_seconds;
  driver.notice(16, {});
  const std::vector<Index> open = driver.ask(16);
  for (const Index index : open) driver.tell(index, {typical_objective(space.values(index))});
  driver.notice(16, {});
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

TEST(Default, WhereNoMachineIsKnownItAsksTwoAtFirst) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  EXPECT_EQ(driver.ask(40).size(), 2U);
}

TEST(Bandit, RefusesAStrategyThatDoesNotExist) {
  const ListedSpace space(typical_parameters(), typical_rule);
  try {
    const Driver driver("bandit", space.table(), {.options = {{"strategies", "genetic+magic"}}});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("magic"), std::string::npos);
    EXPECT_NE(message.find("particle_swarm"), std::string::npos);
  }
}

TEST(Nsga2, FindsMoreOfTheParetoFrontThanRandom) {
  const ListedSpace space({{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, true},
                           {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, true},
                           {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, true}},
                          [](const auto&) { return true; });
  // The front is where the second and third are zero: ten configurations of a thousand.
  const auto objective = [&](Index i) {
    const auto v = space.values(i);
    const double off = v[1] + v[2];
    return std::vector<double>{v[0] + off, 9 - v[0] + off};
  };
  const auto found = [&](const std::string& name) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Driver driver(name, space.table(), {.seed = seed, .objectives = 2});
      for (const Index index : play(driver, objective, {.limit = 250})) {
        const auto v = space.values(index);
        count += v[1] + v[2] == 0 ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_GT(found("nsga2"), 2 * found("random"));
}

}  // namespace
}  // namespace tuner::strategies
