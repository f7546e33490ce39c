#include "tuner/plugins/cuda/power_meter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {
namespace {

TEST(MeanWatts, OfADeviceThatTakes300WattsAndRenewsItsCounterTenTimesASecondIs300) {
  double now = 0;
  const auto work = [&] { now += 0.004; };
  const auto counter = [&] {
    return static_cast<std::uint64_t>(300'000 * std::floor(now * 10 + 1e-9) / 10);
  };
  EXPECT_NEAR(mean_watts(
                  counter, [&] { return now; }, work, 0.1, 0.5),
              300, 3);
  EXPECT_LT(now, 1.0);
}

TEST(MeanWatts, LoadBeforeTheWarmUpEndsDoesNotCount) {
  double now = 0;
  const auto work = [&] { now += 0.004; };
  // 100 W at first, 400 W from 0.2 s on.
  const auto counter = [&] {
    const double at = std::floor(now * 50 + 1e-9) / 50;
    return static_cast<std::uint64_t>(1000 * (at < 0.2 ? 100 * at : 20 + 400 * (at - 0.2)));
  };
  EXPECT_NEAR(mean_watts(
                  counter, [&] { return now; }, work, 0.25, 0.5),
              400, 4);
}

TEST(MeanWatts, ACounterThatStandsStillIsAnErrorAndNotAnEndlessLoop) {
  double now = 0;
  EXPECT_THROW(mean_watts([] { return 7ULL; }, [&] { return now; }, [&] { now += 0.01; }, 0.1, 0.5),
               sdk::Error);
}

}  // namespace
}  // namespace tuner::cuda
