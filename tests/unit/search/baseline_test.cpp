// What a ranking makes of the configuration that the user has now.

#include <gtest/gtest.h>

#include "tuner/search/ranking.h"

namespace tuner {
namespace {

Trial timed(std::int64_t value, double milliseconds, double half_width = 0.001) {
  Trial out;
  out.index = static_cast<ConfigIndex>(value);
  out.configuration = {value};
  out.timing.median = milliseconds;
  out.timing.ci_low = milliseconds * (1 - half_width);
  out.timing.ci_high = milliseconds * (1 + half_width);
  out.objective = SearchFigure(milliseconds / 1000);
  return out;
}

Trial in_final(std::int64_t value, double searched, std::vector<double> samples) {
  Trial out = timed(value, searched);
  out.final.emplace().samples = std::move(samples);
  return out;
}

const Configuration kBaseline{std::int64_t{7}};

std::int64_t winner(const RankedResults& results) {
  return std::get<std::int64_t>(results.trials.front().configuration.front());
}

RankedResults ranked(const std::vector<Trial>& trials) {
  return rank({}, trials, standing_final({}, trials, kBaseline), {}, kBaseline);
}

TEST(Baseline, TakesPartInTheFinalHoweverSlowItIs) {
  const std::vector<Trial> trials{timed(1, 1.0), timed(2, 1.05), timed(7, 3.0)};
  EXPECT_EQ(choose_finalists({}, trials, 8, kBaseline), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(choose_finalists({}, trials, 1, kBaseline), (std::vector<std::size_t>{0, 2}))
      << "on top of those that are wanted";
  EXPECT_TRUE(choose_finalists({}, trials, 0, kBaseline).empty());
}

TEST(Baseline, AFailedOneTakesNoPart) {
  std::vector<Trial> trials{timed(1, 1.0), timed(2, 1.05), timed(7, 3.0)};
  trials[2].state = TrialState::kCorrectness;
  EXPECT_EQ(choose_finalists({}, trials, 8, kBaseline), (std::vector<std::size_t>{0, 1}));
}

TEST(Baseline, AFinalWithoutItDoesNotStand) {
  const std::vector<Trial> with{in_final(1, 1.0, {1}), in_final(2, 1.01, {1}), timed(3, 1.02),
                                in_final(7, 3.0, {3})};
  EXPECT_TRUE(standing_final({}, with, kBaseline)) << "the best two, and the baseline on top";
  std::vector<Trial> without = with;
  without[3].final.reset();
  EXPECT_FALSE(standing_final({}, without, kBaseline));
}

TEST(Baseline, OneThatIsFarBehindIsRankedByTheSearch) {
  const RankedResults results = ranked({in_final(1, 1.0, {1, 1, 1}), in_final(2, 1.05, {2, 2, 2}),
                                        timed(3, 1.5), in_final(7, 3.0, {3, 3, 3})});
  std::vector<std::int64_t> order;
  for (const Trial& trial : results.trials) {
    order.push_back(std::get<std::int64_t>(trial.configuration.front()));
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{1, 2, 3, 7}));
}

TEST(Baseline, WinsUnlessTheBestIsBetterBeyondTheInterval) {
  const std::vector<double> steady(31, 1.0);
  const std::vector<double> faster(31, 0.98);
  std::vector<double> unsure = faster;
  for (std::size_t i = 0; i < unsure.size(); i += 2) unsure[i] = 1.02;
  EXPECT_EQ(winner(ranked({in_final(1, 1.0, faster), in_final(7, 1.0, steady)})), 1);
  EXPECT_EQ(winner(ranked({in_final(1, 1.0, unsure), in_final(7, 1.0, steady)})), 7);
}

TEST(Baseline, WithoutAFinalTheIntervalsOfTheSearchDecide) {
  EXPECT_EQ(winner(ranked({timed(1, 0.99, 0.001), timed(7, 1.0, 0.001)})), 1);
  EXPECT_EQ(winner(ranked({timed(1, 0.99, 0.02), timed(7, 1.0, 0.02)})), 7);
}

TEST(Baseline, SpeedUpsAreOfTheFinalWhereBothTookPartInItElseOfTheSearch) {
  const RankedResults results =
      ranked({in_final(1, 1.0, {1.1, 1.1, 1.1}), in_final(2, 1.05, {1.2, 1.2, 1.2}), timed(3, 1.5),
              in_final(7, 3.0, {3.3, 3.3, 3.3})});
  ASSERT_TRUE(results.baseline);
  ASSERT_EQ(results.baseline->speedups.size(), 4U);
  EXPECT_EQ(results.baseline->at, 3U);
  EXPECT_NEAR(results.baseline->speedups[0].ratio, 3.0, 1e-9);
  EXPECT_TRUE(results.baseline->speedups[0].by_final);
  EXPECT_NEAR(results.baseline->speedups[2].ratio, 2.0, 1e-9);
  EXPECT_FALSE(results.baseline->speedups[2].by_final);
  EXPECT_EQ(results.baseline->speedups[3].ratio, 1);
}

TEST(Baseline, OneThatFailedHasAPlaceAndNoSpeedUps) {
  std::vector<Trial> trials{timed(1, 1.0), timed(7, 3.0)};
  trials[1].state = TrialState::kTimeout;
  const RankedResults results = ranked(trials);
  EXPECT_EQ(results.baseline->at, 1U);
  EXPECT_TRUE(results.baseline->speedups.empty());
}

}  // namespace
}  // namespace tuner
