// A store, and a file of others, as a recording.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/store/sample_trials.h"
#include "tuner/base/error.h"
#include "tuner/history/stored_results.h"

namespace tuner {
namespace {

class StoreRecording : public testing::Test {
 protected:
  void record(const Trial& trial, const ContextKey& key = sample_key()) const {
    Store store = Store::open(folder.path());
    store.record(store.context(key), trial);
  }
  void fill() const {
    for (int i = 3; i >= 0; --i) record(sample_trial(i));
    Trial failed = sample_trial(4);
    failed.state = TrialState::kTimeout;
    record(failed);
    Trial dropped = sample_trial(5);
    dropped.state = TrialState::kDropped;
    record(dropped);
  }

  const ScratchFolder folder{memory_folder()};
};

TEST_F(StoreRecording, AnOwnStoreIsARecordingToo) {
  fill();
  for (const auto& path : {folder.path(), folder.path() / "tuner.sqlite"}) {
    const Recording rec = read_any_recording(path);
    EXPECT_EQ(rec.name, "matmul/nvidia-h200/M1024_N512");
    EXPECT_EQ(rec.device, "NVIDIA H200");
    ASSERT_EQ(rec.entries.size(), 6U);
    EXPECT_EQ(rec.parameters[0].values.size(), 6U);
    EXPECT_EQ(rec.parameters[0].values[5], Value(std::int64_t{5}));
    EXPECT_EQ(rec.configuration(0), sample_configuration(3));
    EXPECT_EQ(rec.entries[0].objective, sample_trial(3).timing.median);
    EXPECT_EQ(rec.entries[0].cost_seconds, 0.25);
    EXPECT_EQ(rec.samples_of(0).size(), 3U);
    EXPECT_EQ(rec.entries[4].state, TrialState::kTimeout);
    EXPECT_TRUE(std::isnan(rec.entries[4].objective));
    EXPECT_EQ(rec.entries[5].objective, sample_trial(5).timing.median);
    EXPECT_TRUE(rec.notes.empty());
  }
  EXPECT_EQ(read_any_recording(folder.path(), "a").entries[0].objective, 2.0);
}

TEST_F(StoreRecording, OneOfSeveralIsNamed) {
  fill();
  ContextKey other = sample_key();
  other.kernel = "transpose";
  record(sample_trial(7), other);
  const std::string path = folder.path().string();
  EXPECT_EQ(read_any_recording(path + "#transpose/nvidia-h200/M1024_N512").entries.size(), 1U);
  try {
    read_any_recording(path + "#transpose/nvidia-h200/M1024_N51");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path +
                                ": holds no recording 'transpose/nvidia-h200/M1024_N51'; there are"
                                "\n  " +
                                path + "#matmul/nvidia-h200/M1024_N512\n  " + path +
                                "#transpose/nvidia-h200/M1024_N512 (did you mean "
                                "'transpose/nvidia-h200/M1024_N512'?)");
  }
  EXPECT_THROW(read_any_recording(path), InputError);
}

TEST_F(StoreRecording, TheNewestOfContextsWithOneNameIsTaken) {
  fill();
  ContextKey other = sample_key();
  other.device.driver = "590.10";
  record(sample_trial(7), other);
  const Recording rec = read_any_recording(folder.path());
  EXPECT_EQ(rec.entries.size(), 1U);
  EXPECT_EQ(rec.notes, std::vector<std::string>{
                           "2 contexts are called matmul/nvidia-h200/M1024_N512; the newest that "
                           "was measured as usual is taken"});
}

TEST_F(StoreRecording, AnEmptyFolderSaysSo) {
  EXPECT_THROW(read_any_recording(folder.path()), InputError);
  Store::open(folder.path());
  EXPECT_THROW(read_any_recording(folder.path()), InputError);
}

TEST_F(StoreRecording, TheStudysObjectiveAndItsWinnerAreTheRecordings) {
  {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    // The search found 1 a little better than 2; the final has put 2 before 1.
    const double gflops[] = {0, 100, 99, 50};
    for (int i = 1; i <= 3; ++i) {
      Trial trial = sample_trial(i);
      trial.metrics[0].second = gflops[i];
      trial.objective = SearchFigure(gflops[i]);
      trial.final.reset();
      if (i < 3) trial.final.emplace().samples = {i == 2 ? 1.0 : 2.0, i == 2 ? 1.0 : 2.0};
      store.record(context, trial);
    }
    store.rank_by(context, {{"gflops", true, {}}, {}}, {});
  }
  const Recording rec = read_any_recording(folder.path());
  EXPECT_EQ(rec.objective, "gflops");
  EXPECT_TRUE(rec.maximize);
  ASSERT_EQ(rec.entries.size(), 3U);
  EXPECT_EQ(rec.entries[1].objective, 99) << "the winner's own value";
  EXPECT_LT(rec.entries[0].objective, 99);
  EXPECT_NEAR(rec.entries[0].objective, 99, 1e-9);
  EXPECT_EQ(rec.entries[2].objective, 50);
}

TEST_F(StoreRecording, AnImportWithoutTimesOfAnOlderProgramIsNoWinner) {
  Trial negative = sample_trial(1);
  negative.timing.median = -1;
  record(negative);
  record(sample_trial(2));
  const Recording rec = read_any_recording(folder.path());
  EXPECT_EQ(rec.entries[0].state, TrialState::kRuntime);
  EXPECT_EQ(rec.entries[1].state, TrialState::kOk);
}

TEST_F(StoreRecording, WhatWasMeasuredAsUsualGoesBeforeNewerResultsInAnotherOrder) {
  fill();
  ContextKey random = sample_key();
  random.identity.emplace_back("backend options", "order=random");
  record(sample_trial(7), random);
  EXPECT_EQ(read_any_recording(folder.path()).entries.size(), 6U);
}

}  // namespace
}  // namespace tuner
