#include "tuner/store/store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "run_sql.h"
#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const FatalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Store, ATrialComesBackExactlyAsItWasRecorded) {
  const ScratchFolder folder;
  {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    store.record(context, sample_trial(1));
    Trial failed = sample_trial(2);
    failed.state = TrialState::kTimeout;
    store.record(context, failed);
  }
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  const std::vector<Trial> trials = store.trials(context);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_TRUE(same_trial(trials[0], sample_trial(1)));
  EXPECT_TRUE(trials[0].from_store);
  EXPECT_EQ(trials[1].state, TrialState::kTimeout);
  EXPECT_TRUE(store.notes().empty());
}

TEST(Store, FilesThatATrialDependsOnComeBack) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  Trial trial = sample_trial(1);
  trial.further_files = {{"/inc/a.h", std::string(32, 'a')}, {"/inc/b.h", ""}};
  trial.sources_known = false;
  store.record(context, trial);
  store.record(context, sample_trial(2));
  const std::vector<Trial> trials = store.trials(context);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].further_files, trial.further_files);
  EXPECT_FALSE(trials[0].sources_known);
  EXPECT_TRUE(trials[1].further_files.empty());
  EXPECT_TRUE(trials[1].sources_known);
}

TEST(Store, InfinitiesNansAndOddTextSurvive) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  Trial trial = sample_trial(1);
  trial.timing.median = std::numeric_limits<double>::infinity();
  trial.objective = SearchFigure(-std::numeric_limits<double>::infinity());
  trial.max_error = std::numeric_limits<double>::quiet_NaN();
  trial.metrics = {{"m", std::numeric_limits<double>::quiet_NaN()}};
  trial.timing.samples = {std::numeric_limits<double>::infinity()};
  trial.message = std::string("bytes \xff\xfe, quote ', zero \0 and end", 33);
  trial.configuration[2] = std::numeric_limits<double>::infinity();
  store.record(context, trial);
  const auto found = find(store, context, trial.configuration);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->timing.median, trial.timing.median);
  EXPECT_EQ(found->objective, trial.objective);
  EXPECT_TRUE(std::isnan(found->max_error));
  EXPECT_TRUE(std::isnan(found->metrics.at(0).second));
  EXPECT_EQ(found->timing.samples, trial.timing.samples);
  EXPECT_EQ(found->message, trial.message);
  EXPECT_EQ(found->configuration, trial.configuration);
}

TEST(Store, ConfigurationsAreToldApartByTypeAndValue) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  ContextKey key = sample_key();
  key.parameters = {"A"};
  const Context context = store.context(key);
  const std::vector<Value> values{std::int64_t{1}, 1.0, true, "1", "true", ""};
  for (const Value& value : values) {
    Trial trial = sample_trial(1);
    trial.configuration = {value};
    store.record(context, trial);
  }
  EXPECT_EQ(store.trials(context).size(), values.size());
  for (const Value& value : values) {
    EXPECT_EQ(find(store, context, {value})->configuration, Configuration{value});
  }
  EXPECT_FALSE(find(store, context, {std::int64_t{2}}));
}

TEST(Store, TheOrderOfParametersDoesNotMatter) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  ContextKey key = sample_key();
  key.parameters = {"A", "B"};
  Trial trial = sample_trial(1);
  trial.configuration = {std::int64_t{1}, std::int64_t{2}};
  store.record(store.context(key), trial);
  key.parameters = {"B", "A"};
  const Context context = store.context(key);
  const Configuration reversed{std::int64_t{2}, std::int64_t{1}};
  EXPECT_EQ(store.trials(context).at(0).configuration, reversed);
  EXPECT_TRUE(find(store, context, reversed));
}

TEST(Store, WhateverDiffersIsAnotherContext) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  store.record(store.context(sample_key()), sample_trial(1));
  std::vector<ContextKey> others(8, sample_key());
  others[0].kernel = "transpose";
  others[1].device.driver = "590.10";
  others[2].size.dims[1].second = 513;
  others[3].identity[0].second = "abd";
  others[4].identity.emplace_back("inputs", "seed 7");
  others[5].parameters.push_back("NEW");
  others[6].device.name = "NVIDIA H100";
  others[7].identity[0].first = "sources";
  for (const ContextKey& other : others) {
    EXPECT_TRUE(store.trials(store.context(other)).empty());
    EXPECT_FALSE(differences(sample_key(), other).empty());
  }
  ContextKey same = sample_key();
  same.device.clock_khz = 1;  // follows from the device: tells nothing new
  std::swap(same.identity[0], same.identity[1]);
  EXPECT_EQ(store.trials(store.context(same)).size(), 1U);
  EXPECT_TRUE(differences(sample_key(), same).empty());
}

