// Writes and checks the frames in which messages cross the socket.

#include "tuner/worker/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// Whether a document's containers are nested no deeper than honest messages are: the parser goes a
// call deeper for each. What is malformed is left to the parser.
class Nesting {
 public:
  Nesting(const char* begin, std::size_t size) : at_(begin), end_(begin + size) {}

  bool is_shallow() {
    while (at_ < end_) {
      while (depth_ > 0 && left_[depth_ - 1] == 0) --depth_;
      if (!item()) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kOpenEnd = ~std::uint64_t{0};  // until a "break"
  static constexpr std::size_t kDeepest = 64;

  // One data item's head, and the bytes of a string (RFC 8949, section 3).
  bool item() {
    const auto head = static_cast<unsigned char>(*at_++);
    if (head == 0xFF) {
      if (depth_ > 0) --depth_;
      return true;
    }
    if (depth_ > 0 && left_[depth_ - 1] != kOpenEnd) --left_[depth_ - 1];
    const std::uint64_t count = argument(head & 31U);
    const unsigned kind = head >> 5U;
    const bool text = kind == 2 || kind == 3;
    if (text && count != kOpenEnd) {
      at_ += std::min(count, static_cast<std::uint64_t>(end_ - at_));
      return true;
    }
    if (!text && kind != 4 && kind != 5) return true;
    if (depth_ == kDeepest) return false;
    left_[depth_++] = kind == 5 && count < kOpenEnd / 2 ? 2 * count : count;
    return true;
  }

  std::uint64_t argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) return kOpenEnd;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < (1U << (info - 24)) && at_ < end_; ++i) {
      value = value << 8U | static_cast<unsigned char>(*at_++);
    }
    return value;
  }

  const char* at_;
  const char* end_;
  std::array<std::uint64_t, kDeepest> left_{};
  std::size_t depth_ = 0;
};

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
  if (!Nesting(body, size).is_shallow()) throw ProtocolError("a message is nested too deep");
  nlohmann::json message;
  try {
    // Told not to throw, it still does so for absurd sizes.
    message = nlohmann::json::from_cbor(body, body + size);
  } catch (const nlohmann::json::exception&) {
  }
  if (!message.is_object()) throw ProtocolError("a frame holds no message");
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
