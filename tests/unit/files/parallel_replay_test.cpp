#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "tests/fakes/fake_strategy.h"
#include "tuner/base/error.h"
#include "tuner/files/recording_reader.h"
#include "tuner/files/replay.h"
#include "tuner/search/tuning_loop.h"

namespace tuner {
namespace {

// Compile, verification and benchmark milliseconds; the last but one fails on the device.
constexpr const char* kFiveEntries = R"({"tune_params_keys": ["x"],
 "tune_params": {"x": [0, 1, 2, 3, 4]},
 "cache": {
  "0": {"x": 0, "time": 5.0, "compile_time": 3000, "verification_time": 400, "benchmark_time": 600},
  "1": {"x": 1, "time": 4.0, "compile_time": 1000, "verification_time": 0, "benchmark_time": 5000},
  "2": {"x": 2, "time": 3.0, "compile_time": 1000, "benchmark_time": 2000},
  "3": {"x": 3, "time": "RuntimeFailedConfig", "compile_time": 2500, "benchmark_time": 9000},
  "4": {"x": 4, "time": 2.0, "benchmark_time": 500}}})";

Recording five_entries() { return parse_recording(kFiveEntries, "test"); }

struct Result {
  ConfigIndex index = 0;
  double at = 0;
  bool operator==(const Result&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << static_cast<int>(result.index) << " at " << result.at << " s";
}

std::vector<Result> results_of(Evaluator& evaluator) {
  std::vector<Result> out;
  while (const auto trial = evaluator.next(kNoEnd)) out.push_back({trial->index, evaluator.now()});
  return out;
}

// By hand: two workers compile 0 (until 3) and 1 (1), then 2 (2), 3 (4.5) and 4 (3, but submitted
// after 3). The device has 1 until 6, 2 until 8, 0 until 9, 4 until 9.5.
TEST(ParallelReplay, WorkersCompileInOrderOfSubmissionAndTheDeviceRunsInOrderOfArrival) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  for (ConfigIndex i = 0; i < 5; ++i) evaluator.submit(i);
  EXPECT_EQ(results_of(evaluator),
            (std::vector<Result>{{3, 4.5}, {1, 6}, {2, 8}, {0, 9}, {4, 9.5}}));
}

// By hand, with what is compiled when as above: one device has 1 until 6, the other 2 until 4; then
// 0 goes to the second one until 5, and 4, which waits since 3, there until 5.5.
TEST(ParallelReplay, TheDeviceThatIsFreeFirstTakesWhatIsCompiled) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2, 2);
  for (ConfigIndex i = 0; i < 5; ++i) evaluator.submit(i);
  EXPECT_EQ(evaluator.machine()->devices, 2U);
  EXPECT_EQ(results_of(evaluator),
            (std::vector<Result>{{2, 4}, {3, 4.5}, {0, 5}, {4, 5.5}, {1, 6}}));
  EXPECT_DOUBLE_EQ(evaluator.busy().device, 8.5 / 12);
  EXPECT_DOUBLE_EQ(evaluator.machine()->device_busy, 8.5 / 12);
}

// By hand: compiled are 1 and 2 (at 1 s) and 0 (3 s); the device has 1 until 6 s.
TEST(ParallelReplay, WhatIsCompiledIsRunInTheOrderThatIsWanted) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 4);
  for (const ConfigIndex i : {1, 2, 0}) evaluator.submit(i);
  EXPECT_FALSE(evaluator.next(5));
  evaluator.reorder(std::vector<ConfigIndex>{1, 0});  // 1 runs already, 2 is not named
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{1, 6}, {0, 7}, {2, 9}}));
}

TEST(ParallelReplay, ADeviceThatIsAtWorkWhenTheRestIsCancelledGoesOn) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2, 2);
  for (const ConfigIndex i : {1, 2, 0, 3}) evaluator.submit(i);
  for (const ConfigIndex done : {2, 3}) EXPECT_EQ(evaluator.next(4.5)->index, done);
  EXPECT_FALSE(evaluator.next(4.5));  // 1 runs until 6 s, 0 until 5 s
  evaluator.cancel();
  for (const ConfigIndex i : {4, 4}) evaluator.submit(i);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{0, 5}, {4, 5.5}, {1, 6}, {4, 6}}));
}

