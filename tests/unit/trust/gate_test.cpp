// The gate on a device of known noise: drift that both see, a processor that is taken away now and
// then, and the noise of single samples.

#include "tuner/trust/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace tuner {
namespace {

// One second has 500 pairs.
class NoisyDevice {
 public:
  NoisyDevice(std::uint64_t seed, double slowdown) : random_(seed), slowdown_(slowdown) {}

  std::vector<std::vector<double>> measure(int rounds, double seconds) {
    std::vector<std::vector<double>> samples(2);
    for (int i = 0; i < rounds && spent_ < seconds + 60; ++i) {
      spent_ += 0.002;
      const double drift = 1 + 0.1 * std::sin(2 * std::numbers::pi * spent_ / 7);
      for (std::size_t side = 0; side < 2; ++side) {
        const double own = side == 1 ? 1 + slowdown_ : 1;
        const double noise = std::exp(0.04 * normal_(random_));
        const double taken = uniform_(random_) < 0.15 ? 1 + uniform_(random_) : 1;
        samples[side].push_back(own * drift * noise * taken);
      }
    }
    return samples;
  }
  double spent() const { return spent_; }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double slowdown_;
  double spent_ = 0;
};

GateState on_noisy_device(std::uint64_t seed, double slowdown, GateRule rule = {}) {
  NoisyDevice device(seed, slowdown);
  return decide(
      rule, [&](int rounds, std::uint64_t, double left) { return device.measure(rounds, left); },
      [&] { return device.spent(); });
}

TEST(Gate, EqualProgramsRaiseNoAlarm) {
  int alarms = 0;
  int passed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const GateVerdict verdict = on_noisy_device(seed, 0).verdict;
    alarms += verdict == GateVerdict::kSlower ? 1 : 0;
    passed += verdict == GateVerdict::kPassed ? 1 : 0;
  }
  EXPECT_LE(alarms, 1);
  EXPECT_GE(passed, 99);
}

TEST(Gate, SlowdownsOfTwoPercentAreFound) {
  int found = 0;
  for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
    found += on_noisy_device(seed, 0.02).verdict == GateVerdict::kSlower ? 1 : 0;
  }
  EXPECT_GE(found, 19);
}

TEST(Gate, WhatIsFasterPassesAtOnce) {
  const GateState state = on_noisy_device(1, -0.2);
  EXPECT_EQ(state.verdict, GateVerdict::kPassed);
  EXPECT_LE(state.pairs, 62U);
}

TEST(Gate, WithoutTimeNothingIsDecided) {
  GateRule rule;
  rule.seconds = 0.05;
  const GateState state = on_noisy_device(1, 0.01, rule);
  EXPECT_EQ(state.verdict, GateVerdict::kUndecided);
  EXPECT_EQ(state.pairs, 31U);
}

TEST(Gate, EndsWhereNothingCanBeMeasured) {
  int asked = 0;
  const GateState state = decide(
      {}, [&](int, std::uint64_t, double) { return ++asked, std::vector<std::vector<double>>{}; },
      [] { return 0.0; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(state.verdict, GateVerdict::kUndecided);
}

}  // namespace
}  // namespace tuner
