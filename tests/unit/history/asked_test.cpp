// How sizes that were asked for are weighed, and what their answers lose.

#include "tuner/history/asked.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tuner {
namespace {

DeviceFacts here() {
  DeviceFacts device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  return device;
}

ProblemSize size_of(std::int64_t n) { return {{{"n", n}}}; }

Trial trial_of(std::int64_t block, double ms) {
  Trial trial;
  trial.configuration = {block};
  trial.timing.median = trial.timing.ci_low = trial.timing.ci_high = ms;
  trial.timing.samples = {ms, ms, ms};
  trial.objective = SearchFigure(ms / 1000);
  return trial;
}

// n = 1000: BLOCK = 64 takes 2 ms, BLOCK = 32 takes 3 ms.
RankedResults measured() {
  RankedResults results;
  results.device = here();
  results.size = size_of(1000);
  results.trials = {trial_of(64, 2), trial_of(32, 3)};
  results.ranked = 2;
  return results;
}

AskedSize asked(std::int64_t n, const std::string& how, std::uint64_t count,
                std::int64_t block = 32) {
  return {"NVIDIA H200", 90, size_of(n), {{how, Configuration{block}, count}}};
}

TEST(Asked, TheTimeOfASizeIsItsOwnElseThatOfTheNearestInProportion) {
  const RankedResults results = measured();
  EXPECT_EQ(time_of(size_of(1000), {&results}).ms, 2);
  const AskedTime other = time_of(size_of(500), {&results});
  EXPECT_TRUE(other.is_estimate);
  EXPECT_EQ(other.ms, 1);
  EXPECT_EQ(time_of(size_of(500), {}).ms, 0);
}

TEST(Asked, MissedSizesComeByWhatTheyCostAndShareWhatIsLeft) {
  const RankedResults results = measured();
  AskedSize elsewhere = asked(4000, "near_size", 1000);
  elsewhere.device = "NVIDIA A100";
  const auto work = missed_on(here(),
                              {asked(500, "near_size", 10), asked(1000, "exact", 1000),
                               asked(2000, "fallback", 10), elsewhere},
                              {&results});
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].asked.size, size_of(2000));
  EXPECT_EQ(work[0].cost_ms, 40);
  EXPECT_EQ(work[0].share, 0.8);
  EXPECT_EQ(work[1].share, 1);
  // Without any time the counts decide.
  EXPECT_EQ(missed_on(here(), {asked(500, "near_size", 11), asked(2000, "fallback", 10)}, {})
                .front()
                .cost_ms,
            11);
}

TEST(Asked, TheLossIsAgainstTheBestOfTheSize) {
  const RankedResults results = measured();
  const Study study;
  const AskedLoss slow = loss_of_asked(study, asked(1000, "near_size", 10), {&results});
  ASSERT_EQ(slow.losses.size(), 1U);
  EXPECT_DOUBLE_EQ(slow.losses[0], 0.5);
  EXPECT_DOUBLE_EQ(slow.total_ms, 30);
  EXPECT_DOUBLE_EQ(slow.lost_ms, 10);
  // Another configuration was not measured there, another size not tuned: nothing is claimed.
  const AskedLoss unknown = loss_of_asked(study, asked(1000, "near_size", 10, 128), {&results});
  EXPECT_TRUE(unknown.is_tuned);
  EXPECT_TRUE(std::isnan(unknown.losses[0]));
  EXPECT_EQ(unknown.total_ms, 0);
  EXPECT_FALSE(loss_of_asked(study, asked(500, "near_size", 10), {&results}).is_tuned);
}

}  // namespace
}  // namespace tuner
