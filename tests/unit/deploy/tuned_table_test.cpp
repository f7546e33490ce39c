#include "tuner/deploy/tuned_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/cover.h"
#include "tuner/deploy/table_text.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

TEST(TunedTable, HasTheWinnersAndTheDefaultFirst) {
  const TunedTable table = tuned_table(sample_study(), sample_results());
  ASSERT_EQ(table.devices.size(), 2U);
  ASSERT_EQ(table.entries.size(), 3U);
  // BM 32: 1.0, 10 instead of 8, 2.2 instead of 2: at worst 25 %. BM 16 would lose 62 %.
  EXPECT_EQ(table.configurations[0], sample_configuration(32, 4, "static", false));
  EXPECT_DOUBLE_EQ(table.default_slowdown, 1.25);
  EXPECT_EQ(table.default_coverage, 3U);
  EXPECT_EQ(table.configurations[table.entries[1].configuration],
            sample_configuration(128, 4, "dynamic", false));
  EXPECT_EQ(table.entries[1].shown.median_ms, 8.0);
}

TEST(TunedTable, TheSecondFallbackIsValidForOddSizes) {
  const TunedTable table = tuned_table(sample_study(), sample_results());
  EXPECT_EQ(table.configurations[1], sample_configuration(16, 1, "static", false));
}

TEST(TunedTable, TheNewestOfTwoResultsForOneSizeCounts) {
  auto results = sample_results();
  RankedResults newer =
      sample_result(results[0].device, 1024, 1024,
                    {sample_trial(sample_configuration(16, 1, "static", false), 0.5)});
  newer.date = "2027-01-01T00:00:00Z";
  results.insert(results.begin(), newer);
  const TunedTable table = tuned_table(sample_study(), results);
  EXPECT_EQ(table.entries.size(), 3U);
  EXPECT_EQ(table.entries[0].shown.median_ms, 0.5);
}

TEST(TunedTable, FewerConfigurationsForALossThatIsAllowed) {
  const TableOptions within{0, 0.3};
  const TunedTable table = tuned_table(sample_study(), sample_results(), within);
  for (const TunedEntry& entry : table.entries) {
    EXPECT_EQ(table.configurations[entry.configuration],
              sample_configuration(32, 4, "static", false));
    EXPECT_LE(entry.slowdown, 1.3);
  }
  EXPECT_DOUBLE_EQ(table.entries[1].slowdown, 1.25);
  EXPECT_EQ(loss_report(table).find("1 configuration for 3 sizes"), 0U);
  EXPECT_NE(loss_report(table).find("NVIDIA H200 M4096_N2048: configuration 0, 25.0 % slower"),
            std::string::npos);
}

TEST(TunedTable, ALimitedNumberOfConfigurationsLosesAsLittleAsPossible) {
  const TunedTable one = tuned_table(sample_study(), sample_results(), {1, 0});
  EXPECT_EQ(one.entries.size(), 3U);
  EXPECT_DOUBLE_EQ(one.entries[1].slowdown, 1.25);
  const TunedTable two = tuned_table(sample_study(), sample_results(), {2, 0});
  EXPECT_DOUBLE_EQ(two.entries[1].slowdown, 1.0);
  EXPECT_DOUBLE_EQ(two.entries[2].slowdown, 1.1);
}

// On the H200 at 1024 x 1024 BM = 32 takes 1.0 ms, measured to 1 %.
RankedResults with_new_winner(double ms) {
  RankedResults results = sample_results()[0];
  const auto fresh = sample_configuration(16, 4, "dynamic", false);
  results.trials.insert(results.trials.begin(), sample_trial(fresh, ms));
  ++results.ranked;
  return results;
}

TEST(TunedTable, AnEarlierWinnerStaysUnlessTheNewOneIsBetterBeyondItsInterval) {
  const TunedTable earlier = tuned_table(sample_study(), sample_results());
  TableOptions options;
  options.earlier = &earlier;
  const auto old = sample_configuration(32, 4, "static", false);
  const TunedTable same = tuned_table(sample_study(), {with_new_winner(0.995)}, options);
  EXPECT_EQ(same.configurations[same.entries[0].configuration], old);
  EXPECT_EQ(same.entries[0].kept_before, sample_configuration(16, 4, "dynamic", false));
  EXPECT_NEAR(same.entries[0].slowdown, 1 / 0.995, 1e-9);
  EXPECT_EQ(
      kept_report(sample_study(), same),
      "NVIDIA H200 M1024_N1024: kept BM=32 VEC=4 SHARED=static SCALE=0.5 FAST=false although "
      "BM=16 VEC=4 SHARED=dynamic SCALE=0.5 FAST=false measured 0.5 % faster: their intervals "
      "overlap\n");
  const TunedTable better = tuned_table(sample_study(), {with_new_winner(0.98)}, options);
  EXPECT_NE(better.configurations[better.entries[0].configuration], old);
  EXPECT_EQ(kept_report(sample_study(), better), "");
}

