#include "tuner/worker/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A folder with a shell script that stands for a worker; descriptor 3 is its connection.
class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    std::string name = (fs::temp_directory_path() / "tuner-channel-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ChannelTest() override { fs::remove_all(folder_); }

  WorkerProgram worker(const std::string& commands) const {
    const fs::path file = folder_ / "worker";
    std::ofstream(file) << "#!/bin/sh\n" << commands << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return {file.string(), {}};
  }
  // Ready-made bytes for the script to send.
  std::string file_of(const json& message) const {
    const fs::path file = folder_ / "message";
    std::ofstream(file, std::ios::binary) << encode_frame(message);
    return file.string();
  }
  static TimePoint far_away() { return Clock::now() + std::chrono::minutes(10); }

  fs::path folder_;
};

const json& large() {
  static const json message{{"type", "large"}, {"text", std::string(8 << 20, 'x')}};
  return message;
}

TEST_F(ChannelTest, SendingToAChildThatReadsNothingDoesNotWait) {
  Channel channel(worker("exec sleep 600"), "test");
  for (int i = 0; i < 3; ++i) channel.send(large());
  EXPECT_EQ(channel.pump(), Channel::Status::kAlive);
}

TEST_F(ChannelTest, WhatCouldNotBeSentAtOnceIsSentLater) {
  Channel channel(worker("exec cat <&3 >&3"), "test");  // an echo
  channel.send(large());
  channel.send({{"type", "last"}});
  EXPECT_EQ(channel.wait(far_away())->at("type"), "start");
  EXPECT_EQ(*channel.wait(far_away()), large());
  EXPECT_EQ(channel.wait(far_away())->at("type"), "last");
}

TEST_F(ChannelTest, AChildThatTalksWithoutEndIsHeardAPartAndGivenUp) {
  Channel channel(worker("exec cat /dev/zero >&3"), "test");
  EXPECT_FALSE(channel.wait(far_away()));
  EXPECT_NE(channel.epitaph().find("broke the protocol"), std::string::npos);
}

TEST_F(ChannelTest, WhatADeadChildHadSaidIsHeardThoughNothingCanBeSentToItAnyMore) {
  Channel channel(worker("cat " + file_of({{"type", "will"}}) + " >&3"), "test");
  pollfd end{channel.watched().fd, POLLRDHUP, 0};
  while (::poll(&end, 1, -1) < 0) {
  }
  channel.send({{"type", "question"}});
  EXPECT_EQ(channel.wait(far_away())->at("type"), "will");
  EXPECT_FALSE(channel.wait(far_away()));
  EXPECT_TRUE(channel.has_ended());
  EXPECT_EQ(channel.epitaph(), "ended with status 0");
}

}  // namespace
}  // namespace tuner