TEST(Store, DifferencesNameWhatIsStale) {
  ContextKey now = sample_key();
  now.device.driver = "590.10";
  now.identity = {{"source", "abd"}, {"options", "-O3"}};
  EXPECT_EQ(differences(sample_key(), now),
            (std::vector<std::string>{"driver: 580.65 -> 590.10", "options: (none) -> -O3",
                                      "source: abc -> abd", "compiler: nvrtc 13.0 -> (none)"}));
}

TEST(Store, DifferencesOfDigestsSayOnlyThatThereIsOne) {
  ContextKey before = sample_key();
  ContextKey now = sample_key();
  before.identity = {{"source", "0123456789abcdef0123456789abcdef"}};
  now.identity = {{"source", "0123456789abcdef0123456789abcde0"}};
  EXPECT_EQ(differences(before, now), (std::vector<std::string>{"source: changed"}));
}

TEST(Store, ContextsAreListedWithWhatTheyHold) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  store.record(store.context(sample_key()), sample_trial(1));
  ContextKey other = sample_key();
  other.kernel = "transpose";
  store.context(other);
  const auto all = store.contexts();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].trials, 1U);
  EXPECT_EQ(all[0].newest.size(), 20U);
  EXPECT_TRUE(differences(all[0].key, sample_key()).empty());
  EXPECT_EQ(all[0].key.device.max_shared_memory_per_block_optin, 232448);
  EXPECT_EQ(all[0].key.size, sample_key().size);
  EXPECT_EQ(all[1].trials, 0U);
  EXPECT_EQ(store.contexts("transpose").size(), 1U);
  EXPECT_TRUE(same_trial(store.trials(all[0].context).at(0), sample_trial(1)));
}

TEST(Store, RecordingAgainReplaces) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  store.record(context, std::vector<Trial>{sample_trial(1), sample_trial(2)});
  Trial better = sample_trial(1);
  better.timing.samples = {0.5};
  better.timing.median = 0.5;
  store.record(context, better);
  const auto trials = store.trials(context);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_TRUE(same_trial(trials[0], better)) << "the order of the first recording stays";
}

TEST(Store, StartingAfreshHidesOldTrialsOfThatContextOnly) {
  const ScratchFolder folder;
  Store store = Store::open(folder.path());
  ContextKey other_key = sample_key();
  other_key.kernel = "transpose";
  const Context context = store.context(sample_key());
  const Context other = store.context(other_key);
  store.record(context, sample_trial(1));
  store.record(other, sample_trial(1));
  store.start_afresh(context);
  EXPECT_TRUE(store.trials(context).empty());
  EXPECT_FALSE(find(store, context, sample_configuration(1)));
  EXPECT_EQ(store.trials(other).size(), 1U);
  store.record(context, sample_trial(2));
  EXPECT_EQ(store.trials(context).size(), 1U);
}

