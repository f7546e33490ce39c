#include "tuner/store/store_recording.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

void fill(const std::filesystem::path& folder) {
  Store store = Store::open(folder);
  const Context context = store.context(sample_key());
  for (int i = 3; i >= 0; --i) store.record(context, sample_trial(i));
  Trial failed = sample_trial(4);
  failed.state = TrialState::kTimeout;
  store.record(context, failed);
  Trial dropped = sample_trial(5);
  dropped.state = TrialState::kDropped;
  store.record(context, dropped);
}

TEST(StoreRecording, AnOwnStoreIsARecordingToo) {
  const ScratchFolder folder;
  fill(folder.path());
  for (const auto& path : {folder.path(), folder.path() / "tuner.sqlite"}) {
    const Recording rec = read_recording(path);
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
  EXPECT_EQ(read_recording(folder.path(), "a").entries[0].objective, 2.0);
}

TEST(StoreRecording, OneOfSeveralIsNamed) {
  const ScratchFolder folder;
  fill(folder.path());
  {
    Store store = Store::open(folder.path());
    ContextKey other = sample_key();
    other.kernel = "transpose";
    store.record(store.context(other), sample_trial(7));
  }
  const std::string path = folder.path().string();
  EXPECT_EQ(read_recording(path + "#transpose/nvidia-h200/M1024_N512").entries.size(), 1U);
  try {
    read_recording(path + "#transpose/nvidia-h200/M1024_N51");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path +
                                ": holds no recording 'transpose/nvidia-h200/M1024_N51'; there are"
                                "\n  " +
                                path + "#matmul/nvidia-h200/M1024_N512\n  " + path +
                                "#transpose/nvidia-h200/M1024_N512 (did you mean "
                                "'transpose/nvidia-h200/M1024_N512'?)");
  }
  EXPECT_THROW(read_recording(path), InputError);
}

TEST(StoreRecording, TheNewestOfContextsWithOneNameIsTaken) {
  const ScratchFolder folder;
  fill(folder.path());
  {
    Store store = Store::open(folder.path());
    ContextKey other = sample_key();
    other.device.driver = "590.10";
    store.record(store.context(other), sample_trial(7));
  }
  const Recording rec = read_recording(folder.path());
  EXPECT_EQ(rec.entries.size(), 1U);
  EXPECT_EQ(rec.notes, std::vector<std::string>{
                           "2 contexts are called matmul/nvidia-h200/M1024_N512; the one with the "
                           "newest trial is taken"});
}

TEST(StoreRecording, AnEmptyFolderSaysSo) {
  const ScratchFolder folder;
  EXPECT_THROW(read_recording(folder.path()), FatalError);
  Store::open(folder.path());
  EXPECT_THROW(read_recording(folder.path()), InputError);
}

}  // namespace
}  // namespace tuner
