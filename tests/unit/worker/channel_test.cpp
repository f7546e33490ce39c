#include "tuner/worker/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/fakes/script_worker.h"

namespace tuner {
namespace {

using nlohmann::json;

class ChannelTest : public testing::Test {
 protected:
  WorkerProgram worker(const std::string& commands) const { return script_.program(commands); }
  std::string file_of(const json& message) const {
    return script_.write_message("message", message);
  }
  static TimePoint far_away() { return Clock::now() + std::chrono::minutes(10); }

  ScriptWorker script_;
};

const json& large() {
  static const json message{{"type", "large"}, {"text", std::string(8 << 20, 'x')}};
  return message;
}

TEST(After, ALimitWithoutEndIsFarAway) {
  const TimePoint now = Clock::now();
  for (const double seconds : {1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_GT(after(now, seconds), now + std::chrono::hours(24)) << seconds;
  }
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
  EXPECT_NE(channel.exit_reason().find("broke the protocol"), std::string::npos);
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
  EXPECT_EQ(channel.exit_reason(), "ended with status 0");
}

}  // namespace
}  // namespace tuner