// Both intervals of the second are so wide that the two cannot be told apart.
TEST(TunedTable, AnEarlierWinnerGoesWhereTheNewOneIsBelowItsLowerEndOrFarAhead) {
  const TunedTable earlier = tuned_table(sample_study(), sample_results());
  TableOptions options;
  options.earlier = &earlier;
  const auto is_kept = [&](double ms, double old_low) {
    RankedResults results = with_new_winner(ms);
    results.trials[0].timing.ci_low = ms / 2;
    results.trials[0].timing.ci_high = 1.2;
    results.trials[1].timing.ci_low = old_low;
    results.trials[1].timing.ci_high = 1.3;
    return tuned_table(sample_study(), {results}, options).entries[0].kept_before.has_value();
  };
  EXPECT_TRUE(is_kept(0.985, 0.98));
  EXPECT_FALSE(is_kept(0.985, 0.99)) << "below the lower end";
  EXPECT_FALSE(is_kept(0.6, 0.5)) << "two thirds slower, in whatever interval";
  EXPECT_FALSE(is_kept(0.97, 0.5)) << "three per cent slower";
}

TEST(TunedTable, AnEarlierWinnerThatWasNotMeasuredAgainGoes) {
  const TunedTable earlier = tuned_table(sample_study(), sample_results());
  TableOptions options;
  options.earlier = &earlier;
  RankedResults results = with_new_winner(0.999);
  results.trials.erase(results.trials.begin() + 1);
  --results.ranked;
  const TunedTable table = tuned_table(sample_study(), {results}, options);
  EXPECT_EQ(table.configurations[table.entries[0].configuration],
            sample_configuration(16, 4, "dynamic", false));
  EXPECT_FALSE(table.entries[0].kept_before);
}

// As a final has it on a hot board: all of it slower than what the search measured of the others.
RankedResults with_final() {
  RankedResults results = sample_results()[0];
  for (const std::size_t i : {0, 1}) {
    const double ms = 2 * results.trials[i].timing.median;
    FinalResult& final = results.trials[i].final.emplace();
    final.samples = {ms, ms, ms};
    final.median_ms = FinalFigure(ms);
  }
  return results;
}

TEST(TunedTable, LossesAreOfTheFinalAmongFinalistsAndOfTheSearchElsewhere) {
  // BM = 16 has 1.5 ms in the search, where the winner had 1.0: the winner's 2.0 ms of the final do
  // not make it the faster one.
  const TunedTable all = tuned_table(sample_study(), {with_final()}, {0, 0.4});
  EXPECT_EQ(all.configurations[all.entries[0].configuration],
            sample_configuration(32, 4, "static", false));
  EXPECT_EQ(all.entries[0].shown.median_ms, 2.0);
  EXPECT_TRUE(all.entries[0].shown.by_final);
  const TunedTable earlier =
      tuned_table(sample_study(),
                  {sample_result(with_final().device, 1024, 1024,
                                 {sample_trial(sample_configuration(16, 4, "static", false), 1)})});
  TableOptions options;
  options.earlier = &earlier;
  const TunedTable now = tuned_table(sample_study(), {with_final()}, options);
  EXPECT_FALSE(now.entries[0].kept_before)
      << "1.5 ms of the search are not less than 2.0 of the final";
}

TEST(TunedTable, WhereTheWinnersSearchIsNotKnownALossIsABound) {
  RankedResults results = with_final();  // BM 32 and 128 in the final; 16 with VEC 4 and 1 not
  for (const std::size_t i : {0, 1}) {
    results.trials[i].timing = {};
    results.trials[i].objective = SearchFigure(std::numeric_limits<double>::quiet_NaN());
  }
  const Study study = sample_study();
  EXPECT_NEAR(loss_of(study, results, results.trials[1]), 0.3, 1e-9);
  EXPECT_NEAR(loss_of(study, results, results.trials[2]), 0.3, 1e-9) << "no less than a finalist";
  EXPECT_NEAR(loss_of(study, results, results.trials[3]), 1.0, 1e-9) << "3.0 ms beside 1.5";
}

TEST(TunedTable, WithinDoesNotReachWhatIsSlowerThanTheBaseline) {
  auto results = sample_results();
  for (RankedResults& one : results) {
    BaselineResult baseline{one.trials[0].configuration, 0, {}};
    for (std::size_t i = 0; i < one.ranked; ++i) {
      const double ratio = one.trials[0].timing.median / one.trials[i].timing.median;
      baseline.speedups.push_back({ratio, ratio, ratio, false});
    }
    one.baseline = baseline;
  }
  for (const TunedEntry& entry : tuned_table(sample_study(), results, {0, 0.3}).entries) {
    EXPECT_EQ(entry.slowdown, 1) << "25 % behind the baseline without it";
  }
}

