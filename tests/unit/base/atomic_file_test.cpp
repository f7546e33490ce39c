#include "tuner/base/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "tests/fakes/says.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  fs::path dir_ = fs::path(testing::TempDir()) /
                  ("atomic_" + std::to_string(::getpid()) +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
};

TEST_F(AtomicFileTest, UncommittedLeavesNothing) {
  { AtomicFile(dir_ / "a.csv").write("half"); }
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(AtomicFileTest, WhatLiesBesideTheTargetStays) {
  const fs::path beside = dir_ / ("a.csv.tmp" + std::to_string(::gettid()));
  write_file_atomically(beside, "somebody's");
  write_file_atomically(dir_ / "a.csv", "whole");
  EXPECT_EQ(read_file(dir_ / "a.csv"), "whole");
  EXPECT_EQ(read_file(beside), "somebody's");
}

// Makes open() with O_TMPFILE fail in this process, as some file systems do. False where the
// system has no such filter.
bool forbid_unnamed_files() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(rules), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(AtomicFileTest, ALinkThatWaitsUnderTheOldTemporaryNameIsNotFollowed) {
  constexpr int kNoFilter = 77;
  write_file_atomically(dir_ / "thesis", "ten years of work");
  const pid_t child = ::fork();
  if (child == 0) {
    fs::create_symlink("thesis", dir_ / ("a.csv.tmp" + std::to_string(::gettid())));
    if (!forbid_unnamed_files()) ::_exit(kNoFilter);
    write_file_atomically(dir_ / "a.csv", "whole");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == kNoFilter) GTEST_SKIP() << "the system filters no calls";
  ASSERT_EQ(status, 0);
  EXPECT_EQ(read_file(dir_ / "thesis"), "ten years of work");
  EXPECT_EQ(read_file(dir_ / "a.csv"), "whole");
  EXPECT_FALSE(fs::is_symlink(dir_ / "a.csv"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), {}), 3) << "and nothing is left";
}

TEST_F(AtomicFileTest, CommitReplacesWhole) {
  write_file_atomically(dir_ / "a.csv", "old");
  {
    AtomicFile file(dir_ / "a.csv");
    file.write("new ");
    EXPECT_EQ(read_file(dir_ / "a.csv"), "old");
    file.write("text");
    file.commit();
  }
  EXPECT_EQ(read_file(dir_ / "a.csv"), "new text");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), {}), 1);
}

TEST_F(AtomicFileTest, MakesTheFolder) {
  write_file_atomically(dir_ / "x" / "y" / "a.csv", "text");
  EXPECT_EQ(read_file(dir_ / "x" / "y" / "a.csv"), "text");
}

TEST_F(AtomicFileTest, FailureNamesThePath) {
  write_file_atomically(dir_ / "file", "");
  try {
    write_file_atomically(dir_ / "file" / "below", "text");
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_TRUE(says(error.what(), "file/below: "));
  }
  EXPECT_THROW(read_file(dir_ / "missing"), FatalError);
}

}  // namespace
}  // namespace tuner
