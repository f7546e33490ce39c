// Writes and checks what ranks say to each other.

#include "tuner/remote/envelope.h"

#include <nlohmann/json.hpp>

#include "tuner/worker/frame.h"

namespace tuner {
namespace {

constexpr std::size_t kHeadBytes = 5;  // the topic, and the worker, its lowest byte first

}  // namespace

std::string sealed(const Envelope& envelope) {
  std::string bytes;
  bytes.reserve(kHeadBytes + envelope.body.size());
  bytes += static_cast<char>(envelope.topic);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((envelope.worker >> shift) & 0xFFU);
  }
  return bytes + envelope.body;
}

Envelope unsealed(const std::string& bytes) {
  if (bytes.size() < kHeadBytes) throw ProtocolError("a message of a rank is too short");
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  if (byte(0) > static_cast<std::uint32_t>(Topic::kLeave)) {
    throw ProtocolError("a message of a rank has an unknown topic");
  }
  Envelope envelope;
  envelope.topic = static_cast<Topic>(byte(0));
  for (std::size_t i = 0; i < 4; ++i) envelope.worker |= byte(1 + i) << (8 * i);
  envelope.body = bytes.substr(kHeadBytes);
  return envelope;
}

std::string body_of(const nlohmann::json& document) { return encode_frame(document); }

nlohmann::json document_of(const Envelope& envelope) {
  FrameReader reader;
  reader.feed(envelope.body.data(), envelope.body.size());
  auto document = reader.next();
  if (!document) throw ProtocolError("a message of a rank is cut off");
  return std::move(*document);
}

}  // namespace tuner
