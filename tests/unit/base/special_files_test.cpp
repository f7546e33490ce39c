// Reading and writing what is no ordinary file.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/fakes/says.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

TEST(SpecialFiles, APipeIsRefusedAtOnce) {
  const ScratchFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  try {
    read_file(pipe);
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_TRUE(says(error.what(), "pipe: it is a pipe or a device"));
  }
  EXPECT_THROW(read_file("/dev/zero"), FatalError);
}

// A pipe stands for devices: what a mistake here did to /dev/null would outlast the test.
TEST(SpecialFiles, APipeIsWrittenToAndNotReplaced) {
  const ScratchFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomically(pipe, "text");
  std::string got(10, '\0');
  const ssize_t count = ::read(reader, got.data(), got.size());
  ::close(reader);
  EXPECT_EQ(got.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0))), "text");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace tuner
