// Results from stores and files, and what one's best is to another's.

#include "tuner/commands/comparison.h"

#include <algorithm>
#include <map>

#include "tests/unit/run/run_fixture.h"
#include "tests/unit/store/run_sql.h"
#include "tuner/commands/result_sets.h"

namespace tuner::test {
namespace {

class ComparisonTest : public RunTest {
 protected:
  std::vector<StoredResults> sets() {
    return result_sets(folder.path(), nullptr, {}, [](const std::string&) {});
  }
};

// A final records its finalists again, so that their dates say nothing any more.
TEST_F(ComparisonTest, ARowCameAtTheLatestWhenTheNextOnesDid) {
  tune();
  run_sql(folder.path() / "tuner.sqlite",
          "UPDATE trials SET recorded = '2026-01-01T00:00:0' || id || 'Z';"
          "UPDATE trials SET recorded = '2026-01-01T00:59:00Z' WHERE id = 2");
  const auto all = sets();
  ASSERT_EQ(all.size(), 1U);
  const auto& trials = all.front().ranked.trials;
  ASSERT_EQ(all.front().seconds.size(), trials.size());
  std::map<ConfigIndex, double> seconds;
  for (std::size_t i = 0; i < trials.size(); ++i) seconds[trials[i].index] = all.front().seconds[i];
  EXPECT_EQ(seconds.at(0), 0);
  EXPECT_EQ(seconds.at(1), 2) << "recorded again in the final";
  EXPECT_EQ(seconds.at(2), 2);
  EXPECT_EQ(seconds.at(3), 3);
}

TEST_F(ComparisonTest, FinalsAreComparedWithFinals) {
  study.measure.finalists = 6;
  device.milliseconds = [](const Configuration& c, const ProblemSize&) {
    return 10 + 0.1 * static_cast<double>(number(c[1]));
  };
  tune();
  const auto before = sets();
  const Compared same = compare(before, before);
  ASSERT_EQ(same.common.size(), 1U);
  EXPECT_EQ(same.common.front().basis, Basis::kFinal);
  EXPECT_EQ(same.common.front().b_over_a->ratio, 1);
  EXPECT_TRUE(same.common.front().configuration.empty());

  auto searched = before;
  for (Trial& trial : searched.front().ranked.trials) trial.final.reset();
  const Compared unlike = compare(before, searched);
  EXPECT_EQ(unlike.common.front().basis, Basis::kSearch) << "both have a search";
}

TEST_F(ComparisonTest, WhatDiffersInTheContextIsNamed) {
  tune();
  const auto before = sets();
  with.compiler = "fake compiler 2";
  with.source_digest = "source 2";
  settings.results = folder.path() / "other";
  tune();
  const auto after = sets();
  const Compared compared = compare(before, after);
  ASSERT_EQ(compared.common.size(), 1U);
  EXPECT_NE(std::ranges::find(compared.common.front().context,
                              "compiler: fake compiler 1 -> fake compiler 2"),
            compared.common.front().context.end());
}

TEST(SpeedUpOf, IntervalsOfBothSidesAddInQuadrature) {
  const Speedup exact = speed_up({2, 2, 2}, {1, 1, 1}, false);
  EXPECT_DOUBLE_EQ(exact.ratio, 2);
  EXPECT_DOUBLE_EQ(exact.low, 2);
  EXPECT_DOUBLE_EQ(exact.high, 2);
  const Speedup one_side = speed_up({2, 1.8, 2.2}, {1, 1, 1}, false);
  EXPECT_DOUBLE_EQ(one_side.low, 1.8);
  EXPECT_DOUBLE_EQ(one_side.high, 2.2);
  const Speedup both = speed_up({2, 1.8, 2.2}, {1, 0.9, 1.1}, false);
  EXPECT_LT(both.low, one_side.low);
  EXPECT_GT(both.low, 1.8 / 1.1) << "not as wide as if both erred in the worst way at once";
  const Speedup more_is_better = speed_up({2, 2, 2}, {3, 3, 3}, true);
  EXPECT_DOUBLE_EQ(more_is_better.ratio, 1.5);
}

TEST_F(ComparisonTest, FinalsTellHowFarTheyAre) {
  device.milliseconds = [](const Configuration& c, const ProblemSize&) {
    return 10 + 0.1 * static_cast<double>(number(c[1]));
  };
  tune();
  ASSERT_EQ(device.finals.size(), 1U);
  ASSERT_EQ(heard.finals.size(), 1U);
  EXPECT_EQ(heard.finals.front(), std::pair(device.rounds.front() - 1, device.rounds.front()));
}

TEST_F(ComparisonTest, AReportNamesWhatIsKnownOfItsResults) {
  tune();
  const auto report = report_sets(sets(), nullptr, {});
  ASSERT_EQ(report.size(), 1U);
  const auto has = [&](const std::string& name, const std::string& text) {
    return std::ranges::find(report.front().provenance, std::pair(name, text)) !=
           report.front().provenance.end();
  };
  EXPECT_TRUE(has("Device", "Fake GPU"));
  EXPECT_TRUE(has("Compiler", "fake compiler 1"));
  EXPECT_TRUE(has("Kept in", "the results' database"));
  EXPECT_TRUE(has("Answers", "not recorded")) << "no study was at hand";
}

BestPair pair_of(const std::string& dimension, Speedup b_over_a) {
  BestPair pair;
  pair.kernel = "axpy";
  pair.size.dims = {{dimension, 8}};
  pair.a.device = pair.b.device = "gpu";
  pair.basis = Basis::kFinal;
  pair.b_over_a = b_over_a;
  return pair;
}

std::string ratio_line(const BestPair& pair) {
  const std::string text = comparison_text({{pair}, {}, {}}, "a", "b");
  const std::size_t at = text.find("  B is ");
  return text.substr(at, text.find('\n', at) - at);
}

TEST(ComparisonText, SaysWhichWayARatioCounts) {
  EXPECT_EQ(ratio_line(pair_of("n", {0.5, 0.4, 0.8})),
            "  B is 2.0000x slower (1.2500 to 2.5000, both measured in finals)");
  EXPECT_EQ(ratio_line(pair_of("n", {2, 1.5, 2.5})),
            "  B is 2.0000x faster (1.5000 to 2.5000, both measured in finals)");
  EXPECT_EQ(ratio_line(pair_of("n", {0.8, 0.5, 1.25})),
            "  B is 1.2500x slower (0.8000 to 2.0000, both measured in finals): no significant "
            "difference");
  BestPair metric = pair_of("n", {0.5, 0.5, 0.5});
  metric.objective = {"gflops", true, {}};
  EXPECT_EQ(ratio_line(metric), "  B is 2.0000x worse (both measured in finals)");
}

TEST(ComparisonText, NamesThePairsThatAreOverTheLimit) {
  const Compared compared{
      {pair_of("n", {0.5, 0.4, 0.8}), pair_of("m", {0.98, 0.9, 1.01}), pair_of("k", {2, 2, 2})},
      {},
      {}};
  EXPECT_EQ(over_limit_text(compared, 0.03),
            "over the limit of 3 %:\n  axpy, n8 on gpu: B is 2x slower (at least 1.25x)\n");
  EXPECT_EQ(over_limit_text(compared, 0.5), "");
}

}  // namespace
}  // namespace tuner::test
