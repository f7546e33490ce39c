// Rankings told again from the store.

#include "tuner/history/stored_results.h"

#include "run_fixture.h"

namespace tuner::test {
namespace {

class StoredResultsTest : public RunTest {
 protected:
  std::vector<StoredResults> all(const ResultFilter& filter = {}) {
    Store store = Store::open(folder.path());
    return stored_results(store, nullptr, filter);
  }
  static StoredResults only(std::vector<StoredResults> results) {
    EXPECT_EQ(results.size(), 1U);
    return results.empty() ? StoredResults{} : std::move(results.front());
  }
};

TEST_F(StoredResultsTest, WithoutAStudyTheyAreRankedAsTheStudyThatMeasuredThem) {
  study.metrics = {{"slowness", expr("VEC * 1.0")}};
  study.objective = {"slowness", true, {}};
  tune();
  EXPECT_EQ(number(only(all()).ranked.trials.at(0).configuration[1]), 4);
}

// A study that was measured whole and says less now, as RunTest has it: of BLOCK 64 and 128 and VEC
// 1, 2 and 4 the best is (128, 4).
class NarrowedTest : public StoredResultsTest {
 protected:
  NarrowedTest() { tune(); }
  RankedResults ranked(const Study* of) {
    Store store = Store::open(folder.path());
    std::optional<Study> told;  // without its source, which is not there
    if (of != nullptr) told.emplace(*of).kernel.subject = Subject::kNone;
    return only(stored_results(store, told ? &*told : nullptr, {})).ranked;
  }
  void expect_only(std::size_t inside, const Configuration& best, const RankedResults& results) {
    EXPECT_EQ(results.trials.size(), inside);
    EXPECT_EQ(results.ranked, inside);
    EXPECT_EQ(results.outside, 6 - inside);
    ASSERT_FALSE(results.trials.empty());
    EXPECT_EQ(results.trials.front().configuration, best);
  }
};

TEST_F(NarrowedTest, AValueThatIsNoLongerListedIsNotRanked) {
  study.parameters[1].values = {std::int64_t{1}, std::int64_t{2}};
  expect_only(4, config(128, 2), ranked(&study));
  expect_only(4, config(128, 2), tune().results);
}

TEST_F(NarrowedTest, WhatANewConstraintForbidsIsNotRanked) {
  study.constraints.push_back(expr("per_block <= 128"));
  expect_only(3, config(128, 1), ranked(&study));
  expect_only(3, config(128, 1), tune().results);
}

TEST_F(NarrowedTest, WithoutTheStudyItIsAsTheLastRunHadIt) {
  study.parameters[1].values = {std::int64_t{1}, std::int64_t{2}};
  expect_only(6, config(128, 4), ranked(nullptr));
  tune();
  expect_only(4, config(128, 2), ranked(nullptr));
}

TEST_F(NarrowedTest, WhatComesBackIsRankedAgainAndNotMeasuredAgain) {
  const auto all_values = study.parameters[1].values;
  study.parameters[1].values = {std::int64_t{1}};
  tune();
  study.parameters[1].values = all_values;
  expect_only(6, config(128, 4), tune().results);
  expect_only(6, config(128, 4), ranked(nullptr));
  EXPECT_EQ(count_measured(), 6U);
}

TEST_F(NarrowedTest, WhatIsOutsideAgesWithTheDeviceAllTheSame) {
  const auto all_values = study.parameters[1].values;
  study.parameters[1].values = {std::int64_t{1}, std::int64_t{8}};
  device.slower = 3;
  tune();
  study.parameters[1].values = all_values;
  study.search.budget.evaluations = 0;
  EXPECT_EQ(winner(tune()), config(128, 1)) << "the others are of the faster device";
}

TEST_F(NarrowedTest, APartOfTheSpaceExcludesNothing) {
  study.only.push_back(expr("BLOCK == 64"));
  expect_only(6, config(128, 4), tune().results);
  expect_only(6, config(128, 4), ranked(nullptr));
}

TEST_F(NarrowedTest, WhereNothingIsLeftNothingIsRanked) {
  study.parameters[0].values = {std::int64_t{32}};
  const RankedResults results = ranked(&study);
  EXPECT_TRUE(results.trials.empty());
  EXPECT_EQ(results.outside, 6U);
}

TEST_F(StoredResultsTest, WhatTheAnswersAreDoubtedForStandsBesideTheResults) {
  const std::vector<std::string> warnings{"zeros would pass for y"};
  device.warnings = warnings;
  EXPECT_EQ(tune().results.warnings, warnings);
  device.warnings.clear();
  tune();  // prepares nothing anew
  EXPECT_EQ(only(all()).ranked.warnings, warnings);
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
  const StoredResults kept = only(newest_of_each(all()));
  EXPECT_EQ(kept.options, "");
  ASSERT_EQ(kept.others.size(), 1U);
  EXPECT_NE(kept.others.front().find("measured with order=random"), std::string::npos);
}

TEST_F(StoredResultsTest, ImportedOnesGiveWayToMeasuredOnes) {
  tune();
  const StoredResults measured = only(all());
  StoredResults imported = measured;
  imported.imported = "kernel_tuner";
  imported.ranked.date = "2999-01-01T00:00:00Z";
  EXPECT_EQ(only(newest_of_each({measured, imported})).imported, "");
}

StoredContext measured_by(const Hosts& hosts, const std::string& driver, const std::string& date) {
  StoredContext context;
  context.hosts = hosts;
  context.key.device.driver = driver;
  context.newest = date;
  return context;
}

// What colleagues sent: the newest driver stands, whoever measured last.
TEST_F(StoredResultsTest, OfOtherMachinesTheNewestDriverStands) {
  const auto fresh = measured_by({{}, {"gpu2"}}, "1000.1", "2026-01-01T00:00:00Z");
  auto old = measured_by({{}, {"gpu1"}}, "580.95.05", "2999-01-01T00:00:00Z");
  EXPECT_TRUE(is_behind(old, fresh));
  EXPECT_FALSE(is_behind(fresh, old));
  old.key.device.driver = fresh.key.device.driver;
  EXPECT_TRUE(is_behind(fresh, old));
}

TEST_F(StoredResultsTest, WhatThisFolderMeasuredStandsBeforeANewerDriverElsewhere) {
  const auto own = measured_by({{"here"}, {"gpu1"}}, "580.95.05", "2026-01-01T00:00:00Z");
  const auto theirs = measured_by({{}, {"gpu1"}}, "9999.1", "2999-01-01T00:00:00Z");
  EXPECT_TRUE(is_behind(theirs, own));
  EXPECT_FALSE(is_behind(own, theirs));
}

// After going back to an older driver a run's own results are those that count.
TEST_F(StoredResultsTest, OfThisFolderTheNewestStandsWhateverTheDriver) {
  const auto before = measured_by({{"here"}, {}}, "590.1", "2026-01-01T00:00:00Z");
  const auto now = measured_by({{"here"}, {}}, "580.95.05", "2026-02-01T00:00:00Z");
  EXPECT_TRUE(is_behind(before, now));
  EXPECT_FALSE(is_behind(now, before));
}

TEST_F(StoredResultsTest, WhatIsNotShownNamesItsMachineAndItsDriver) {
  tune();
  const StoredResults own = all().front();
  EXPECT_EQ(own.of.hosts.own.size(), 1U);
  StoredResults theirs = own;
  theirs.of.hosts = {{}, {"gpu1", "gpu2"}};
  theirs.ranked.device.driver = "9999.1";
  const StoredResults kept = only(newest_of_each({own, theirs}));
  ASSERT_EQ(kept.others.size(), 1U);
  EXPECT_NE(kept.others[0].find(" measured, driver 9999.1, on gpu1, gpu2 ("), std::string::npos)
      << kept.others[0];
}

TEST_F(StoredResultsTest, TheRankingIsThatOfTheRun) {
  const SizeOutcome outcome = tune();
  const RankedResults ranked = only(all()).ranked;
  ASSERT_EQ(ranked.ranked, outcome.results.ranked);
  for (std::size_t i = 0; i < ranked.ranked; ++i) {
    EXPECT_EQ(ranked.trials[i].configuration, outcome.results.trials[i].configuration);
  }
}

}  // namespace
}  // namespace tuner::test
