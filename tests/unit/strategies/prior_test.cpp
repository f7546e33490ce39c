// What strategies make of results from elsewhere.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/strategies/driver.h"
#include "tests/unit/strategies/listed_space.h"
#include "tuner/plugins/strategies/model/prior_mean.h"

namespace tuner::strategies {
namespace {

Index best_of(const ListedSpace& space) {
  Index best = 0;
  for (Index i = 0; i < space.size(); ++i) {
    if (typical(space, i) < typical(space, best)) best = i;
  }
  return best;
}

// Questions until the best is found, over ten seeds.
double mean_evaluations(const ListedSpace& space, const Results& prior) {
  double total = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Driver driver("default", space.table(), {.seed = seed});
    if (!prior.empty()) driver.learn(prior, 1);
    const auto asked =
        play(driver, [&](Index i) { return std::vector<double>{typical(space, i)}; });
    total += static_cast<double>(std::ranges::find(asked, best_of(space)) - asked.begin() + 1);
  }
  return total / 10;
}

TEST(DefaultWithPrior, AsksFirstForWhatWasBestElsewhere) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver driver("default", space.table(), {});
  driver.learn({{17, 0.1}, {40, kInfinity}, {99, 0.0}, {3, 1.0}}, 1);
  EXPECT_EQ(driver.ask(2), (std::vector<Index>{99, 17}));
}

TEST(DefaultWithPrior, FindsTheBestSoonerWhenAQuarterWasMeasuredInALikePlace) {
  const ListedSpace space(typical_parameters(), typical_rule);
  EXPECT_LT(mean_evaluations(space, results_of(space, 4, 1.5)), 0.7 * mean_evaluations(space, {}));
}

TEST(DefaultWithPrior, SurvivesAPriorThatSaysTheOpposite) {
  const ListedSpace space(typical_parameters(), typical_rule);
  EXPECT_LT(mean_evaluations(space, results_of(space, 1, -1)), 108);  // random: 108.5
}

TEST(DefaultWithPrior, IgnoresOneWhereAllFailedOrNothingIsKnown) {
  const ListedSpace space(typical_parameters(), typical_rule);
  Driver without("default", space.table(), {});
  Driver with("default", space.table(), {});
  with.learn({}, 1);
  with.learn({{5, kInfinity}, {6, kInfinity}}, 1);
  with.learn({{1000000, 0.0}}, 1);
  with.learn({{5, 0.0}}, 0);
  EXPECT_EQ(with.ask(2), without.ask(2));
}

class Prior : public testing::Test {
 protected:
  Prior() : moves(Space(&space.table())), encoding(moves), prior(encoding) {}

  ListedSpace space{typical_parameters(), typical_rule};
  Moves moves;
  Encoding encoding;
  PriorMean prior;
  Rng rng{1};
};

TEST_F(Prior, PredictsWhatWasNotMeasuredFromWhatWas) {
  sdk::Prior place;
  for (const auto& [index, loss] : results_of(space, 3, 1)) place.results.push_back({index, loss});
  prior.add(place, {}, rng);
  double together = 0;
  std::vector<double> here;
  std::vector<Index> others;
  for (Index i = 1; i < space.size(); i += 3) {
    others.push_back(i);
    here.push_back(std::log(typical(space, i)));
  }
  const Eigen::ArrayXf told = prior.at(others);
  const auto expected = Eigen::Map<const Eigen::ArrayXd>(here.data(), told.size());
  const Eigen::ArrayXd a = told.cast<double>() - told.cast<double>().mean();
  const Eigen::ArrayXd b = expected - expected.mean();
  together = (a * b).sum() / std::sqrt(a.square().sum() * b.square().sum());
  EXPECT_GT(together, 0.9);
}

TEST_F(Prior, ManyAnswersThatContradictItTakeItsSlopeToZero) {
  prior.add({1, {{0, 0.0}, {1, 1.0}, {2, 2.0}}}, {}, rng);
  Eigen::ArrayXf told(60);
  Eigen::VectorXf answers(60);
  for (int i = 0; i < 60; ++i) {
    told[i] = static_cast<float>(i % 6);
    answers[i] = -told[i];
  }
  EXPECT_EQ(prior.explain(answers, told).slope, 0);
  const auto agreed = prior.explain(-answers, told);
  EXPECT_NEAR(agreed.slope * agreed.unit, 1, 0.02);
  EXPECT_LT(agreed.residual.squaredNorm() / 60, 0.2);
}

}  // namespace
}  // namespace tuner::strategies
