#include "tuner/model/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tuner {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  // Type 7: place = q * (n - 1). For q = 0.25 and n = 4 it is 0.75: 1 + 0.75 * (2 - 1).
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddles) {
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5, 7}), 6);
  EXPECT_DOUBLE_EQ(median({3}), 3);
}

// Tables of the sign test: for n = 5 the whole range covers only 1 - 2/32 = 93.75 %; n = 6 gives
// 1 - 2/64; n = 9: P(X <= 1) = 10/512 = 0.0195; n = 50 and 100 are the textbook's ranks 18 and 40.
TEST(MedianRank, MatchesTheTablesOfTheSignTest) {
  EXPECT_EQ(median_rank(1, 0.95), 0U);
  EXPECT_EQ(median_rank(5, 0.95), 0U);
  EXPECT_EQ(median_rank(6, 0.95), 1U);
  EXPECT_EQ(median_rank(8, 0.95), 1U);
  EXPECT_EQ(median_rank(9, 0.95), 2U);
  EXPECT_EQ(median_rank(12, 0.95), 3U);
  EXPECT_EQ(median_rank(50, 0.95), 18U);
  EXPECT_EQ(median_rank(100, 0.95), 40U);
}

// 500 - 1.96 * sqrt(1000) / 2 + 0.5 = 469.5.
TEST(MedianRank, UsesTheNormalApproximationForLargeSamples) {
  EXPECT_EQ(median_rank(1000, 0.95), 469U);
}

TEST(MedianRank, AgreesWithCountingAllCoinTosses) {
  for (unsigned n = 1; n <= 16; ++n) {
    std::vector<int> outcomes(n + 1);
    for (unsigned tosses = 0; tosses < (1U << n); ++tosses) ++outcomes[__builtin_popcount(tosses)];
    for (const double confidence : {0.5, 0.9, 0.95, 0.99}) {
      std::size_t expected = 0;
      double tail = 0;
      while (expected < n / 2 + 1) {
        tail += outcomes[expected] / std::pow(2.0, n);
        if (tail > (1 - confidence) / 2) break;
        ++expected;
      }
      EXPECT_EQ(median_rank(n, confidence), expected) << "n = " << n << " at " << confidence;
    }
  }
}

Interval median_interval(std::vector<double> samples, double confidence) {
  const Timing timing = summarise(std::move(samples), confidence);
  return {timing.ci_low, timing.ci_high};
}

TEST(MedianInterval, LeavesOutTheRanksThatItMay) {
  // n = 9 leaves out one at each end (rank 2).
  EXPECT_EQ(median_interval({9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.95), (Interval{2, 8}));
  EXPECT_EQ(median_interval({3, 1, 2}, 0.95), (Interval{1, 3}));
}

// Skewed samples (exponential, median ln 2): the interval holds the true median at least as often
// as it says, and not much more often than the discreteness of n = 20 makes it (95.9 %).
TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> distribution(1.0);
  constexpr int kRuns = 4000;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> samples(20);
    for (double& s : samples) s = distribution(random);
    const Interval interval = median_interval(samples, 0.95);
    covered += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high ? 1 : 0;
  }
  // Binomial(4000, 0.959) has a standard deviation of 0.3 %.
  EXPECT_GT(covered / double{kRuns}, 0.959 - 0.013);
  EXPECT_LT(covered / double{kRuns}, 0.959 + 0.013);
}

TEST(Summarise, KeepsTheSamplesInTheirOrder) {
  const Timing timing = summarise({3, 1, 2}, 0.95);
  EXPECT_EQ(timing.samples, (std::vector<double>{3, 1, 2}));
  EXPECT_DOUBLE_EQ(timing.median, 2);
  EXPECT_DOUBLE_EQ(timing.min, 1);
  EXPECT_DOUBLE_EQ(timing.ci_low, 1);
  EXPECT_DOUBLE_EQ(timing.ci_high, 3);
}

TEST(RelativeHalfWidth, IsInfiniteForAMedianOfZero) {
  EXPECT_TRUE(std::isinf(relative_half_width(summarise({0, 0, 0}, 0.95))));
}

