#include "tuner/store/merge.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "run_sql.h"
#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"
#include "tuner/store/store_impl.h"
#include "tuner/store/trial_codec.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// A results folder with the samples first to last of one context.
void fill_range(const fs::path& folder, const ContextKey& key, int first, int last) {
  Store store = Store::open(folder);
  const Context context = store.context(key);
  for (int i = first; i <= last; ++i) store.record(context, sample_trial(i));
}

ContextKey other_device() {
  ContextKey key = sample_key();
  key.device.name = "NVIDIA A100";
  return key;
}

std::size_t count_in(const fs::path& folder, const ContextKey& key) {
  Store store = Store::open(folder);
  return store.trials(store.context(key)).size();
}

class Merge : public ::testing::Test {
 protected:
  const ScratchFolder a_;
  const ScratchFolder b_;
};

TEST_F(Merge, BringsContextsAndTrialsThatAreNew) {
  fill_range(a_.path(), sample_key(), 1, 3);
  fill_range(b_.path(), sample_key(), 3, 5);
  fill_range(b_.path(), other_device(), 1, 2);
  {
    Store store = Store::open(a_.path());
    const MergeReport report = merge_store(store, b_.path());
    EXPECT_EQ(report.contexts, 2U);
    EXPECT_EQ(report.new_contexts, 1U);
    EXPECT_EQ(report.added, 4U);
    EXPECT_EQ(report.added + report.kept + report.replaced, 5U);
    EXPECT_EQ(report.damaged, 0U);
    EXPECT_TRUE(same_trial(store.trials(store.context(other_device()))[1], sample_trial(2)));
  }
  EXPECT_EQ(count_in(a_.path(), sample_key()), 5U);
  EXPECT_EQ(count_in(a_.path(), other_device()), 2U);
}

TEST_F(Merge, TwiceIsOnce) {
  fill_range(b_.path(), sample_key(), 1, 3);
  Store store = Store::open(a_.path());
  merge_store(store, b_.path() / "tuner.sqlite");
  const MergeReport again = merge_store(store, b_.path() / "tuner.sqlite");
  EXPECT_EQ(again.added, 0U);
  EXPECT_EQ(again.replaced, 0U);
  EXPECT_EQ(again.kept, 3U);
  EXPECT_EQ(again.new_contexts, 0U);
}

