#include "tuner/base/processor_time.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tuner {
namespace {

TEST(ProcessorTime, OnlyGrowsAndIsNothingWhereThereIsNoProcess) {
  const double before = seconds_without_processor(::getpid());
  EXPECT_GE(before, 0);
  EXPECT_GE(seconds_without_processor(::getpid()), before);
  EXPECT_EQ(seconds_without_processor(-1), 0);
}

TEST(ProcessAge, GrowsFromTheStartOfTheProcess) {
  const double before = process_age();
  EXPECT_GE(before, 0);
  EXPECT_LT(before, 1200);  // the longest that a test may take
  EXPECT_GE(process_age(), before);
}

}  // namespace
}  // namespace tuner
