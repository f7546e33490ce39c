// Whether a file may be run, by its owner and its mode.

#include "tuner/base/trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/fakes/scratch_folder.h"

namespace tuner {
namespace {

TEST(TrustedFile, IsNoneThatEverybodyMayWriteTo) {
  const ScratchFolder folder;
  const auto file = folder.path() / "plugin.so";
  std::ofstream(file) << "code";
  ::chmod(file.c_str(), 0755);
  EXPECT_EQ(why_file_not_trusted(file), "");
  ::chmod(file.c_str(), 0777);
  EXPECT_EQ(why_file_not_trusted(file), "everybody may write to it (chmod o-w changes that)");
}

TEST(TrustedFile, IsNoneOfAnotherUserNorALinkToOne) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ScratchFolder folder;
  const ScratchFolder elsewhere;
  const auto theirs = elsewhere.path() / "plugin.so";
  std::ofstream(theirs) << "code";
  ASSERT_EQ(::chown(theirs.c_str(), 12345, 12345), 0);
  EXPECT_EQ(why_file_not_trusted(theirs), "it belongs to another user");
  const auto link = folder.path() / "plugin.so";
  ASSERT_EQ(::symlink(theirs.c_str(), link.c_str()), 0);
  EXPECT_EQ(why_file_not_trusted(link), "it belongs to another user");
}

// An installation belongs to who installed it, folder and files.
TEST(TrustedFile, IsOneOfTheOwnerOfItsFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ScratchFolder folder;
  const auto file = folder.path() / "plugin.so";
  std::ofstream(file) << "code";
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_EQ(why_file_not_trusted(file), "");
}

}  // namespace
}  // namespace tuner
