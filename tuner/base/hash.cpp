// The 128-bit content hash.

#include "tuner/base/hash.h"

#include <bit>
#include <cstring>

namespace tuner {

void Hasher::mix(std::uint64_t word) {
  a_ = splitmix64(a_ ^ word);
  b_ = std::rotl(b_, 23) + splitmix64(word * 0x9FB21C651E98DF25ULL + a_);
}

Hasher& Hasher::add(std::uint64_t number) {
  mix(1);
  mix(number);
  return *this;
}

Hasher& Hasher::add(std::string_view piece) {
  mix(2);
  mix(piece.size());
  for (std::size_t at = 0; at < piece.size(); at += 8) {
    std::uint64_t word = 0;
    const std::size_t count = piece.size() - at < 8 ? piece.size() - at : 8;
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(piece[at + i])) << (8 * i);
    }
    mix(word);
  }
  return *this;
}

Digest Hasher::digest() const {
  return {splitmix64(a_ ^ std::rotl(b_, 32)), splitmix64(b_ + 0xD6E8FEB86659FD93ULL * a_)};
}

std::string to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::uint64_t word : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(word >> shift) & 15];
  }
  return out;
}

Digest hash_of(std::string_view text) { return Hasher().add(text).digest(); }

}  // namespace tuner
