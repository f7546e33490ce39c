// What is chosen where several machines have the same device.

#include "tuner/deploy/worst_case.h"

#include <gtest/gtest.h>

#include "sample_study.h"

namespace tuner {
namespace {

Configuration tile(std::int64_t bm) { return sample_configuration(bm, 4, "static", false); }

DeviceFacts device() { return sample_results()[0].device; }

RankedResults ranking(const std::vector<std::pair<std::int64_t, double>>& times) {
  std::vector<Trial> trials;
  for (const auto& [bm, ms] : times) trials.push_back(sample_trial(tile(bm), ms));
  return sample_result(device(), 1024, 1024, trials);
}

// Losses here 0, 2, 5 %; there 6, 1, 0 %.
TEST(WorstCase, IsTheSmallestOfTheLargestLosses) {
  std::vector<RankedResults> here{ranking({{16, 1.00}, {32, 1.02}, {64, 1.05}})};
  const std::vector<RankedResults> there{ranking({{64, 2.00}, {32, 2.02}, {16, 2.12}})};
  const auto cases = prefer_worst_case(sample_study(), there, here);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_TRUE(cases[0].moved);
  EXPECT_EQ(cases[0].chosen, tile(32));
  EXPECT_NEAR(cases[0].loss, 0.02, 1e-9);
  EXPECT_NEAR(cases[0].loss_of_winner, 0.06, 1e-9);
  std::vector<Configuration> order;
  for (const Trial& trial : here[0].trials) order.push_back(trial.configuration);
  EXPECT_EQ(order, (std::vector<Configuration>{tile(32), tile(16), tile(64)}));
  EXPECT_NE(worst_case_report(sample_study(), cases)
                .find("2 machines: BM=32 VEC=4 SHARED=static SCALE=0.5 FAST=false loses 2.00 % at "
                      "worst, this machine's winner 6.00 %\n"),
            std::string::npos)
      << worst_case_report(sample_study(), cases);
}

TEST(WorstCase, TheWinnerStaysWhereAnotherGainsNothing) {
  std::vector<RankedResults> here{ranking({{16, 1.000}, {32, 1.0005}})};
  const auto cases = prefer_worst_case(sample_study(), {ranking({{32, 1.0}, {16, 1.001}})}, here);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_FALSE(cases[0].moved);
  EXPECT_EQ(here[0].trials.front().configuration, tile(16));
}

TEST(WorstCase, OnlyWhatRanEverywhereIsChosen) {
  std::vector<RankedResults> here{ranking({{16, 1.0}, {32, 1.1}, {64, 1.2}})};
  auto cases = prefer_worst_case(sample_study(), {ranking({{64, 1.0}})}, here);
  EXPECT_EQ(cases.at(0).chosen, tile(64));
  EXPECT_FALSE(cases[0].winner_is_known);

  here = {ranking({{16, 1.0}, {32, 1.1}})};
  cases = prefer_worst_case(sample_study(), {ranking({{64, 1.0}})}, here);
  EXPECT_FALSE(cases.at(0).moved) << "none ran on both";
  EXPECT_EQ(here[0].trials.front().configuration, tile(16));
}

TEST(WorstCase, OtherSizesAndDevicesSayNothing) {
  std::vector<RankedResults> here{ranking({{16, 1.0}, {32, 1.1}})};
  RankedResults size = ranking({{32, 1.0}, {16, 2.0}});
  size.size.dims[0].second = 512;
  RankedResults model = ranking({{32, 1.0}, {16, 2.0}});
  model.device.name = "NVIDIA A100";
  EXPECT_TRUE(prefer_worst_case(sample_study(), {size, model}, here).empty());
  EXPECT_EQ(here[0].trials.front().configuration, tile(16));
}

TEST(WorstCase, WhatIsSlowerThanTheBaselineIsNotChosen) {
  std::vector<RankedResults> here{ranking({{16, 1.00}, {32, 1.02}, {64, 1.05}})};
  here[0].baseline =
      BaselineResult{tile(16), 0, {{1, 1, 1}, {0.98, 0.97, 0.99}, {0.95, 0.9, 1.01}}};
  const auto cases =
      prefer_worst_case(sample_study(), {ranking({{32, 2.00}, {64, 2.01}, {16, 2.40}})}, here);
  EXPECT_EQ(cases.at(0).chosen, tile(64));
  EXPECT_EQ(here[0].baseline->at, 1U) << "the baseline is second now";
  EXPECT_EQ(here[0].baseline->speedups[0].ratio, 0.95);
}

}  // namespace
}  // namespace tuner
