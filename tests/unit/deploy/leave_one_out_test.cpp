#include <gtest/gtest.h>

#include <cmath>

#include "sample_study.h"
#include "tuner/base/error.h"
#include "tuner/deploy/domain_table.h"

namespace tuner {
namespace {

// H200 1024 x 1024 is left with the 4096 x 2048 winner (1.3 instead of 1.0), H200 4096 x 2048 with
// that of 1024 x 1024 (10 instead of 8). Without the A100, nothing older is left for it but the
// fallback, which is BM = 32 there (2.2 instead of 2).
TEST(LeaveOneOut, LosesWhatTheOtherSizesWinnersLose) {
  const LeaveOneOut out = leave_one_out(sample_study(), sample_results());
  ASSERT_EQ(out.rows.size(), 3U);
  EXPECT_NEAR(out.rows[0].loss, 0.3, 1e-9);
  EXPECT_EQ(out.rows[0].how, Match::kNearSize);
  EXPECT_NEAR(out.rows[1].loss, 0.25, 1e-9);
  EXPECT_NEAR(out.rows[2].loss, 0.1, 1e-9);
  EXPECT_EQ(out.rows[2].how, Match::kFallback);
  EXPECT_EQ(out.measured, 3U);
  EXPECT_NEAR(out.median, 0.25, 1e-9);
  EXPECT_NEAR(out.worst, 0.3, 1e-9);
  EXPECT_NE(report(out).find("median loss 25.0 %, worst 30.0 %, over 3 of 3 sizes"),
            std::string::npos)
      << report(out);
}

TEST(LeaveOneOut, WhatWasNotMeasuredThereIsNotGuessed) {
  auto results = sample_results();
  results.resize(2);
  std::erase_if(results[0].trials, [](const Trial& t) { return t.timing.median == 1.3; });
  results[0].ranked = results[0].trials.size();
  results[1].trials[1].state = TrialState::kDropped;
  const LeaveOneOut out = leave_one_out(sample_study(), results);
  EXPECT_TRUE(std::isnan(out.rows[0].loss));
  EXPECT_TRUE(out.rows[1].dropped);
  EXPECT_EQ(out.measured, 1U);
  EXPECT_NE(report(out).find("not measured here"), std::string::npos);
  EXPECT_NE(report(out).find("over 1 of 2 sizes"), std::string::npos);
}

// 4096 x 1024 is nearer to 4096 x 2048, unless ratios of M count for little.
TEST(LeaveOneOut, SelectsByTheStudysWeights) {
  Study study = sample_study();
  auto results = sample_results();
  results[2] = sample_result(results[0].device, 4096, 1024, results[1].trials);
  EXPECT_NEAR(leave_one_out(study, results).rows[2].loss, 0, 1e-9);
  study.exports.weights = {{"M", 0.2}};
  EXPECT_NEAR(leave_one_out(study, results).rows[2].loss, 0.25, 1e-9);
}

TEST(LeaveOneOut, NeedsTwoSizes) {
  auto results = sample_results();
  results[1].ranked = 0;
  results.resize(2);
  EXPECT_THROW(leave_one_out(sample_study(), results), InputError);
}

}  // namespace
}  // namespace tuner
