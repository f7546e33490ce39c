#include "tuner/base/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>

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

TEST_F(AtomicFileTest, LeftOverOfAKilledProcessIsNotInTheWay) {
  const std::string left = "a.csv.tmp" + std::to_string(::getpid());
  write_file_atomically(dir_ / left, "torn");
  write_file_atomically(dir_ / "a.csv", "whole");
  EXPECT_EQ(read_file(dir_ / "a.csv"), "whole");
  EXPECT_FALSE(fs::exists(dir_ / left));
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
    EXPECT_NE(std::string(error.what()).find("file/below: "), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_file(dir_ / "missing"), FatalError);
}

}  // namespace
}  // namespace tuner
