// Content hashes, and digests of files.

#include "tuner/base/hash.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace tuner {
namespace {

TEST(Hash, SplitMix64MatchesItsPublishedSequence) {
  // First outputs of the generator with state 0 (reference implementation by S. Vigna).
  EXPECT_EQ(splitmix64(0), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(splitmix64(0x9E3779B97F4A7C15ULL), 0x6E789E6AA1B965F4ULL);
}

TEST(Hash, PiecesDoNotRunTogether) {
  EXPECT_NE(Hasher().add("ab").add("c").digest(), Hasher().add("a").add("bc").digest());
  EXPECT_NE(Hasher().add("").digest(), Hasher().digest());
  EXPECT_NE(Hasher().add("1").digest(), Hasher().add(std::uint64_t{1}).digest());
}

TEST(Hash, EveryBitMatters) {
  const std::string text = "__global__ void matmul(const float* A)";
  std::set<std::string> seen{to_hex(hash_of(text))};
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_TRUE(seen.insert(to_hex(hash_of(other))).second) << i << ' ' << bit;
    }
  }
}

TEST(Hash, IsStable) {
  // Stored in databases and cache names: must never change.
  EXPECT_EQ(to_hex(hash_of("tuner")), "8339efa24c1f04da4abab06e184e51ba");
}

// ---- files --------------------------------------------------------------------------------------

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
