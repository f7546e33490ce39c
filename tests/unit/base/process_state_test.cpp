// What the system says of a process, and how many cores it leaves.

#include "tuner/base/process_state.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

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

// ---- cores --------------------------------------------------------------------------------------

unsigned cores(const std::map<std::string, std::string>& files) {
  return cores_of_quota([&](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::string() : found->second;
  });
}

TEST(UsableCores, WithoutControlGroupsThereIsNoQuota) { EXPECT_EQ(cores({}), 0U); }

TEST(UsableCores, AQuotaOfVersion2IsQuotaOverPeriodRoundedUp) {
  const auto with = [](const std::string& limit) {
    return cores({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", limit}});
  };
  EXPECT_EQ(with("200000 100000\n"), 2U);
  EXPECT_EQ(with("150000 100000\n"), 2U);
  EXPECT_EQ(with("50000 100000\n"), 1U);
  EXPECT_EQ(with("800000 50000\n"), 16U);
  EXPECT_EQ(with("max 100000\n"), 0U);
  EXPECT_EQ(with("what\n"), 0U);
  EXPECT_EQ(with("100000 0\n"), 0U);
}

TEST(UsableCores, TheSmallestQuotaUpToTheRootCounts) {
  std::map<std::string, std::string> files{
      {"/proc/self/cgroup", "0::/system.slice/job.scope\n"},
      {"/sys/fs/cgroup/system.slice/job.scope/cpu.max", "600000 100000\n"},
      {"/sys/fs/cgroup/system.slice/cpu.max", "400000 100000\n"}};
  EXPECT_EQ(cores(files), 4U);
  files["/sys/fs/cgroup/system.slice/cpu.max"] = "max 100000\n";
  EXPECT_EQ(cores(files), 6U);
}

TEST(UsableCores, AQuotaOfVersion1HasTwoFiles) {
  std::map<std::string, std::string> files{
      {"/proc/self/cgroup", "11:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(cores(files), 3U);
  files["/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_EQ(cores(files), 0U);
}

TEST(UsableCores, InsideOfAContainerTheMountIsTheGroup) {
  EXPECT_EQ(cores({{"/proc/self/cgroup", "4:cpuacct,cpu:/docker/0123abcd\n"},
                   {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
                   {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            2U);
  EXPECT_EQ(cores({{"/proc/self/cgroup", "0::/../../kubepods/pod\n"},
                   {"/sys/fs/cgroup/cpu.max", "700000 100000\n"}}),
            7U);
}

TEST(UsableCores, OtherControllersWithCpuInTheirNamesAreNotMeant) {
  EXPECT_EQ(cores({{"/proc/self/cgroup", "5:cpuset:/job\n6:cpuacct:/job\n"},
                   {"/sys/fs/cgroup/cpuset/job/cpu.cfs_quota_us", "100000\n"},
                   {"/sys/fs/cgroup/cpuset/job/cpu.cfs_period_us", "100000\n"}}),
            0U);
}

TEST(UsableCores, AffinityLimitsThem) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const unsigned now = usable_cores();
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(now, 1U);
  EXPECT_LE(usable_cores(), static_cast<unsigned>(CPU_COUNT(&before)));
}

// ---- memory by control groups -------------------------------------------------------------------

std::uint64_t memory(const std::map<std::string, std::string>& files) {
  return memory_of_groups([&](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::string() : found->second;
  });
}

TEST(UsableMemory, WithoutALimitOfAGroupThereIsNone) {
  EXPECT_EQ(memory({}), 0U);
  EXPECT_EQ(memory({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "max\n"}}), 0U);
  EXPECT_EQ(memory({{"/proc/self/cgroup", "4:memory:/\n"},
                    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}}),
            0U);
}

TEST(UsableMemory, TheSmallestLimitOfAGroupAndThoseAboveItCounts) {
  EXPECT_EQ(memory({{"/proc/self/cgroup", "0::/a/job\n"},
                    {"/sys/fs/cgroup/a/job/memory.max", "max\n"},
                    {"/sys/fs/cgroup/a/memory.max", "1073741824\n"}}),
            1073741824U);
  EXPECT_EQ(memory({{"/proc/self/cgroup", "9:memory:/docker/x\n"},
                    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"}}),
            536870912U);
}

TEST(UsableMemory, IsSomeAndNoMoreThanTheMachineHas) {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
  EXPECT_GT(usable_memory(), 0U);
  EXPECT_LE(usable_memory(), machine);
}

}  // namespace
}  // namespace tuner
