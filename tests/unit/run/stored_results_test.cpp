// Rankings told again from the store.

#include "tuner/run/stored_results.h"

#include "run_fixture.h"

namespace tuner::test {
namespace {

class StoredResultsTest : public RunTest {
 protected:
  std::vector<StoredResults> all(const ResultFilter& filter = {}) {
    Store store = Store::open(folder.path());
    return stored_results(store, nullptr, filter);
  }
};

TEST_F(StoredResultsTest, WithoutAStudyTheyAreRankedAsTheStudyThatMeasuredThem) {
  study.metrics = {{"slowness", expr("VEC * 1.0")}};
  study.objective = {"slowness", true, {}};
  tune();
  const auto results = all();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(number(results.front().ranked.trials.front().configuration[1]), 4);
}

TEST_F(StoredResultsTest, TheFilterLooksAtDeviceAndSize) {
  study.sizes = {{{{"n", 1000}}}, {{{"n", 2000}}}};
  for (const ProblemSize& size : study.sizes) tune(size);
  EXPECT_EQ(all().size(), 2U);
  EXPECT_EQ(all({"fake", "", {}}).size(), 2U);
  EXPECT_EQ(all({"h200", "", {}}).size(), 0U);
  EXPECT_EQ(all({"", "n=2000", {}}).size(), 1U);
}

TEST_F(StoredResultsTest, ASizeThatMakesNoSenseIsAnInputError) {
  for (const char* text : {"n", "=5", "n=", "n=x", "n=5x"}) {
    EXPECT_THROW(parse_dims(text), InputError) << text;
  }
  EXPECT_EQ(parse_dims("M=1,N=2").dims.size(), 2U);
}

TEST_F(StoredResultsTest, OfEqualPlacesThePlainOnesStand) {
  tune();
  with.backend_options = "order=random";
  tune();
  const auto kept = newest_of_each(all());
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept.front().plain);
  ASSERT_EQ(kept.front().others.size(), 1U);
  EXPECT_NE(kept.front().others.front().find("measured with order=random"), std::string::npos);
}

TEST_F(StoredResultsTest, ImportedOnesGiveWayToMeasuredOnes) {
  tune();
  auto results = all();
  ASSERT_EQ(results.size(), 1U);
  StoredResults imported = results.front();
  imported.imported = "kernel_tuner";
  imported.ranked.date = "2999-01-01T00:00:00Z";
  results.push_back(imported);
  const auto kept = newest_of_each(results);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.front().imported, "");
}

// What colleagues sent: the newest driver stands, whoever measured last.
TEST_F(StoredResultsTest, OfOtherMachinesTheNewestDriverStands) {
  tune();
  StoredResults old = all().front();
  old.of.hosts = {"gpu1"};
  old.ranked.device.driver = "580.95.05";
  old.ranked.date = "2999-01-01T00:00:00Z";
  StoredResults fresh = old;
  fresh.of.hosts = {"gpu2"};
  fresh.ranked.device.driver = "1000.1";
  fresh.ranked.date = "2026-01-01T00:00:00Z";
  const auto kept = newest_of_each({fresh, old});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.front().of.hosts, std::vector<std::string>{"gpu2"});
  ASSERT_EQ(kept.front().others.size(), 1U);
  EXPECT_NE(kept.front().others[0].find(", driver 580.95.05, on gpu1 ("), std::string::npos)
      << kept.front().others[0];
  old.ranked.device.driver = fresh.ranked.device.driver;
  EXPECT_EQ(newest_of_each({fresh, old}).front().of.hosts, std::vector<std::string>{"gpu1"});
}

TEST_F(StoredResultsTest, WhatThisMachineMeasuredStandsBeforeANewerDriverElsewhere) {
  tune();
  const StoredResults own = all().front();
  EXPECT_EQ(own.of.hosts, std::vector<std::string>{this_host()});
  StoredResults theirs = own;
  theirs.of.hosts = {this_host() + "-not"};
  theirs.ranked.device.driver = "9999.1";
  theirs.ranked.date = "2999-01-01T00:00:00Z";
  for (const auto& both : {std::vector{own, theirs}, std::vector{theirs, own}}) {
    const auto kept = newest_of_each(both);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept.front().of.hosts, own.of.hosts);
  }
}

TEST_F(StoredResultsTest, TheRankingIsThatOfTheRun) {
  const SizeOutcome outcome = tune();
  const auto results = all();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_EQ(results.front().ranked.ranked, outcome.results.ranked);
  for (std::size_t i = 0; i < outcome.results.ranked; ++i) {
    EXPECT_EQ(results.front().ranked.trials[i].configuration,
              outcome.results.trials[i].configuration);
  }
}

}  // namespace
}  // namespace tuner::test
