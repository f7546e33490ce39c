#include "tuner/base/processor_time.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tuner {
namespace {

TEST(ProcessorTime, OnlyGrowsAndIsNothingWhereThereIsNoProcess) {
  const double before = seconds_without_processor(::getpid());
  EXPECT_GE(before, 0);
  EXPECT_GE(seconds_without_processor(::getpid()), before);
  EXPECT_EQ(seconds_without_processor(-1), 0);
}

TEST(ProcessorTime, AProcessIsStoppedUntilItIsLetGoOn) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  EXPECT_FALSE(is_stopped(child));
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(is_stopped(child));
  ::kill(child, SIGCONT);
  ASSERT_EQ(::waitpid(child, &status, WCONTINUED), child);
  EXPECT_FALSE(is_stopped(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  EXPECT_FALSE(is_stopped(child));
}

TEST(ProcessAge, GrowsFromTheStartOfTheProcess) {
  const double before = process_age();
  EXPECT_GE(before, 0);
  EXPECT_LT(before, 1200);  // the longest that a test may take
  EXPECT_GE(process_age(), before);
}

}  // namespace
}  // namespace tuner