TEST(TunedTable, AMaximisedMetricCountsTheOtherWayRound) {
  Study study = sample_study();
  study.objective = {"gflops", true};
  auto results = sample_results();
  for (RankedResults& one : results) {
    for (Trial& trial : one.trials) trial.objective = SearchFigure(1 / trial.timing.median);
  }
  EXPECT_DOUBLE_EQ(tuned_table(study, results).default_slowdown, 1.25);
}

TEST(SmallCover, HasAtMostOneMoreThanBruteForceFinds) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t configurations = 3 + random() % 8;
    const std::size_t rows = 2 + random() % 8;
    std::vector<std::vector<double>> losses(configurations, std::vector<double>(rows));
    for (auto& row : losses) {
      for (double& loss : row) {
        loss = random() % 5 == 0 ? kNever : static_cast<double>(random() % 100) / 100;
      }
    }
    for (std::size_t r = 0; r < rows; ++r) losses[random() % configurations][r] = 0;
    const auto covers = [&](std::size_t set, double within) {
      for (std::size_t r = 0; r < rows; ++r) {
        bool covered = false;
        for (std::size_t c = 0; c < configurations; ++c) {
          covered = covered || ((set >> c & 1) != 0 && losses[c][r] <= within);
        }
        if (!covered) return false;
      }
      return true;
    };
    std::size_t best = configurations;
    std::vector<double> worst_of_size(configurations + 1, kNever);
    for (std::size_t set = 1; set < (std::size_t{1} << configurations); ++set) {
      const auto count = static_cast<std::size_t>(std::popcount(set));
      if (covers(set, 0.1)) best = std::min(best, count);
      for (const auto& row : losses) {
        for (const double loss : row) {
          if (loss < worst_of_size[count] && covers(set, loss)) worst_of_size[count] = loss;
        }
      }
    }
    const LossRows kept(losses);
    const auto found = small_cover(covering_of_all(kept), 0.1, 0);
    EXPECT_LE(found.size(), best + 1) << "round " << round;
    std::size_t set = 0;
    for (const std::size_t c : found) set |= std::size_t{1} << c;
    EXPECT_TRUE(covers(set, 0.1));
    const auto two = small_cover(covering_of_all(kept), 0, 2);
    EXPECT_LE(two.size(), 2U);
    set = 0;
    for (const std::size_t c : two) set |= std::size_t{1} << c;
    if (worst_of_size[1] < kNever) {
      EXPECT_TRUE(covers(set, worst_of_size[1])) << "no worse than one alone, round " << round;
    }
  }
}

// Making a table for each result left out looks at the results once.
TEST(TunedTable, OneWithoutAResultIsThatOfTheOthers) {
  const Study study = sample_study();
  std::mt19937 random(3);
  std::vector<RankedResults> results;
  for (std::int64_t m = 64; m <= 1024; m += 64) {
    RankedResults one = with_final();
    one.size = {{{"M", m}, {"N", 1024}}};
    for (std::size_t i = 1; i < one.ranked; ++i) {
      one.trials[i].timing.median *= 1 + static_cast<double>(random() % 10) / 10;
      one.trials[i].final.reset();
    }
    std::swap(one.trials[0].configuration, one.trials[random() % one.ranked].configuration);
    results.push_back(std::move(one));
  }
  for (const TableOptions& options : {TableOptions{0, 0}, TableOptions{2, 0}, TableOptions{2, 0.2},
                                      TableOptions{1, 0, nullptr, false, true}}) {
    const TableMaker maker(study, results);
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::vector<RankedResults> others = results;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const TunedTable table = maker.table(options, i);
      const TunedTable expected = tuned_table(study, others, options);
      EXPECT_EQ(table.configurations, expected.configurations);
      EXPECT_EQ(table.default_slowdown, expected.default_slowdown);
      EXPECT_EQ(table.default_coverage, expected.default_coverage);
      ASSERT_EQ(table.entries.size(), expected.entries.size());
      for (std::size_t e = 0; e < table.entries.size(); ++e) {
        EXPECT_EQ(table.entries[e].configuration, expected.entries[e].configuration);
        EXPECT_EQ(table.entries[e].size, expected.entries[e].size);
        EXPECT_EQ(table.entries[e].slowdown, expected.entries[e].slowdown);
      }
    }
  }
}

}  // namespace
}  // namespace tuner
