// What holds for single strategies of the plugin `classic`.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/strategies/driver.h"
#include "tests/unit/strategies/listed_space.h"

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
