// Copies device memory to the host, piece by piece, and digests it.

#include "tuner/measure/seals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/base/try.h"

namespace tuner {
namespace {

// Four independent lanes, so that it takes no longer than the copy from the device. Each step can
// be undone, so a single word that differs always shows.
class Lanes {
 public:
  static constexpr std::size_t kBlock = 32;

  // All pieces but the last are whole blocks.
  void add(std::span<const std::byte> piece) {
    std::array<std::uint64_t, 4> words{};
    for (; !piece.empty(); piece = piece.subspan(std::min(kBlock, piece.size()))) {
      if (piece.size() < kBlock) words = {};
      std::memcpy(words.data(), piece.data(), std::min(kBlock, piece.size()));
      for (std::size_t i = 0; i < words.size(); ++i) {
        lanes_[i] = std::rotl((lanes_[i] ^ words[i]) * 0x9E3779B97F4A7C15ULL, 29);
      }
    }
  }
  std::uint64_t digest() const {
    std::uint64_t all = 0;
    for (const std::uint64_t lane : lanes_) all = splitmix64(all ^ lane);
    return all;
  }

 private:
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
};

DeviceResult<std::uint64_t> digest_of(DeviceMemory& memory, BufferId buffer, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
  std::vector<std::byte> piece(std::min(bytes, kPiece));
  Lanes lanes;
  for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), bytes - done));
    TUNER_TRY(memory.download({buffer, done}, piece));
    lanes.add(piece);
  }
  return lanes.digest();
}

std::uint64_t digest_of(std::span<const std::byte> bytes) {
  Lanes lanes;
  lanes.add(bytes);
  return lanes.digest();
}

}  // namespace

DeviceResult<Ok> Seals::put(DeviceMemory& memory, const std::string& what, BufferId buffer,
                            std::uint64_t bytes) {
  const std::uint64_t digest = TUNER_TRY(digest_of(memory, buffer, bytes));
  seals_[what] = {buffer, {}, bytes, digest};
  return Ok{};
}

void Seals::put(const std::string& what, std::span<const std::byte> on_host) {
  seals_[what] = {0, on_host, on_host.size(), digest_of(on_host)};
}

DeviceResult<std::optional<std::string>> Seals::broken(DeviceMemory& memory) const {
  for (const auto& [what, seal] : seals_) {
    const bool is_on_host = seal.on_host.data() != nullptr;
    const std::uint64_t now = is_on_host ? digest_of(seal.on_host)
                                         : TUNER_TRY(digest_of(memory, seal.buffer, seal.bytes));
    if (now != seal.digest) return std::optional(what);
  }
  return std::optional<std::string>();
}

std::uint64_t Seals::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [what, seal] : seals_) bytes += seal.bytes;
  return bytes;
}

}  // namespace tuner
