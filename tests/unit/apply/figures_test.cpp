#include "tuner/apply/figures.h"

#include <gtest/gtest.h>

#include "tests/fakes/says.h"

namespace tuner {
namespace {

// A run whose launches, of which so many were recorded into graphs, took so long each.
AppliedRun run_of(double seconds, std::uint64_t launches, double ms, std::uint64_t replaced,
                  std::uint64_t recorded = 0) {
  LaunchCount count;
  count.kernel = "scale(float*)";
  count.answer = 0;
  count.launches = launches;
  count.replaced = replaced;
  count.recorded = recorded;
  count.weight = 4;
  count.ms = 4 * ms;
  return {seconds, {true, {count}, {}, {}}};
}

TEST(AppliedFigures, AreThoseOfAllLaunchesAlsoOfTheOnesThatWereNotTimed) {
  EXPECT_DOUBLE_EQ(run_of(1, 1000, 0.5, 0).counts.kernel_ms(), 500);
  EXPECT_DOUBLE_EQ(run_of(1, 1000, 0.5, 0, 900).counts.kernel_ms(), 50);
}

TEST(AppliedFigures, ComparePairs) {
  const AppliedRuns runs{{run_of(4, 10, 2, 0), run_of(8, 10, 4, 0), run_of(4, 10, 2, 0)},
                         {run_of(2, 10, 1, 10), run_of(4, 10, 2, 10), run_of(3, 10, 1, 10)}};
  const auto program = worth_of_program(runs);
  ASSERT_TRUE(program);
  EXPECT_DOUBLE_EQ(program->without.median, 4);
  EXPECT_DOUBLE_EQ(program->with.median, 3);
  EXPECT_DOUBLE_EQ(program->ratio.median, 0.5);
  EXPECT_DOUBLE_EQ(program->ratio.interval.high, 0.75);
  const auto kernel = worth_of_kernel(runs);
  ASSERT_TRUE(kernel);
  EXPECT_DOUBLE_EQ(kernel->without.median, 20);
  EXPECT_DOUBLE_EQ(kernel->ratio.median, 0.5);
}

TEST(AppliedFigures, OfAnIncompletePairAreNotCompared) {
  EXPECT_FALSE(worth_of_program({{run_of(4, 10, 2, 0)}, {}}));
  EXPECT_FALSE(worth_of_kernel({{}, {run_of(4, 10, 2, 0)}}));
}

TEST(AppliedFigures, SayWhyLaunchesWereLeft) {
  AppliedRun run = run_of(4, 10, 2, 0);
  run.counts.launches[0].answer.reset();
  run.counts.launches[0].reason = "it is a cooperative launch";
  EXPECT_TRUE(says(figures_text({}, {}, {{run}, {}}),
                   "10 left as they were (scale(float*)): it is a cooperative launch"));
}

}  // namespace
}  // namespace tuner