TEST(ParallelReplay, OneWorkerAndTheDeviceWorkAtTheSameTime) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 1);
  evaluator.submit(1);
  evaluator.submit(2);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{1, 6}, {2, 8}}));
}

TEST(ParallelReplay, WhatIsSubmittedLaterStartsLater) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  evaluator.submit(3);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{3, 2.5}}));
  evaluator.submit(0);
  evaluator.submit(4);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{4, 3}, {0, 6.5}}));
}

TEST(ParallelReplay, ATrialCostsWhatItsWorkerAndTheDeviceSpent) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 5);
  evaluator.submit(0);
  evaluator.submit(3);
  const auto failed = evaluator.next(kNoEnd);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->state, TrialState::kRuntime);
  EXPECT_DOUBLE_EQ(failed->cost_seconds, 2.5);
  const auto done = evaluator.next(kNoEnd);
  ASSERT_TRUE(done);
  EXPECT_DOUBLE_EQ(done->objective.value(), 5);
  EXPECT_DOUBLE_EQ(done->cost_seconds, 4);
  EXPECT_DOUBLE_EQ(done->compile_ms, 3000);
}

TEST(ParallelReplay, TheStrategysOwnComputingPassesWhileOthersWork) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 1);
  evaluator.submit(2);
  evaluator.pass(10);
  EXPECT_DOUBLE_EQ(evaluator.now(), 10);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{2, 10}}));
  evaluator.submit(2);
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{2, 13}}));
}

// Two workers: 1 is compiled at 1 s, runs until 6 s; 2 is compiled at 2 s; 0 at 3 s; 3 at 4.5 s.
TEST(ParallelReplay, SaysWhereEachQuestionIs) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  for (const ConfigIndex i : {0, 1, 2, 3}) evaluator.submit(i);
  evaluator.submit(0);  // begins at 3 s
  evaluator.pass(2.5);
  const auto state = evaluator.machine();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->compile_workers, 2U);
  std::map<tuner_stage, int> counts;
  for (const UnderWay& one : state->under_way) {
    ++counts[one.stage];
    EXPECT_DOUBLE_EQ(one.seconds, 2.5);
  }
  EXPECT_EQ(counts, (std::map<tuner_stage, int>{{TUNER_STAGE_QUEUED, 1},
                                                {TUNER_STAGE_COMPILING, 2},
                                                {TUNER_STAGE_COMPILED, 1},
                                                {TUNER_STAGE_RUNNING, 1}}));
}

TEST(ParallelReplay, SaysHowBusyCompilersAndDeviceWere) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  evaluator.submit(1);
  evaluator.next(kNoEnd);  // compiled for 1 s by one of two, run for 5 s
  const auto state = evaluator.machine();
  ASSERT_TRUE(state);
  EXPECT_DOUBLE_EQ(state->compilers_busy, 1.0 / 12);
  EXPECT_DOUBLE_EQ(state->device_busy, 5.0 / 6);
  EXPECT_TRUE(state->under_way.empty());
}

TEST(ParallelReplay, WaitsNoLongerThanItIsTold) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 1);
  evaluator.submit(1);  // until 1 s, then on the device until 6 s
  for (const double until : {0.5, 2.0, 2.0, 5.5}) {
    EXPECT_FALSE(evaluator.next(until));
    EXPECT_DOUBLE_EQ(evaluator.now(), until);
  }
  EXPECT_EQ(evaluator.machine()->under_way.at(0).stage, TUNER_STAGE_RUNNING);
  EXPECT_TRUE(evaluator.next(6));
  EXPECT_DOUBLE_EQ(evaluator.now(), 6);
  EXPECT_FALSE(evaluator.next(100)) << "nothing is outstanding";
  EXPECT_DOUBLE_EQ(evaluator.now(), 6);
}