class EnoughSamples : public testing::Test {
 protected:
  MeasureSpec spec_;  // 7 to 50 samples, 200 ms, 1.5 % at 95 %
  bool enough(const std::vector<double>& samples, double spent_ms = 1, double best_ms = 0) {
    return enough_samples(summarise(samples, spec_.confidence), spec_, spent_ms, best_ms);
  }
};

TEST_F(EnoughSamples, WhenTheIntervalIsTight) {
  EXPECT_FALSE(enough(std::vector<double>(6, 1.0))) << "fewer than min_samples";
  EXPECT_TRUE(enough(std::vector<double>(7, 1.0)));
  // Range 1 to 1.04: half width 2 %.
  EXPECT_FALSE(enough({1, 1.02, 1.02, 1.02, 1.02, 1.02, 1.04}));
  // Range 1 to 1.02: half width 1 %.
  EXPECT_TRUE(enough({1, 1.01, 1.01, 1.01, 1.01, 1.01, 1.02}));
}

TEST_F(EnoughSamples, WhenAsManyAsAllowed) {
  std::vector<double> noisy(50);
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = i % 2 == 0 ? 1 : 2;
  EXPECT_TRUE(enough(noisy));
  noisy.pop_back();
  EXPECT_FALSE(enough(noisy));
}

TEST_F(EnoughSamples, WhenClearlyOutOfTheFinalsReach) {
  const std::vector<double> noisy{1.2, 1.3, 1.4, 1.3, 1.2, 1.4, 1.3};  // interval 1.2 to 1.4
  EXPECT_FALSE(enough(noisy));
  EXPECT_TRUE(enough(noisy, 1, 1.0));
  EXPECT_FALSE(enough(noisy, 1, 1.15)) << "1.2 is within a tenth of it";
}

TEST_F(EnoughSamples, WhenTheTimeIsSpentEvenBelowTheMinimum) {
  EXPECT_TRUE(enough({100, 100, 100}, 300));
}

TEST_F(EnoughSamples, NeverClaimsAnIntervalFromFewerThanItsConfidenceTakes) {
  spec_.min_samples = 3;  // an interval of three equal samples has no width, and no confidence
  EXPECT_FALSE(enough(std::vector<double>(3, 1.0)));
  EXPECT_TRUE(enough(std::vector<double>(6, 1.0)));
}

TEST(AfterSamples, AProbeIsDroppedIfEvenItsFastestIsTooSlow) {
  MeasureSpec spec;
  const auto after = [&](std::vector<double> samples, double best_ms) {
    return after_samples(std::move(samples), spec, 1, best_ms);
  };
  EXPECT_EQ(after({2.1, 9, 9}, 1), Sampling::kDropped);
  EXPECT_EQ(after({1.9, 9, 9}, 1), Sampling::kMore) << "the others may have been disturbed";
  EXPECT_EQ(after({2.1, 9}, 1), Sampling::kMore) << "no probe yet";
  EXPECT_EQ(after({2.1, 9, 9}, 0), Sampling::kMore) << "there is no best";
  EXPECT_EQ(after({1, 1, 1, 1, 1, 1, 1}, 1), Sampling::kEnough);
  spec.drop_above = 0;
  EXPECT_EQ(after({9, 9, 9}, 1), Sampling::kMore);
}

TEST(PairedRatio, CancelsDriftThatBothSee) {
  // Times double over the rounds; a is 10 % slower throughout.
  std::vector<double> b;
  std::vector<double> a;
  for (int i = 0; i < 20; ++i) {
    b.push_back(1 + i / 20.0);
    a.push_back(1.1 * b.back());
  }
  const Ratio ratio = paired_ratio(a, b, 0.95);
  EXPECT_NEAR(ratio.median, 1.1, 1e-12);
  EXPECT_NEAR(ratio.interval.low, 1.1, 1e-12);
  EXPECT_NEAR(ratio.interval.high, 1.1, 1e-12);
}

TEST(PairedRatio, LeavesOutPairsWithoutATime) {
  EXPECT_DOUBLE_EQ(paired_ratio(std::vector<double>{2, 2}, std::vector<double>{0, 1}, 0.95).median,
                   2);
}

}  // namespace
}  // namespace tuner
