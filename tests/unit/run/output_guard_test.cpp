// What may be written over.

#include "tuner/run/output_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/fakes/says.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class OutputGuardTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }
  fs::path file(const std::string& name) const { return folder_.path() / name; }
  // Why the text is not written; empty: it is.
  static std::string refusal(const fs::path& path, const std::string& text = "text\n") {
    try {
      OutputGuard(false).write(path, text);
      EXPECT_EQ(read_file(path), text);
      return {};
    } catch (const InputError& error) {
      return error.what();
    }
  }

 private:
  ScratchFolder folder_;
};

TEST_F(OutputGuardTest, AFileThatSaysNothingOfItselfIsKnownUntilSomebodyChangesIt) {
  const std::string text = "set(BLOCK 128)\n";  // as an exporter of a plugin writes it
  write_file_atomically(file("best.cmake"), text);
  EXPECT_TRUE(says(refusal(file("best.cmake")), "was not written by tuner"));
  fs::remove(file("best.cmake"));
  EXPECT_EQ(refusal(file("best.cmake"), text), "");
  EXPECT_EQ(refusal(file("best.cmake"), text), "");
  write_file_atomically(file("best.cmake"), text + "set(MINE 1)\n");
  EXPECT_TRUE(says(refusal(file("best.cmake")), "--force replaces it"));
}

TEST_F(OutputGuardTest, KeepsNothingOfWhatSaysItself) {
  EXPECT_EQ(refusal(file("a.h"), "// Made by tuner 1.0; do not edit.\n"), "");
  EXPECT_FALSE(fs::exists(file("cache")));
}

// Without the cache, as on another machine.
TEST_F(OutputGuardTest, AStudyIsTheUsersOnceItIsEdited) {
  const std::string draft = sealed("# Made by tuner init\nschema: 1\n");
  for (const std::string& edited :
       {draft + "\n", "\n" + draft, draft + "constraints: [A > 1]\n",
        std::string("# Made by tuner init\nschema: 1\n"), draft.substr(0, draft.size() - 2) + "\n",
        std::string(draft).replace(draft.find("schema: 1"), 9, "schema: 2")}) {
    write_file_atomically(file("k.yaml"), edited);
    EXPECT_TRUE(says(refusal(file("k.yaml")), "or was edited since")) << edited;
    EXPECT_EQ(read_file(file("k.yaml")), edited);
  }
  write_file_atomically(file("k.yaml"), draft);
  EXPECT_EQ(refusal(file("k.yaml")), "");
}

TEST_F(OutputGuardTest, ALinkStaysAndItsFileIsJudged) {
  write_file_atomically(file("mine.txt"), "mine\n");
  fs::create_symlink("mine.txt", file("to-mine"));
  EXPECT_TRUE(says(refusal(file("to-mine")), "was not written by tuner"));
  fs::create_symlink("new.txt", file("one"));
  fs::create_symlink("one", file("two"));
  EXPECT_EQ(refusal(file("two")), "");
  EXPECT_TRUE(fs::is_symlink(file("two")) && fs::is_symlink(file("one")));
  EXPECT_EQ(read_file(file("new.txt")), "text\n");
  EXPECT_EQ(read_file(file("mine.txt")), "mine\n");
}

TEST_F(OutputGuardTest, APipeIsWrittenToAndStaysOne) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0666), 0);
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  OutputGuard(false).write(file("pipe"), "text");
  char got[8] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 4);
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(file("pipe")));
}

TEST_F(OutputGuardTest, ADeviceStaysOne) {
  if (::mknod(file("null").c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0) {
    GTEST_SKIP() << "making a device needs root";
  }
  const int opened = ::open(file("null").c_str(), O_WRONLY);
  if (opened < 0) GTEST_SKIP() << "devices do not work in this folder";
  ::close(opened);
  OutputGuard(true).write(file("null"), "text");
  EXPECT_TRUE(fs::is_character_file(file("null")));
}

TEST_F(OutputGuardTest, FoldersSocketsAndDisksAreRefusedWithForceToo) {
  fs::create_directory(file("folder"));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, file("socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const char* name : {"folder", "socket"}) {
    EXPECT_THROW(OutputGuard(true).write(file(name), "text"), InputError) << name;
  }
  EXPECT_TRUE(fs::is_socket(file("socket")));
  ::close(socket);
  if (::mknod(file("disk").c_str(), S_IFBLK | 0666, ::makedev(7, 255)) != 0) return;
  EXPECT_THROW(OutputGuard(true).write(file("disk"), "text"), InputError);
  EXPECT_TRUE(fs::is_block_file(file("disk")));
}

}  // namespace
}  // namespace tuner