TEST(ParallelReplay, WhatIsCancelledNeverComesAndItsWorkersAreFree) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  for (const ConfigIndex i : {1, 2, 0, 3}) evaluator.submit(i);
  EXPECT_FALSE(evaluator.next(2.5));  // 1 runs until 6 s, 2 waits for the device, 0 and 3 compile
  evaluator.cancel();
  EXPECT_EQ(evaluator.machine()->under_way.size(), 1U);
  evaluator.submit(4);  // no compile time
  EXPECT_EQ(results_of(evaluator), (std::vector<Result>{{1, 6}, {4, 6.5}}));
}

TEST(ParallelReplay, TellsForHowLongSomethingHasBeenCompiled) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 1);
  evaluator.submit(2);
  evaluator.submit(0);
  EXPECT_FALSE(evaluator.next(2));  // 2 is on the device, 0 has been compiled since 1 s
  const auto state = evaluator.machine();
  ASSERT_TRUE(state);
  const auto compiling =
      std::ranges::find(state->under_way, TUNER_STAGE_COMPILING, &UnderWay::stage);
  ASSERT_NE(compiling, state->under_way.end());
  EXPECT_DOUBLE_EQ(compiling->in_stage, 1);
}

TEST(ParallelReplay, CountsWhatWasBusyUntilNow) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 2);
  EXPECT_EQ(evaluator.busy().workers, 0);
  evaluator.submit(1);
  evaluator.submit(0);
  EXPECT_FALSE(evaluator.next(2));
  EXPECT_DOUBLE_EQ(evaluator.busy().workers, (1.0 + 2.0) / 4);
  EXPECT_DOUBLE_EQ(evaluator.busy().device, 0.5);
  evaluator.cancel();
  EXPECT_DOUBLE_EQ(evaluator.busy().workers, (1.0 + 2.0) / 4) << "it was busy all the same";
  EXPECT_TRUE(evaluator.next(kNoEnd));
  EXPECT_DOUBLE_EQ(evaluator.busy().workers, (1.0 + 2.0) / 12);
  EXPECT_DOUBLE_EQ(evaluator.busy().device, 5.0 / 6);
}

TEST(ParallelReplay, ThereMayBeMoreWorkersThanConfigurations) {
  const Recording recorded = five_entries();
  ParallelReplay evaluator(recorded, 64);
  FakeStrategy strategy({4, 3, 2, 1, 0});
  std::vector<Result> results;
  LoopCallbacks callbacks;
  callbacks.on_trial = [&](const Trial& trial) {
    results.push_back({trial.index, evaluator.now()});
  };
  const ObjectiveSpec objective{"time", false, {}};
  EXPECT_EQ(run_loop(strategy, evaluator, objective, {}, callbacks).evaluations, 5U);
  EXPECT_EQ(results, (std::vector<Result>{{4, 0.5}, {3, 2.5}, {2, 3}, {1, 8}, {0, 9}}));
}

TEST(ParallelReplay, EveryWorkerIsKeptBusyByTheLoop) {
  const Recording recorded = five_entries();
  for (const unsigned workers : {1U, 4U, 16U, 64U}) {
    const ParallelReplay evaluator(recorded, workers);
    EXPECT_GT(evaluator.capacity(), workers);
  }
}

TEST(ParallelReplay, ARecordingWithoutCompileTimesIsRefused) {
  Recording recorded = five_entries();
  for (auto& entry : recorded.entries) {
    entry.compile_seconds = std::numeric_limits<double>::quiet_NaN();
  }
  try {
    const ParallelReplay evaluator(recorded, 16);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "test: has no compile times, which simulated compile workers need (--compile-workers)");
  }
}

TEST(ParallelReplay, AClockedStrategyTellsHowLongItComputed) {
  double seconds = 0;
  int calls = 0;
  ClockedStrategy strategy(std::make_unique<FakeStrategy>(std::vector<ConfigIndex>{3, 1}),
                           [&](double more) {
                             seconds += more;
                             ++calls;
                           });
  EXPECT_EQ(strategy.ask(2), (std::vector<ConfigIndex>{3, 1}));
  strategy.tell({});
  strategy.learn({});
  EXPECT_EQ(calls, 3);
  EXPECT_GE(seconds, 0);
}

}  // namespace
}  // namespace tuner
