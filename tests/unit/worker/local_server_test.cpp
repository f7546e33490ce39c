// Who serves at a path, and who asks there.

#include "tuner/worker/local_server.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/base/child_process.h"
#include "tuner/base/stopwatch.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

struct NoException {};  // as that by which options ask for help

class NeverStopped final : public StopRequest {
 public:
  int count() const override { return 0; }
  int fd() const override { return -1; }
};

class LocalServer : public ::testing::Test {
 protected:
  LocalServer() {
    std::string name = (fs::temp_directory_path() / "tuner-local-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LocalServer() override {
    fs::remove_all(folder_);  // which ends servers
    for (const pid_t pid : servers_) ::waitpid(pid, nullptr, 0);
  }

  // Answers with what it is asked, after a note; "crash" ends it.
  void serve(double idle_seconds = 60) {
    const pid_t pid = ::fork();
    if (pid != 0) return servers_.push_back(pid);
    serve_locally(path(), idle_seconds,
                  [](const nlohmann::json& request, const StopRequest&, const TellClient& tell) {
                    if (request.at("text") == "crash") ::_exit(1);
                    if (request.at("text") == "throw") throw NoException();
                    tell({{"note", "heard"}});
                    tell({{"type", "answer"}, {"text", request.at("text")}});
                  });
    ::_exit(0);
  }
  // Empty: nobody answered.
  std::string ask(const std::string& text) {
    notes_.clear();
    const auto answer =
        ask_locally(path(), {"/bin/false"}, {{"text", text}}, NeverStopped(),
                    [this](const nlohmann::json& note) { notes_ += note.value("note", ""); });
    return answer ? answer->value("text", "") : "";
  }
  // A client that says nothing; none while nobody listens.
  FileDescriptor silent_client() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM, 0));
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(client.get(), to, sizeof address) != 0) client.reset();
    return client;
  }
  // The socket has a name before it listens.
  void wait_until_it_listens() const {
    while (silent_client().get() < 0) ::usleep(1000);
  }
  int ending_of_last() {
    int status = 0;
    ::waitpid(servers_.back(), &status, 0);
    servers_.pop_back();
    return WEXITSTATUS(status);
  }
  fs::path path() const { return folder_ / "socket"; }

  fs::path folder_;
  std::string notes_;
  std::vector<pid_t> servers_;
};

TEST_F(LocalServer, ClientsThatSayNothingKeepNobodyWaiting) {
  serve();
  wait_until_it_listens();
  std::vector<FileDescriptor> silent;
  for (int i = 0; i < 10; ++i) {
    silent.push_back(silent_client());
    ASSERT_GE(silent.back().get(), 0);
  }
  const Stopwatch since;
  EXPECT_EQ(ask("one"), "one");
  EXPECT_LT(since.seconds(), 20) << "each would have cost five seconds";
}

TEST_F(LocalServer, WhateverIsThrownForOneRequestTheNextIsAnswered) {
  serve();
  wait_until_it_listens();
  EXPECT_EQ(ask("throw"), "");
  EXPECT_EQ(ask("one"), "one");
}

TEST_F(LocalServer, AnswersOneAfterTheOther) {
  serve();
  wait_until_it_listens();
  EXPECT_EQ(ask("one"), "one");
  EXPECT_EQ(notes_, "heard");
  EXPECT_EQ(ask("two"), "two");
}

TEST_F(LocalServer, OneThatDiesLeavesTheAskerAndThePathToOthers) {
  serve();
  wait_until_it_listens();
  EXPECT_EQ(ask("crash"), "");
  EXPECT_EQ(ending_of_last(), 1);
  EXPECT_TRUE(fs::exists(path()));
  EXPECT_EQ(ask("nobody"), "") << "a command that starts none is not waited for";
  serve();
  while (ask("again").empty()) {
  }
}

TEST_F(LocalServer, TheSecondAtAPathEndsAtOnceAndAnIdleOneSoon) {
  serve(0.6);
  wait_until_it_listens();
  EXPECT_EQ(ask("one"), "one");
  serve();
  EXPECT_EQ(ending_of_last(), 0);
  EXPECT_EQ(ask("two"), "two");
  EXPECT_EQ(ending_of_last(), 0);
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace tuner
