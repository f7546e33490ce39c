#include "tuner/plugins/cuda/clock_watch.h"

#include <gtest/gtest.h>

namespace tuner::cuda {
namespace {

using Advice = ThrottleGuard::Advice;

TEST(ClockBetween, IsCyclesOverTimeOnTheSameMultiprocessor) {
  // The counters of two multiprocessors have different offsets; the third has one stamp only.
  const ClockStamp first[] = {{1'000, 5'000}, {900'000'000, 5'000}, {0, 0}};
  const ClockStamp last[] = {{1'981'000, 1'005'000}, {901'980'000, 1'005'000}, {77, 1'005'000}};
  EXPECT_DOUBLE_EQ(clock_between(first, last), 1980);
}

TEST(ClockBetween, IsNotKnownForLessThanATenthOfAMillisecond) {
  const ClockStamp first[] = {{1'000, 5'000}};
  const ClockStamp last[] = {{150'000, 80'000}};
  EXPECT_EQ(clock_between(first, last), 0);
}

TEST(ThrottleGuard, KeepsWhatRanNearTheUsualClock) {
  ThrottleGuard guard;
  EXPECT_EQ(guard.judge(1980), Advice::kKeep);
  EXPECT_EQ(guard.judge(1600), Advice::kKeep);  // a kernel that takes much power
  EXPECT_EQ(guard.judge(0), Advice::kKeep);     // too short to be known
}

TEST(ThrottleGuard, RepeatsWhatWasThrottledButNotForEver) {
  ThrottleGuard guard;
  guard.judge(1980);
  EXPECT_EQ(guard.judge(1200), Advice::kRepeat);
  EXPECT_EQ(guard.judge(1970), Advice::kKeep);
  EXPECT_EQ(guard.judge(1200), Advice::kRepeat);
  EXPECT_EQ(guard.judge(1200), Advice::kRepeat);
  EXPECT_EQ(guard.judge(1200), Advice::kKeep);
}

}  // namespace
}  // namespace tuner::cuda
