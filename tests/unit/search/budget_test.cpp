#include "tuner/search/budget.h"

#include <gtest/gtest.h>

#include <limits>

namespace tuner {
namespace {

Budget parsed(std::string_view text) {
  const auto budget = parse_budget(text);
  EXPECT_TRUE(budget.has_value()) << text;
  return budget ? *budget : Budget{};
}

TEST(ParseBudget, ReadsEvaluations) {
  EXPECT_EQ(parsed("500").evaluations, 500U);
  EXPECT_FALSE(parsed("500").seconds.has_value());
}

TEST(ParseBudget, ReadsTimesWithAUnit) {
  EXPECT_EQ(parsed("90s").seconds, 90);
  EXPECT_EQ(parsed("10m").seconds, 600);
  EXPECT_EQ(parsed("2h").seconds, 7200);
  EXPECT_EQ(parsed("1.5h").seconds, 5400);
}

TEST(ParseBudget, JoinsLimitsWithCommas) {
  const Budget budget = parsed("500, 10m,target=0.8,patience=200");
  EXPECT_EQ(budget.evaluations, 500U);
  EXPECT_EQ(budget.seconds, 600);
  EXPECT_EQ(budget.target, 0.8);
  EXPECT_EQ(budget.patience, 200U);
}

TEST(ParseBudget, RefusesWhatItDoesNotUnderstandAndSaysWhatIsAllowed) {
  for (const char* text :
       {"", "soon", "0", "-5", "5.5", "10d", "0s", "-1s", "infs", "1e999s", "s", "500,", ",500",
        "target=", "target=nan", "patience=0", "18446744073709551616"}) {
    const auto budget = parse_budget(text);
    ASSERT_FALSE(budget.has_value()) << text;
    EXPECT_NE(budget.error().find("allowed are evaluations (500)"), std::string::npos) << text;
  }
}

TEST(ParseBudget, RefusesALimitSetTwice) {
  const auto budget = parse_budget("90s,10m");
  ASSERT_FALSE(budget.has_value());
  EXPECT_EQ(budget.error(), "budget '10m' sets a limit that is already set");
}

TEST(BudgetClock, WithoutLimitsNeverEnds) {
  BudgetClock clock({}, {});
  for (int i = 0; i < 1000; ++i) {
    clock.submitted();
    clock.finished(1.0);
  }
  EXPECT_EQ(clock.may_submit(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(clock.spent(1e9).has_value());
}

TEST(BudgetClock, CountsSubmissionsAgainstEvaluations) {
  BudgetClock clock(parsed("2"), {});
  clock.submitted();
  EXPECT_EQ(clock.may_submit(), 1U);
  EXPECT_FALSE(clock.spent(0).has_value());
  clock.submitted();
  EXPECT_EQ(clock.may_submit(), 0U);
  EXPECT_EQ(clock.spent(0), "2 evaluations");
}

TEST(BudgetClock, EndsWhenTheTimeIsOver) {
  const BudgetClock clock(parsed("90s"), {});
  EXPECT_FALSE(clock.spent(89.9).has_value());
  EXPECT_EQ(clock.spent(90), "90 seconds");
}

TEST(BudgetClock, EndsAtTheTargetInTheObjectivesDirection) {
  BudgetClock time(parsed("target=0.5"), {"time", false});
  time.finished(0.6);
  EXPECT_FALSE(time.spent(0).has_value());
  time.finished(0.5);
  EXPECT_EQ(time.spent(0), "the target of 0.5 is reached");

  BudgetClock speed(parsed("target=100"), {"gflops", true});
  speed.finished(99);
  EXPECT_FALSE(speed.spent(0).has_value());
  speed.finished(101);
  EXPECT_TRUE(speed.spent(0).has_value());
}

TEST(BudgetClock, EndsWhenNothingBetterTurnsUp) {
  BudgetClock clock(parsed("patience=2"), {"time", false});
  for (int i = 0; i < 5; ++i) clock.finished(std::nullopt);  // failures before the first success
  EXPECT_FALSE(clock.spent(0).has_value());
  clock.finished(1.0);
  clock.finished(1.0);
  EXPECT_FALSE(clock.spent(0).has_value());
  clock.finished(0.9);
  clock.finished(std::nullopt);
  EXPECT_FALSE(clock.spent(0).has_value());
  clock.finished(0.95);
  EXPECT_EQ(clock.spent(0), "nothing better in 2 evaluations");
}

}  // namespace
}  // namespace tuner
