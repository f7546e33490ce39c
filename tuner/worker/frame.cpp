#include "tuner/worker/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

namespace tuner {
namespace {

constexpr std::size_t kHeaderBytes = 8;

void put_u32(std::string& out, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((word >> shift) & 0xFF);
}

std::uint32_t get_u32(const char* at) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::string encode_frame(const nlohmann::json& message) {
  std::string body;
  nlohmann::json::to_cbor(message, body);
  if (body.size() > kMaxFrameBytes) throw ProtocolError("a message is too large to be sent");
  std::string frame;
  frame.reserve(body.size() + kHeaderBytes);
  put_u32(frame, kFrameMagic);
  put_u32(frame, static_cast<std::uint32_t>(body.size()));
  return frame + body;
}

void FrameReader::feed(const char* data, std::size_t size) {
  buffer_.erase(0, start_);
  start_ = 0;
  buffer_.append(data, size);
}

std::optional<nlohmann::json> FrameReader::next() {
  const std::size_t have = buffer_.size() - start_;
  if (have < kHeaderBytes) return std::nullopt;
  const char* head = buffer_.data() + start_;
  if (get_u32(head) != kFrameMagic) throw ProtocolError("a frame begins with the wrong bytes");
  const std::size_t size = get_u32(head + 4);
  if (size > kMaxFrameBytes) throw ProtocolError("a frame claims to be too large");
  if (have < kHeaderBytes + size) return std::nullopt;
  const char* body = head + kHeaderBytes;
  auto message = nlohmann::json::from_cbor(body, body + size, true, false);
  if (message.is_discarded() || !message.is_object()) {
    throw ProtocolError("a frame holds no message");
  }
  start_ += kHeaderBytes + size;
  return message;
}

std::optional<nlohmann::json> receive(int fd, FrameReader& reader) {
  std::vector<char> block(1 << 16);
  for (;;) {
    if (auto message = reader.next()) return message;
    const ssize_t got = ::recv(fd, block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    reader.feed(block.data(), static_cast<std::size_t>(got));
  }
}

bool send(int fd, const nlohmann::json& message) {
  const std::string frame = encode_frame(message);
  std::size_t done = 0;
  while (done < frame.size()) {
    const ssize_t sent = ::send(fd, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace tuner
