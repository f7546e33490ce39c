// Which outcomes say that a variant may have left something behind.

#include "tuner/measure/verdict.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(Verdict, WhoFailedForLackOfMemoryMayHaveRunBefore) {
  const Verdict verdict = verdict_of({DeviceError::kOutOfMemory, "no file in memory"});
  EXPECT_TRUE(verdict.retryable);
  EXPECT_TRUE(may_leave_traces(verdict));
  EXPECT_FALSE(may_leave_traces(verdict_of({DeviceError::kLaunch, "too many threads"})));
}

}  // namespace
}  // namespace tuner
