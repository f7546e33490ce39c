#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tuner/worker/messages.h"

namespace tuner {
namespace {

using nlohmann::json;

TEST(Frame, MessageSurvivesAnySplit) {
  const json message{{"type", "compile"}, {"id", 7}, {"image", json::binary({0, 255, 10})}};
  const std::string frame = encode_frame(message);
  for (std::size_t cut = 0; cut <= frame.size(); ++cut) {
    FrameReader reader;
    reader.feed(frame.data(), cut);
    if (cut < frame.size()) {
      EXPECT_FALSE(reader.next()) << cut;
    }
    reader.feed(frame.data() + cut, frame.size() - cut);
    const auto got = reader.next();
    ASSERT_TRUE(got) << cut;
    EXPECT_EQ(*got, message);
    EXPECT_FALSE(reader.next());
  }
}

TEST(Frame, TwoMessagesInOnePiece) {
  const std::string both = encode_frame({{"n", 1}}) + encode_frame({{"n", 2}});
  FrameReader reader;
  reader.feed(both.data(), both.size());
  EXPECT_EQ((*reader.next())["n"], 1);
  EXPECT_EQ((*reader.next())["n"], 2);
  EXPECT_FALSE(reader.next());
}

TEST(Frame, WrongMagicIsAnError) {
  FrameReader reader;
  reader.feed("GARBAGE!", 8);
  EXPECT_THROW(reader.next(), ProtocolError);
}

TEST(Frame, AbsurdLengthIsAnErrorBeforeAnythingIsAllocated) {
  std::string frame = encode_frame({{"n", 1}});
  frame[7] = '\x7f';
  FrameReader reader;
  reader.feed(frame.data(), frame.size());
  EXPECT_THROW(reader.next(), ProtocolError);
}

// {"x": {"x": ... }}, as a worker whose memory was overwritten might send it.
std::string nested_frame(std::size_t levels) {
  std::string body;
  for (std::size_t i = 0; i + 1 < levels; ++i) body += "\xA1\x61x";
  body += '\xA0';
  std::string frame = encode_frame(json::object()).substr(0, 4);
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(body.size() >> shift);
  return frame + body;
}

TEST(Frame, DeepNestingIsAnErrorNotAStackOverflow) {
  for (const auto& [levels, is_message] :
       {std::pair{3, true}, {60, true}, {65, false}, {1000000, false}}) {
    const std::string frame = nested_frame(static_cast<std::size_t>(levels));
    FrameReader reader;
    reader.feed(frame.data(), frame.size());
    if (is_message) {
      EXPECT_TRUE(reader.next()) << levels;
    } else {
      EXPECT_THROW(reader.next(), ProtocolError) << levels;
    }
  }
}

TEST(Frame, EveryFlippedByteOfABodyIsAMessageOrAnErrorNeverACrash) {
  const std::string good = encode_frame({{"type", "verdict"}, {"samples", {1.5, 2.5}}});
  for (std::size_t at = 8; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      FrameReader reader;
      reader.feed(bad.data(), bad.size());
      try {
        const auto message = reader.next();
        EXPECT_TRUE(message && message->is_object());
      } catch (const ProtocolError&) {
      }
    }
  }
}

TEST(Frame, CrossesASocketAndEndsAtEndOfFile) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const json large{{"blob", std::string(1 << 20, 'x')}};
  std::thread writer([&] {
    EXPECT_TRUE(send(ends[0], large));
    ::close(ends[0]);
  });
  FrameReader reader;
  EXPECT_EQ(*receive(ends[1], reader), large);
  EXPECT_FALSE(receive(ends[1], reader));
  writer.join();
  EXPECT_FALSE(send(ends[1], {{"n", 1}}));  // nobody listens: no SIGPIPE
  ::close(ends[1]);
}

}  // namespace
}  // namespace tuner
