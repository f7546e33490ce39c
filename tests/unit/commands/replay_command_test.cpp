// Medians over replayed searches.

#include "tuner/commands/replay_command.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

ReplayResult found(double best, double seconds) {
  return {best, {std::int64_t{static_cast<std::int64_t>(best)}}, 10, seconds, {}};
}

TEST(MiddleOf, IsTheRunThatHalfWereBetterThan) {
  const auto middle = middle_of({found(9, 1), found(2, 2), found(4, 6)}, false);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->best, 4);
  EXPECT_EQ(middle->configuration, (Configuration{std::int64_t{4}}));
  EXPECT_EQ(middle->seconds, 2) << "the median of the seconds, whichever run they are of";
}

TEST(MiddleOf, MoreIsBetterWhereTheRecordingSaysSo) {
  EXPECT_EQ(middle_of({found(9, 1), found(2, 1), found(4, 1), found(8, 1)}, true)->best, 8);
  EXPECT_EQ(middle_of({found(9, 1), found(2, 1), found(4, 1), found(8, 1)}, false)->best, 4);
}

TEST(MiddleOf, RunsThatFoundNothingAreTheWorst) {
  const ReplayResult nothing{0, {}, 10, 5, {}};
  EXPECT_EQ(middle_of({nothing, found(7, 1), found(8, 1)}, false)->best, 8);
  EXPECT_FALSE(middle_of({nothing, found(7, 1), nothing}, false));
}

}  // namespace
}  // namespace tuner