// The dates decide, not the order of the merges. They have seconds, so one has to pass.
TEST_F(Merge, OfTwoTrialsOfOneConfigurationTheLaterStays) {
  Trial later = sample_trial(1);
  later.timing.median = 99;
  fill_range(a_.path(), sample_key(), 1, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  {
    Store store = Store::open(b_.path());
    store.record(store.context(sample_key()), later);
  }
  Store store = Store::open(a_.path());
  const MergeReport report = merge_store(store, b_.path());
  EXPECT_EQ(report.replaced, 1U);
  ASSERT_EQ(report.ratios.size(), 1U);
  EXPECT_DOUBLE_EQ(report.ratios[0], 99 / sample_trial(1).timing.median);
  EXPECT_EQ(store.trials(store.context(sample_key()))[0].timing.median, 99);
  Store other = Store::open(b_.path());
  const MergeReport again = merge_store(other, a_.path());  // the same trial now
  EXPECT_EQ(again.kept, 1U);
  EXPECT_TRUE(again.ratios.empty());
}

// A clock that was ahead makes dates that nothing would ever be later than.
TEST_F(Merge, WhatIsDatedAheadCountsAsRecordedNow) {
  fill_range(b_.path(), sample_key(), 1, 2);
  run_sql(b_.path() / "tuner.sqlite",
          "UPDATE trials SET recorded = CASE id WHEN 1 THEN '2099-01-01T00:00:00Z' ELSE 'zz' END");
  Store store = Store::open(a_.path());
  const MergeReport report = merge_store(store, b_.path());
  EXPECT_EQ(report.added, 2U);
  EXPECT_EQ(report.ahead, 2U);
  EXPECT_EQ(report.furthest, "zz");
  for (const auto& [configuration, date] : store.dates(store.context(sample_key()))) {
    EXPECT_LE(date, utc_now());
  }
  const MergeReport again = merge_store(store, b_.path());
  EXPECT_EQ(again.kept, 2U) << "the same ones";
  EXPECT_EQ(again.ahead, 2U);
  EXPECT_TRUE(again.ratios.empty());
}

TEST_F(Merge, WhatWasImportedFromAheadOfTimeIsReplaced) {
  fill_range(a_.path(), sample_key(), 1, 1);
  run_sql(a_.path() / "tuner.sqlite", "UPDATE trials SET recorded = '2099-01-01T00:00:00Z'");
  Trial later = sample_trial(1);
  later.timing.median = 99;
  {
    Store store = Store::open(b_.path());
    store.record(store.context(sample_key()), later);
  }
  Store store = Store::open(a_.path());
  EXPECT_EQ(merge_store(store, b_.path()).replaced, 1U);
  EXPECT_EQ(store.trials(store.context(sample_key()))[0].timing.median, 99);
}

// Times of what failed or was dropped say nothing.
TEST_F(Merge, OnlyWhatBothFoundValidIsCompared) {
  for (const TrialState state : {TrialState::kDropped, TrialState::kCorrectness}) {
    const ScratchFolder a;
    const ScratchFolder b;
    for (const fs::path& folder : {a.path(), b.path()}) {
      Store store = Store::open(folder);
      Trial trial = sample_trial(1);
      trial.state = state;
      store.record(store.context(sample_key()), trial);
    }
    run_sql(a.path() / "tuner.sqlite", "UPDATE trials SET recorded = '2026-01-01T00:00:00Z'");
    Store store = Store::open(a.path());
    const MergeReport report = merge_store(store, b.path());
    EXPECT_EQ(report.replaced, 1U);
    EXPECT_TRUE(report.ratios.empty());
  }
}

TEST_F(Merge, DamagedTrialsAreLeftOut) {
  fill_range(b_.path(), sample_key(), 1, 3);
  run_sql(b_.path() / "tuner.sqlite", "UPDATE trials SET message = 'changed' WHERE id = 2");
  Store store = Store::open(a_.path());
  const MergeReport report = merge_store(store, b_.path());
  EXPECT_EQ(report.damaged, 1U);
  EXPECT_EQ(report.added, 2U);
}

TEST_F(Merge, OnlyWhatFreshLeftIsTaken) {
  fill_range(b_.path(), sample_key(), 1, 3);
  {
    Store other = Store::open(b_.path());
    const Context context = other.context(sample_key());
    other.start_afresh(context);
    other.record(context, sample_trial(7));
  }
  Store store = Store::open(a_.path());
  EXPECT_EQ(merge_store(store, b_.path()).added, 1U);
}

TEST_F(Merge, LeavesTheOtherStoreAsItWas) {
  fill_range(b_.path(), sample_key(), 1, 3);
  const auto bytes = [&] {
    std::ifstream in(b_.path() / "tuner.sqlite", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = bytes();
  Store store = Store::open(a_.path());
  merge_store(store, b_.path());
  EXPECT_EQ(bytes(), before);
}

TEST_F(Merge, RefusesItselfAndWhatIsNoStore) {
  Store store = Store::open(a_.path());
  EXPECT_THROW(merge_store(store, a_.path()), InputError);
  EXPECT_THROW(merge_store(store, b_.path()), FatalError);
  std::ofstream(b_.path() / "tuner.sqlite") << "SQLite format 3, but not really";
  EXPECT_THROW(merge_store(store, b_.path()), FatalError);
  fs::remove(b_.path() / "tuner.sqlite");
  fill_range(b_.path(), sample_key(), 1, 1);
  run_sql(b_.path() / "tuner.sqlite", "PRAGMA user_version = 99");
  EXPECT_THROW(merge_store(store, b_.path()), FatalError);
}

// As on a full disk, which has no room for another page.
void fill_up(Store& store) {
  Database& database = store.impl().db();
  const std::int64_t pages = database.integer_of("PRAGMA page_count");
  database.execute(("PRAGMA max_page_count = " + std::to_string(pages)).c_str());
}

// A disk that is full in the middle, say: nothing of the merge is there.
TEST_F(Merge, AFailureInTheMiddleLeavesNothing) {
  fill_range(b_.path(), sample_key(), 1, 30);
  fill_range(b_.path(), other_device(), 1, 30);
  Store store = Store::open(a_.path());
  fill_up(store);
  EXPECT_THROW(merge_store(store, b_.path()), FatalError);
  EXPECT_TRUE(store.contexts().empty());
}

TEST_F(Merge, RecordAllIsAllOrNothing) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  record_all(store, std::vector<TrialBatch>{{sample_key(), {sample_trial(1), sample_trial(2)}},
                                            {other_device(), {sample_trial(3)}}});
  EXPECT_EQ(store.contexts().size(), 2U);
  fill_up(store);
  ContextKey third = sample_key();
  third.kernel = "third";
  TrialBatch batch{third, {}};
  for (int i = 0; i < 30; ++i) batch.trials.push_back(sample_trial(i));
  EXPECT_THROW(record_all(store, std::vector<TrialBatch>{batch}), FatalError);
  EXPECT_EQ(store.contexts().size(), 2U);
}

TEST_F(Merge, BringsTheNamesOfTheMachinesThatMeasured) {
  fill_range(a_.path(), sample_key(), 1, 1);
  fill_range(b_.path(), sample_key(), 2, 2);
  fill_range(b_.path(), other_device(), 1, 1);
  run_sql(b_.path() / "tuner.sqlite", "UPDATE hosts SET host = 'another machine'");
  Store store = Store::open(a_.path());
  merge_store(store, b_.path());
  merge_store(store, b_.path());
  const auto contexts = store.contexts();
  ASSERT_EQ(contexts.size(), 2U);
  const std::vector<std::string> another{"another machine"};
  EXPECT_EQ(contexts[0].hosts.own.size(), 1U);
  EXPECT_EQ(contexts[0].hosts.imported, another);
  EXPECT_TRUE(contexts[1].hosts.own.empty());
  EXPECT_EQ(contexts[1].hosts.imported, another);
}

// A folder that was copied and comes back, or a machine that measures what others did before.
TEST_F(Merge, AMachineWhoseRunsWriteHereIsNotAnother) {
  fill_range(a_.path(), sample_key(), 1, 1);
  fill_range(b_.path(), sample_key(), 1, 2);
  fill_range(b_.path(), other_device(), 1, 1);
  Store store = Store::open(a_.path());
  merge_store(store, b_.path());
  EXPECT_TRUE(store.contexts()[0].hosts.imported.empty());
  EXPECT_EQ(store.contexts()[1].hosts.imported.size(), 1U);
  store.rewrite(store.context(other_device()), {}, sample_trial(1));  // measured again
  EXPECT_EQ(store.contexts()[1].hosts.own.size(), 1U);
  EXPECT_TRUE(store.contexts()[1].hosts.imported.empty());
}

TEST_F(Merge, BringsHowAContextIsRankedWhereThatIsNotKnown) {
  fill_range(a_.path(), sample_key(), 1, 1);
  fill_range(b_.path(), sample_key(), 2, 2);
  fill_range(b_.path(), other_device(), 1, 1);
  const RankedBy most{{"gflops", true, {}}, {}};
  const RankedBy own{{"a", false, {}}, {}};
  {
    Store other = Store::open(b_.path());
    other.rank_by(other.context(sample_key()), most, {});
    other.rank_by(other.context(other_device()), most, {});
  }
  Store store = Store::open(a_.path());
  store.rank_by(store.context(sample_key()), own, {});
  merge_store(store, b_.path());
  EXPECT_EQ(*store.ranked_by(store.context(sample_key())), own);
  EXPECT_EQ(*store.ranked_by(store.context(other_device())), most);
}

}  // namespace
}  // namespace tuner
