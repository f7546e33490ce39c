#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/fuzz/targets.h"
#include "tuner/worker/messages.h"

namespace tuner::fuzz {
namespace {

template <typename Noun>
void read_as(const nlohmann::json& document) {
  try {
    const auto noun = document.get<Noun>();
    const nlohmann::json again = noun;
    require(again == nlohmann::json(again.get<Noun>()), "what was read can be sent and read again");
  } catch (const nlohmann::json::exception&) {
  } catch (const ProtocolError&) {
  }
}

void read_all(const nlohmann::json& message) {
  text_in(message, "type");
  flag_in(message, "retryable");
  for (const auto& member : message) {
    read_as<Verdict>(member);
    read_as<Artifact>(member);
    read_as<DeviceFacts>(member);
    read_as<CompileRequest>(member);
    read_as<VariantPlan>(member);
    read_as<SizePlan>(member);
  }
}

}  // namespace

// The bytes as they stand (a worker that writes anything), and in a frame (one that writes nonsense
// with the right header); the second in two pieces.
void protocol(const std::string& bytes) {
  std::string framed = encode_frame(nlohmann::json::object());
  framed.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    framed += static_cast<char>((bytes.size() >> (8 * i)) & 0xFF);
  }
  framed += bytes;
  for (const std::string* stream : {&bytes, &std::as_const(framed)}) {
    FrameReader reader;
    const std::size_t half = stream->size() / 2;
    try {
      reader.feed(stream->data(), half);
      while (const auto message = reader.next()) read_all(*message);
      reader.feed(stream->data() + half, stream->size() - half);
      while (const auto message = reader.next()) read_all(*message);
    } catch (const ProtocolError&) {
    }
  }
}

}  // namespace tuner::fuzz
