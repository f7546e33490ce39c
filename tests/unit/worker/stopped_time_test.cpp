// What is given back to a worker after it, or this process, was stopped.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "tuner/worker/channel.h"

namespace tuner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StoppedTime, IsTimeInWhichNobodyLooked) {
  const TimePoint begin{};
  StoppedTime stopped(begin);
  EXPECT_EQ(stopped.take(::getpid(), begin + seconds(1)), Clock::duration::zero());
  EXPECT_EQ(stopped.take(::getpid(), begin + seconds(9)), seconds(8));
  EXPECT_EQ(stopped.take(::getpid(), begin + seconds(10)), Clock::duration::zero());
}

TEST(StoppedTime, IsTimeInWhichTheWorkerWasStoppedAndAMinuteOfThatAtMost) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  TimePoint now{};
  StoppedTime stopped(now);
  Clock::duration all{};
  for (int i = 0; i < 100; ++i) all += stopped.take(child, now += seconds(1));
  EXPECT_EQ(all, seconds(60));
  stopped.begin(now);
  EXPECT_EQ(stopped.take(child, now += seconds(1)), seconds(1));
  // Looks that follow closely lose none of it.
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(stopped.take(child, now += milliseconds(1)),
              Clock::duration(milliseconds(i < 99 ? 0 : 100)));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

}  // namespace
}  // namespace tuner
