#include "benchmarks/strategies/parallel_score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tuner/base/error.h"
#include "tuner/files/recording_reader.h"

namespace tuner::bench {
namespace {

// As many workers as configurations: every random run is the same. The device has 0 from 1 s until
// 4 s, 1 until 6 s, and 2, the optimum, until 9 s; an oracle would have it at 6 s. The median is 4.
constexpr const char* kCache = R"({"tune_params_keys": ["x"], "tune_params": {"x": [0, 1, 2, 3]},
 "cache": {
  "0": {"x": 0, "time": 10, "compile_time": 1000, "verification_time": 1000, "benchmark_time": 2000},
  "1": {"x": 1, "time": 4, "compile_time": 2000, "verification_time": 500, "benchmark_time": 1500},
  "2": {"x": 2, "time": 2, "compile_time": 3000, "benchmark_time": 3000},
  "3": {"x": 3, "time": "RuntimeFailedConfig", "compile_time": 500, "benchmark_time": 9000}}})";

constexpr unsigned kWorkers = 4;
constexpr std::uint64_t kSeed = 7;

ParallelScale scale() { return {parse_recording(kCache, "test"), kWorkers, kSeed}; }

TEST(ParallelScore, TheBudgetEndsWhenRandomSearchIsNearlyThere) {
  EXPECT_DOUBLE_EQ(scale().budget_seconds(), 9);
}

TEST(ParallelScore, RandomSearchWithTheSameWorkersHasNone) {
  const bench::Run random{{0.5, 4, 6, 9}, {std::nan(""), 10, 4, 2}};
  const ParallelScore score = scale().score(std::vector<bench::Run>{random});
  EXPECT_DOUBLE_EQ(score.mean, 0);
  EXPECT_EQ(score.eighths, std::vector<double>(8, 0.0));
}

TEST(ParallelScore, TheOracleHasOne) {
  const bench::Run oracle{{6}, {2}};
  EXPECT_DOUBLE_EQ(scale().score(std::vector<bench::Run>{oracle}).mean, 1);
}

// 400 points, one each 9 / 400 s: from 6 s on, where the oracle is, the baseline has 133 points at
// which it is 2 worse than the optimum. A run that is there at 4 s has 222 such points, one that is
// there at 8 s has 44.
TEST(ParallelScore, IsTheAreaWonFromRandomSearchOverThatWhichAnOracleWins) {
  const std::vector<bench::Run> runs{{{1, 4}, {10, 2}}, {{0.5, 3.5, 8}, {std::nan(""), 4, 2}}};
  const ParallelScore score = scale().score(runs);
  EXPECT_NEAR(score.mean, (222 + 44) / 2.0 / 133, 1e-12);
  EXPECT_NEAR(score.worst, 44.0 / 133, 1e-12);
  const std::vector<double> eighths{0, 0, 0, 0.23, 0.5, 0.5, 0.5, 93.0 / 98};
  ASSERT_EQ(score.eighths.size(), eighths.size());
  for (std::size_t i = 0; i < eighths.size(); ++i) {
    EXPECT_NEAR(score.eighths[i], eighths[i], 1e-12) << i;
  }
}

TEST(ParallelScore, ARecordingWithoutAValidResultHasNoScale) {
  Recording recorded = parse_recording(kCache, "test");
  for (auto& entry : recorded.entries) entry.state = TrialState::kRuntime;
  EXPECT_THROW(ParallelScale(recorded, kWorkers, kSeed), InputError);
}

}  // namespace
}  // namespace tuner::bench
