#pragma once
// How messages cross the socket pair: an 8-byte header (magic, length, both little endian) and a
// CBOR document. The other side is our own program, yet a variant may have corrupted its memory:
// everything is checked.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace tuner {

class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint32_t kFrameMagic = 0x46524E54;  // "TNRF"
inline constexpr std::size_t kMaxFrameBytes = std::size_t{512} << 20;

std::string encode_frame(const nlohmann::json& message);

// Collects bytes as they come and hands out whole messages.
class FrameReader {
 public:
  void feed(const char* data, std::size_t size);
  // The next whole message, or empty. Throws ProtocolError on anything malformed.
  std::optional<nlohmann::json> next();

 private:
  std::string buffer_;
  std::size_t start_ = 0;
};

// Blocking, for children. Returns empty at end of file.
std::optional<nlohmann::json> receive(int fd, FrameReader& reader);
// Blocking. False when the other side is gone.
bool send(int fd, const nlohmann::json& message);

}  // namespace tuner
