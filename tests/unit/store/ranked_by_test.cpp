// How a study ranks, and what becomes of trials that are stored already.

#include <gtest/gtest.h>

#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/store/store.h"

namespace tuner {
namespace {

TEST(RankedBy, KeepsHowAContextIsRanked) {
  const ScratchFolder folder;
  RankedBy how;
  how.objective = {"gflops", true, {{"time", false, {}}}};
  how.measure.simpler_within = 0.25;
  {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    EXPECT_FALSE(store.ranked_by(context));
    store.record(context, sample_trial(1));
    Trial rescored = sample_trial(1);
    rescored.objective = SearchFigure(77);
    store.rank_by(context, how, std::vector<Trial>{rescored, sample_trial(2)});
  }
  Store store = Store::open(folder.path(), Store::Access::kRead);
  const auto contexts = store.contexts();
  ASSERT_EQ(contexts.size(), 1U);
  ASSERT_TRUE(contexts[0].ranked_by);
  EXPECT_EQ(*contexts[0].ranked_by, how);
  EXPECT_TRUE(contexts[0].ranked_by->objective.maximize);
  EXPECT_EQ(contexts[0].ranked_by->objective.beside.at(0).name, "time");
  const auto trials = store.trials(contexts[0].context);
  ASSERT_EQ(trials.size(), 1U) << "what was never measured does not come into being";
  EXPECT_EQ(trials[0].objective, SearchFigure(77));
}

TEST(RankedBy, IsNotKnownUntilAStudyHasRanked) {
  const ScratchFolder folder;
  {
    Store store = Store::open(folder.path());
    store.record(store.context(sample_key()), sample_trial(1));
  }
  {
    Store store = Store::open(folder.path(), Store::Access::kRead);
    ASSERT_EQ(store.contexts().size(), 1U);
    EXPECT_FALSE(store.contexts()[0].ranked_by);
    EXPECT_EQ(store.trials(store.contexts()[0].context).size(), 1U);
  }
  Store store = Store::open(folder.path());
  store.rank_by(store.context(sample_key()), {}, {});
  EXPECT_TRUE(store.contexts()[0].ranked_by);
}

TEST(RankedBy, WhatIsThoughtOfATrialNowReplacesIt) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  store.record(context, sample_trial(1));
  store.record(context, sample_trial(2));
  Trial outdated = sample_trial(1);
  outdated.outdated = true;
  outdated.final.reset();
  Trial again = sample_trial(2);
  again.timing.median = 99;
  store.rewrite(context, std::vector<Trial>{outdated}, again);
  const auto trials = store.trials(context);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_TRUE(trials[0].outdated);
  EXPECT_FALSE(trials[0].final);
  EXPECT_EQ(trials[1].timing.median, 99);
  EXPECT_FALSE(trials[1].outdated);
}

}  // namespace
}  // namespace tuner
