// What /proc says of a process.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "tuner/base/process_state.h"

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

// ---- memory -------------------------------------------------------------------------------------

// In a process of its own, whose peak no other test has raised.
TEST(PeakResidentBytesDeathTest, CountMemoryThatWasWrittenAndGivenBack) {
  const auto rises = [] {
    const std::uint64_t before = peak_resident_bytes(::getpid());
    constexpr std::size_t kBytes = std::size_t{64} << 20;
    { const std::vector<char> written(kBytes, 1); }
    return peak_resident_bytes(::getpid()) >= before + kBytes / 2;
  };
  EXPECT_EXIT(std::_Exit(rises() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(PeakResidentBytes, OfAProcessThatDoesNotExistAreNone) {
  EXPECT_EQ(peak_resident_bytes(0x7ffffff0), 0U);
}

#ifndef TUNER_SANITIZED  // which has an allocator of its own
// Page faults of memory that is written and freed as often before.
TEST(KeepFreedMemoryDeathTest, LeavesNothingToFaultInAgain) {
  const auto faults = [] {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
  };
  const auto stays = [&] {
    keep_freed_memory();
    constexpr std::size_t kBytes = std::size_t{16} << 20;
    { const std::vector<char> written(kBytes, 1); }
    const long before = faults();
    { const std::vector<char> written(kBytes, 1); }
    return faults() - before < 100;  // of 4096 pages
  };
  EXPECT_EXIT(std::_Exit(stays() ? 0 : 1), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace tuner
