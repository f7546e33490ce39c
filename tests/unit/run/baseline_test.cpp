// A study's baseline in a run: measured first, in the final, in the files.

#include "run_fixture.h"
#include "tuner/files/ranked_table.h"
#include "tuner/history/stored_results.h"

namespace tuner::test {
namespace {

class BaselineTest : public RunTest {
 protected:
  BaselineTest() { study.baseline = BaselineSpec{config(64, 2), {}}; }
  std::string table_of(const SizeOutcome& outcome) const {
    return ranked_table(outcome.results, parameter_names(study.parameters));
  }
};

TEST_F(BaselineTest, IsMeasuredFirst) {
  tune();
  ASSERT_FALSE(heard.trials.empty());
  EXPECT_EQ(heard.trials.front().configuration, config(64, 2));
  EXPECT_EQ(device.measured.size(), std::size_t{6}) << "and once only";
}

TEST_F(BaselineTest, TakesPartInTheFinal) {
  tune();
  // Nothing else is within a tenth of the best.
  EXPECT_EQ(device.finals, (std::vector<std::size_t>{2}));
  tune();
  EXPECT_EQ(device.finals.size(), 1U) << "that final stands";
}

TEST_F(BaselineTest, SpeedUpsAreInTheTableAndInTheCsv) {
  const SizeOutcome outcome = tune();
  EXPECT_EQ(winner(outcome), config(128, 4));
  EXPECT_NE(table_of(outcome).find("speed-up over the baseline (BLOCK=64 VEC=2; rank "),
            std::string::npos)
      << table_of(outcome);
  EXPECT_NE(csv_of(outcome).find(",speedup,"), std::string::npos);
}

TEST_F(BaselineTest, StaysTheWinnerWhereNothingIsFaster) {
  study.baseline = BaselineSpec{config(128, 4), {}};
  const SizeOutcome outcome = tune();
  EXPECT_EQ(winner(outcome), config(128, 4));
  EXPECT_NE(table_of(outcome).find("the baseline (BLOCK=128 VEC=4) is the best"),
            std::string::npos);
}

TEST_F(BaselineTest, AnotherBaselineAsksForAnotherFinal) {
  tune();
  study.baseline = BaselineSpec{config(64, 1), {}};
  tune();
  EXPECT_EQ(device.finals.size(), 2U);
}

TEST_F(BaselineTest, OneThatIsNotValidHereIsSaid) {
  study.constraints.push_back(expr("VEC != 2"));
  const SizeOutcome outcome = tune();
  EXPECT_TRUE(heard.heard("the baseline is not measured"));
  EXPECT_NE(table_of(outcome).find("the baseline (BLOCK=64 VEC=2) was not measured here"),
            std::string::npos);
}

TEST_F(BaselineTest, IsKnownWithoutTheStudy) {
  tune();
  Store store = Store::open(folder.path(), Store::Access::kRead);
  const auto results = stored_results(store, nullptr, {});
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results.front().ranked.baseline);
  EXPECT_EQ(results.front().ranked.baseline->configuration, config(64, 2));
}

}  // namespace
}  // namespace tuner::test
