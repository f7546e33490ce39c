// When two devices differ, and what becomes of the times of one of them.

#include <gtest/gtest.h>

#include "tuner/worker/device_slots.h"

namespace tuner {
namespace {

Timing timing(double median, double half_width) {
  Timing out;
  out.median = median;
  out.ci_low = median - half_width;
  out.ci_high = median + half_width;
  out.min = median - half_width;
  out.samples = {median, median};
  return out;
}

constexpr double kTie = 0.005;

TEST(DeviceScale, WhatIsClearlySlowerThereIsScaledToTheTimesHere) {
  const DeviceScale scale = scale_of(timing(2, 0.01), timing(2.1, 0.01), kTie);
  EXPECT_DOUBLE_EQ(scale.ratio, 1.05);
  EXPECT_DOUBLE_EQ(scale.factor, 1 / 1.05);
  EXPECT_FALSE(scale.is_disturbed);
}

TEST(DeviceScale, IntervalsThatMeetShowNoDifference) {
  const DeviceScale scale = scale_of(timing(2, 0.06), timing(2.1, 0.06), kTie);
  EXPECT_DOUBLE_EQ(scale.ratio, 1.05);
  EXPECT_EQ(scale.factor, 1);
}

TEST(DeviceScale, ADifferenceBelowTheTieIsNone) {
  EXPECT_EQ(scale_of(timing(2, 0), timing(2.009, 0), kTie).factor, 1);
  EXPECT_NE(scale_of(timing(2, 0), timing(2.011, 0), kTie).factor, 1);
  EXPECT_EQ(scale_of(timing(2.009, 0), timing(2, 0), kTie).factor, 1);
}

TEST(DeviceScale, WhatNoTwoDevicesOfAModelDoIsADisturbance) {
  const DeviceScale slow = scale_of(timing(2, 0), timing(2.6, 0), kTie);
  EXPECT_TRUE(slow.is_disturbed);
  EXPECT_EQ(slow.factor, 1);
  EXPECT_TRUE(scale_of(timing(2.6, 0), timing(2, 0), kTie).is_disturbed);
  EXPECT_FALSE(scale_of(timing(2, 0), timing(2.4, 0), kTie).is_disturbed);
}

TEST(DeviceScale, WithoutATimeThereIsNothingToCompare) {
  EXPECT_EQ(scale_of(timing(0, 0), timing(2, 0), kTie).factor, 1);
  EXPECT_EQ(scale_of(timing(2, 0), {}, kTie).ratio, 1);
}

TEST(DeviceScale, ScalesEveryTimeOfATrialAndMarksIt) {
  Trial trial;
  trial.timing = timing(2, 0.5);
  scale(1, trial);
  EXPECT_EQ(trial.device_scale, 0) << "not scaled";
  EXPECT_EQ(trial.timing.median, 2);
  scale(0.5, trial);
  EXPECT_EQ(trial.device_scale, 0.5);
  EXPECT_EQ(trial.timing.median, 1);
  EXPECT_EQ(trial.timing.ci_low, 0.75);
  EXPECT_EQ(trial.timing.ci_high, 1.25);
  EXPECT_EQ(trial.timing.min, 0.75);
  EXPECT_EQ(trial.timing.samples, (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace tuner
