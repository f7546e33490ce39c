#include "tuner/files/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tuner/files/recording_reader.h"

namespace tuner {
namespace {

// Two parameters, one combination (x = 4, y = 1) left out, one failed.
constexpr const char* kTwoByThree =
    R"({"device_name": "GPU", "kernel_name": "k", "objective": "time",
 "tune_params_keys": ["x", "y", "mode"],
 "tune_params": {"x": [1, 2, 4], "y": [0, 1], "mode": ["fast"]},
 "cache": {
  "1,0,fast": {"x": 1, "y": 0, "mode": "fast", "time": 5.0, "times": [5.0, 5.0],
               "compile_time": 100, "benchmark_time": 50},
  "2,0,fast": {"x": 2, "y": 0, "mode": "fast", "time": 3.0, "compile_time": 200, "benchmark_time": 0},
  "4,0,fast": {"x": 4, "y": 0, "mode": "fast", "time": 2.0, "compile_time": 100, "benchmark_time": 0},
  "1,1,fast": {"x": 1, "y": 1, "mode": "fast", "time": "CompilationFailedConfig",
               "compile_time": 300},
  "2,1,fast": {"x": 2, "y": 1, "mode": "fast", "time": 4.0, "compile_time": 100}}})";

Recording recording() { return parse_recording(kTwoByThree, "test"); }

using Positions = std::vector<std::uint32_t>;

TEST(RecordedSpace, HoldsExactlyTheRecordedConfigurations) {
  const Recording recorded = recording();
  const RecordedSpace space(recorded);
  ASSERT_EQ(space.size(), 5);
  EXPECT_EQ(space.index_of(Positions{2, 1, 0}), std::nullopt);
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    Positions at(3);
    space.positions(i, at);
    EXPECT_EQ(space.index_of(at), i);
  }
}

TEST(RecordedSpace, HammingNeighboursDifferInOneParameter) {
  const Recording recorded = recording();
  const RecordedSpace space(recorded);
  std::vector<ConfigIndex> found;
  space.neighbours(Positions{0, 0, 0}, Neighbourhood::kHamming, found);
  EXPECT_EQ(found, (std::vector<ConfigIndex>{1, 2, 3}));
}

TEST(RecordedSpace, AdjacentNeighboursAreOneStepAway) {
  const Recording recorded = recording();
  const RecordedSpace space(recorded);
  std::vector<ConfigIndex> found;
  space.neighbours(Positions{0, 0, 0}, Neighbourhood::kAdjacent, found);
  EXPECT_EQ(found, (std::vector<ConfigIndex>{1, 3}));
}

TEST(RecordedSpace, KnowsTheNeighboursOfAConfigurationThatIsNotRecorded) {
  const Recording recorded = recording();
  const RecordedSpace space(recorded);
  std::vector<ConfigIndex> found;
  space.neighbours(Positions{2, 1, 0}, Neighbourhood::kAdjacent, found);
  EXPECT_EQ(found, (std::vector<ConfigIndex>{4, 2}));
}

TEST(Replay, ClockIsTheSumOfTheRecordedCostsFailuresIncluded) {
  const Recording recorded = recording();
  ReplayEvaluator evaluator(recorded);
  evaluator.submit(0);
  evaluator.submit(3);
  EXPECT_DOUBLE_EQ(evaluator.now(), 0);
  const auto first = evaluator.next(kNoEnd);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->state, TrialState::kOk);
  EXPECT_DOUBLE_EQ(first->objective.value(), 5.0);
  EXPECT_DOUBLE_EQ(first->cost_seconds, 0.15);
  EXPECT_EQ(first->timing.samples.size(), 2U);
  const auto second = evaluator.next(kNoEnd);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->state, TrialState::kCompile);
  EXPECT_DOUBLE_EQ(evaluator.now(), 0.45);
  EXPECT_FALSE(evaluator.next(kNoEnd));
}

TEST(Replay, WaitsNoLongerThanItIsToldAndGoesOnFromThere) {
  const Recording recorded = recording();
  ReplayEvaluator evaluator(recorded);
  evaluator.submit(0);  // 0.15 s
  EXPECT_FALSE(evaluator.next(0.1));
  EXPECT_DOUBLE_EQ(evaluator.now(), 0.1);
  EXPECT_TRUE(evaluator.next(0.2));
  EXPECT_DOUBLE_EQ(evaluator.now(), 0.15);
  evaluator.submit(3);  // 0.3 s
  EXPECT_FALSE(evaluator.next(0.2));
  evaluator.cancel();
  EXPECT_FALSE(evaluator.next(kNoEnd));
  evaluator.submit(0);
  EXPECT_TRUE(evaluator.next(kNoEnd));
  EXPECT_DOUBLE_EQ(evaluator.now(), 0.35);
}

TEST(Replay, WithoutRecordedCostsEachConfigurationTakesASecond) {
  Recording recorded = recording();
  for (auto& entry : recorded.entries) entry.cost_seconds = std::nan("");
  ReplayEvaluator evaluator(recorded);
  for (ConfigIndex i = 0; i < 3; ++i) evaluator.submit(i);
  while (evaluator.next(kNoEnd)) {
  }
  EXPECT_DOUBLE_EQ(evaluator.now(), 3);
}

}  // namespace
}  // namespace tuner
