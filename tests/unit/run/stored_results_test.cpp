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