TEST(Store, AConfigurationThatTookThreeRunsDownIsBlamed) {
  const ScratchFolder folder;
  const auto killed_run = [&] {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    const auto blamed = store.settle_in_flight(context);
    store.mark_in_flight(context, sample_configuration(1));
    return blamed.size();
  };
  EXPECT_EQ(killed_run(), 0U);
  EXPECT_EQ(killed_run(), 0U) << "once may be anyone's fault";
  EXPECT_EQ(killed_run(), 0U) << "and so may twice, as long as it was alone only once";
  Store store = Store::open(folder.path());
  const Context context = store.context(sample_key());
  const auto blamed = store.settle_in_flight(context);
  ASSERT_EQ(blamed.size(), 1U);
  EXPECT_EQ(blamed[0].configuration, sample_configuration(1));
  const auto found = find(store, context, sample_configuration(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, TrialState::kRuntime);
  EXPECT_EQ(
      found->message,
      "took the tuner down: 3 runs ended without a word while this configuration was running");
  EXPECT_TRUE(store.settle_in_flight(context).empty());
}

TEST(Store, AConfigurationThatEndedOrWasInterruptedIsNotBlamed) {
  const ScratchFolder folder;
  for (int run = 0; run < 4; ++run) {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    EXPECT_TRUE(store.settle_in_flight(context).empty());
    store.mark_in_flight(context, sample_configuration(1));
    store.record(context, sample_trial(1));
    store.mark_in_flight(context, sample_configuration(2));
    store.clear_in_flight(context, sample_configuration(2));
  }
}

TEST(Store, AnInterruptionDoesNotClearASuspect) {
  const ScratchFolder folder;
  for (int run = 0; run < 4; ++run) {
    Store store = Store::open(folder.path());
    const Context context = store.context(sample_key());
    EXPECT_EQ(store.settle_in_flight(context).size(), run == 3 ? 1U : 0U);
    const bool suspected = run == 1 || run == 2;
    EXPECT_EQ(store.suspects(context).size(), suspected ? 1U : 0U);
    store.mark_in_flight(context, sample_configuration(1));
    if (run == 0) {
      continue;  // dies
    }
    store.clear_in_flight(context, sample_configuration(1));
    store.mark_in_flight(context, sample_configuration(1));  // dies as well
  }
}

TEST(Store, AnotherLivingTunersConfigurationIsNotBlamed) {
  const ScratchFolder folder;
  Store first = Store::open(folder.path());
  const Context context = first.context(sample_key());
  first.mark_in_flight(context, sample_configuration(1));
  for (int run = 0; run < 3; ++run) {
    Store second = Store::open(folder.path());
    EXPECT_TRUE(second.settle_in_flight(second.context(sample_key())).empty());
  }
}

TEST(Store, ADatabaseOfANewerTunerIsLeftAlone) {
  const ScratchFolder folder;
  Store::open(folder.path());
  const auto file = folder.path() / "tuner.sqlite";
  run_sql(file, "PRAGMA user_version = 9");
  const std::string expected = file.string() +
                               " was written by a newer tuner (schema 9; this one knows 2): use "
                               "that one, or another results directory";
  EXPECT_EQ(message_of([&] { Store::open(folder.path()); }), expected);
  EXPECT_EQ(message_of([&] { Store::open(folder.path(), Store::Access::kRead); }), expected);
}

TEST(Store, ADatabaseOfAnOlderTunerIsKeptAsideAndANewOneBegun) {
  const ScratchFolder folder;
  const auto file = folder.path() / "tuner.sqlite";
  const std::string why =
      file.string() + " was written by an older tuner, in a form that is not read any more";
  for (const std::string name : {"tuner.sqlite.older-1", "tuner.sqlite.older-2"}) {
    {
      Store store = Store::open(folder.path());
      store.record(store.context(sample_key()), sample_trial(1));
    }
    run_sql(file, "PRAGMA user_version = 1");
    const std::string before = read_file(file);
    EXPECT_EQ(message_of([&] { Store::open(folder.path(), Store::Access::kRead); }), why);
    Store store = Store::open(folder.path());
    EXPECT_EQ(store.notes(),
              std::vector{why + "; it is kept as " + name + ", and a new one is begun"});
    EXPECT_TRUE(store.contexts().empty());
    EXPECT_EQ(read_file(folder.path() / name), before);
  }
}

TEST(Store, AnotherProgramsDatabaseIsLeftAlone) {
  const ScratchFolder folder;
  const auto file = folder.path() / "tuner.sqlite";
  run_sql(file, "CREATE TABLE mine(x)");
  EXPECT_EQ(message_of([&] { Store::open(folder.path()); }),
            file.string() + " is an SQLite database of another program");
}

TEST(Store, ReadingNeedsADatabase) {
  EXPECT_EQ(message_of([] { Store::open("/nonexistent/results", Store::Access::kRead); }),
            "there are no results in /nonexistent/results: /nonexistent/results/tuner.sqlite does "
            "not exist");
}

TEST(Store, AFolderThatCannotBeMadeIsNamed) {
  const ScratchFolder folder;
  run_sql(folder.path() / "file", "CREATE TABLE t(x)");
  EXPECT_EQ(message_of([&] { Store::open(folder.path() / "file" / "results"); }),
            "cannot create the results directory " + (folder.path() / "file" / "results").string() +
                ": Not a directory");
}

TEST(Store, ReadersSeeWhatAWriterCommitted) {
  const ScratchFolder folder;
  Store writer = Store::open(folder.path());
  const Context context = writer.context(sample_key());
  Store reader = Store::open(folder.path(), Store::Access::kRead);
  EXPECT_TRUE(reader.trials(reader.contexts().at(0).context).empty());
  writer.record(context, sample_trial(1));
  EXPECT_EQ(reader.trials(reader.contexts().at(0).context).size(), 1U);
  EXPECT_NE(message_of([&] { reader.record(context, sample_trial(2)); }).find("read-only"),
            std::string::npos);
}

}  // namespace
}  // namespace tuner
