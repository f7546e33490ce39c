#include "tuner/apply/line_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

FileDescriptor connected_to(const std::filesystem::path& path) {
  FileDescriptor out(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  EXPECT_EQ(::connect(out.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return out;
}

void say(const FileDescriptor& to, const std::string& text) {
  ASSERT_EQ(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

// A line, or what there is of it when the other end has closed.
std::string hear(const FileDescriptor& from) {
  std::string out;
  for (char c = 0; ::recv(from.get(), &c, 1, 0) == 1 && c != '\n';) out += c;
  return out;
}

TEST(LineServer, AnswersLinesInWhateverPiecesTheyCome) {
  const ScratchFolder folder;
  const LineServer server(folder.path() / "s", [](std::uint64_t, const nlohmann::json& line) {
    return std::optional<nlohmann::json>(line.at("n").get<int>() + 1);
  });
  const FileDescriptor one = connected_to(folder.path() / "s");
  say(one, "{\"n\": 1");
  say(one, "}\n{\"n\": 5}\n");
  EXPECT_EQ(hear(one), "2");
  EXPECT_EQ(hear(one), "6");
}

TEST(LineServer, EndsTheConnectionOfWhoSaysNoJson) {
  const ScratchFolder folder;
  const LineServer server(folder.path() / "s", [](std::uint64_t, const nlohmann::json& line) {
    return std::optional<nlohmann::json>(line);
  });
  const FileDescriptor wrong = connected_to(folder.path() / "s");
  const FileDescriptor right = connected_to(folder.path() / "s");
  say(wrong, "what?\n");
  EXPECT_EQ(hear(wrong), "");
  say(right, "7\n");
  EXPECT_EQ(hear(right), "7");
}

TEST(LineServer, ReadsAllThatWasSentBeforeItEnds) {
  const ScratchFolder folder;
  int lines = 0;
  {
    const LineServer server(folder.path() / "s", [&](std::uint64_t, const nlohmann::json&) {
      ++lines;
      return std::optional<nlohmann::json>();
    });
    for (int i = 0; i < 20; ++i) {
      const FileDescriptor one = connected_to(folder.path() / "s");
      say(one, "{}\n{}\n");
    }
  }
  EXPECT_EQ(lines, 40);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s"));
}

TEST(LineServer, SaysThatAPathIsTooLong) {
  EXPECT_THROW(LineServer(std::string(200, 'x'), {}), FatalError);
}

}  // namespace
}  // namespace tuner
