#include "tuner/base/file_digest.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tuner {
namespace {

namespace fs = std::filesystem;

class FileDigest : public testing::Test {
 protected:
  FileDigest() { fs::create_directories(root_); }
  ~FileDigest() override { fs::remove_all(root_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
    return root_ / name;
  }
  fs::path root_ = fs::path(testing::TempDir()) / ("file_digest_" + std::to_string(::getpid()));
};

TEST_F(FileDigest, IsThatOfTheBytesWhateverTheirNumber) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 20) - 1,
                                 std::size_t{1} << 20, (std::size_t{3} << 20) + 5}) {
    const std::string text(size, 'x');
    const auto path = write("file", text);
    EXPECT_EQ(FileDigests().text_of(path), file_digest_of(text)) << size;
    EXPECT_NE(file_digest_of(text), file_digest_of(text + 'x')) << size;
  }
}

TEST_F(FileDigest, FollowsContentsOfEqualSizeAndTime) {
  const auto path = write("file", "one");
  const auto when = fs::last_write_time(path);
  FileDigests digests;
  const std::string before = digests.text_of(path);
  write("file", "two");
  fs::last_write_time(path, when);
  EXPECT_EQ(digests.text_of(path), file_digest_of("two"));
  EXPECT_NE(before, file_digest_of("two"));
}

TEST_F(FileDigest, WhatIsNoFileHasNone) {
  FileDigests digests;
  EXPECT_FALSE(digests.of(root_));
  EXPECT_FALSE(digests.of(root_ / "missing"));
  ASSERT_EQ(::mkfifo((root_ / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(digests.of(root_ / "fifo"));
  EXPECT_EQ(digests.text_of(root_ / "missing"), "");
}

}  // namespace
}  // namespace tuner
