// Frames, and the nouns in them: what arrives is what was sent, or an error.

#include "tuner/worker/messages.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

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

// What arrives after a trip over the wire.
template <typename T>
T through_cbor(const T& value) {
  const json sent = value;
  return json::from_cbor(json::to_cbor(sent)).get<T>();
}

TEST(Messages, VariantPlanArrivesWhole) {
  VariantPlan plan;
  plan.artifact.entry = "_Z6matmul";  // the rest: artifact_cache_test
  plan.geometry.grid = {3, 2, 1};
  plan.geometry.dynamic_shared_bytes = 65536;
  ArgumentPlan scalar;
  scalar.name = "N";
  scalar.is_scalar = true;
  scalar.scalar = {std::byte{1}, std::byte{2}};
  ArgumentPlan map;
  map.name = "A_map";
  map.is_scalar = true;
  map.map = TensorMapPlan{2, {DataType::kBFloat16, {1ULL << 33, 64}, {128, 64}, 128}};
  plan.overrides = {{4U, scalar}, {5U, map}};
  plan.best_ms = 0.25;
  plan.then = {{"finish", {}, {2, 0}}};
  plan.then[0].geometry.block = {64, 2, 1};

  const VariantPlan got = through_cbor(plan);
  EXPECT_EQ(got.artifact.entry, plan.artifact.entry);
  EXPECT_EQ(got.geometry.grid, plan.geometry.grid);
  EXPECT_EQ(got.geometry.dynamic_shared_bytes, 65536U);
  ASSERT_EQ(got.overrides.size(), 2U);
  EXPECT_FALSE(got.overrides[0].second.map.has_value());
  const TensorMapPlan& got_map = got.overrides[1].second.map.value();
  EXPECT_EQ(got_map.of, 2U);
  EXPECT_EQ(got_map.map.type, DataType::kBFloat16);
  EXPECT_EQ(got_map.map.extents, (std::vector<std::uint64_t>{1ULL << 33, 64}));
  EXPECT_EQ(got_map.map.box, (std::vector<std::uint32_t>{128, 64}));
  EXPECT_EQ(got_map.map.swizzle, 128U);
  EXPECT_EQ(got.overrides[0].first, 4U);
  EXPECT_EQ(got.overrides[0].second.scalar, scalar.scalar);
  EXPECT_EQ(got.best_ms, 0.25);
  ASSERT_EQ(got.then.size(), 1U);
  EXPECT_EQ(got.then[0].name, "finish");
  EXPECT_EQ(got.then[0].geometry.block, (std::array<std::uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(got.then[0].arguments, (std::vector<std::uint32_t>{2, 0}));
}

TEST(Messages, SizePlanArrivesWhole) {
  SizePlan plan;
  ArgumentPlan buffer;
  buffer.name = "C";
  buffer.type = DataType::kBFloat16;
  buffer.elements = 1ULL << 33;
  buffer.extents = {1ULL << 13, 1ULL << 20};
  buffer.role = Role::kInOut;
  buffer.fill = {FillSpec::Kind::kUniform, -1, 1, "data.bin"};
  buffer.seed = ~0ULL;
  plan.arguments = {buffer};
  plan.checks = {{0, 1e-4, 1e-3}};
  plan.reference = ReferencePlan{{0}, {AnswerPlan{{}, 7, "STEPS=4", {}, {{0, buffer}}}}, 3};
  plan.reference->answers[0].arguments = {0};
  plan.reference->answers[0].then = {{"next", {}, {0}}};
  plan.reference->answers[0].rounds = 5;
  plan.reference->answers[0].swaps = {{0, 1}};
  plan.reference->answers[0].artifact.opened = {{{"/inc/\xff.h", "0123"}}};
  plan.measure.cache = CacheState::kRotate;
  plan.measure.mode = LaunchMode::kGraph;
  plan.measure.inputs = TimedInputs::kFresh;
  plan.measure.drop_above = 0;

  const SizePlan got = through_cbor(plan);
  ASSERT_EQ(got.arguments.size(), 1U);
  EXPECT_EQ(got.arguments[0].type, DataType::kBFloat16);
  EXPECT_EQ(got.arguments[0].elements, 1ULL << 33);
  EXPECT_EQ(got.arguments[0].extents, buffer.extents);
  EXPECT_EQ(got.arguments[0].role, Role::kInOut);
  EXPECT_EQ(got.arguments[0].fill.kind, FillSpec::Kind::kUniform);
  EXPECT_EQ(got.arguments[0].fill.a, -1);
  EXPECT_EQ(got.arguments[0].fill.file, "data.bin");
  EXPECT_EQ(got.arguments[0].seed, ~0ULL);
  EXPECT_EQ(got.checks[0].atol, 1e-3);
  ASSERT_TRUE(got.reference);
  EXPECT_EQ(got.reference->arguments, std::vector<std::uint32_t>{0});
  EXPECT_EQ(got.reference->seeds, 3U);
  ASSERT_EQ(got.reference->answers.size(), 1U);
  const AnswerPlan& answer = got.reference->answers[0];
  EXPECT_EQ(answer.key, 7U);
  EXPECT_EQ(answer.values, "STEPS=4");
  EXPECT_EQ(answer.arguments, std::vector<std::uint32_t>{0});
  EXPECT_EQ(answer.then.at(0).name, "next");
  EXPECT_EQ(answer.rounds, 5U);
  EXPECT_EQ(answer.swaps, plan.reference->answers[0].swaps);
  EXPECT_EQ(answer.artifact.opened, plan.reference->answers[0].artifact.opened);
  EXPECT_EQ(answer.overrides.at(0).second.name, "C");
  EXPECT_EQ(got.measure.cache, CacheState::kRotate);
  EXPECT_EQ(got.measure.mode, LaunchMode::kGraph);
  EXPECT_EQ(got.measure.inputs, TimedInputs::kFresh);
  EXPECT_EQ(got.measure.drop_above, 0);
}

TEST(Messages, VerdictArrivesWhole) {
  Verdict verdict;
  verdict.state = TrialState::kCorrectness;
  verdict.timing.samples = {1.0, 2.0};
  verdict.max_error = 3.5;
  verdict.message = "C[3] = \xff";
  verdict.context_dead = true;
  verdict.conditions = {1755, 640.5};
  const Verdict got = through_cbor(verdict);
  EXPECT_EQ(got.state, TrialState::kCorrectness);
  EXPECT_EQ(got.timing.samples, verdict.timing.samples);
  EXPECT_EQ(got.max_error, 3.5);
  EXPECT_EQ(got.message, verdict.message);
  EXPECT_TRUE(got.context_dead);
  EXPECT_EQ(got.conditions, verdict.conditions);
}

TEST(Messages, InfiniteErrorArrivesAsInfinity) {
  Verdict verdict;
  verdict.state = TrialState::kCorrectness;
  verdict.max_error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(through_cbor(verdict).max_error, verdict.max_error);
}

TEST(Messages, UnknownStateIsRefused) {
  json j = Verdict{};
  j["state"] = 99;
  EXPECT_ANY_THROW(j.get<Verdict>());
}

TEST(Messages, MissingKeyIsRefused) {
  json j = CompileRequest{};
  j.erase("arch");
  EXPECT_THROW(j.get<CompileRequest>(), json::exception);
}

}  // namespace
}  // namespace tuner
