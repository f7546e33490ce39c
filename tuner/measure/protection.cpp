// Takes the exclusive or of device memory and random numbers, and digests device memory.

#include "tuner/measure/protection.h"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/hash.h"

namespace tuner {

namespace {

using Word = std::uint64_t;

// The formula of plugin/abi.h.
void mask_words(std::span<Word> words, std::uint64_t first, const Fill& mask) {
  const auto other = static_cast<std::uint64_t>(mask.a);
  for (Word& word : words) word ^= splitmix64(splitmix64(mask.seed + first++) ^ other);
}

}  // namespace

// A double holds 53 bits of a whole number.
Fill Masking::fill_of(std::uint64_t key) const {
  return {Fill::Kind::kMask, DataType::kUInt64, static_cast<double>(secret_ >> 11), 0, key};
}

// A backend that was made before this fill does whatever it does with it, so it is tried.
bool Masking::device_can() {
  if (device_can_) return *device_can_;
  device_can_ = false;
  const Fill mask = fill_of(secret_);
  std::array<Word, 4> words{1, 2, 3, 4};
  const auto bytes = std::as_writable_bytes(std::span(words));
  auto buffer = GuardedMemory(memory_).allocate_guarded(bytes.size());
  if (!buffer) return false;
  const BufferRange range = contents_of(buffer->id());
  const bool done = memory_.upload(range, bytes) && memory_.fill(range, words.size(), mask) &&
                    memory_.download(range, bytes);
  mask_words(words, 0, mask);
  device_can_ = done && words == std::array<Word, 4>{1, 2, 3, 4};
  return *device_can_;
}

DeviceResult<Ok> Masking::turn_on_host(BufferRange range, std::uint64_t words, const Fill& mask) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 19;
  std::vector<Word> piece;
  for (std::uint64_t first = 0; first < words; first += kPiece) {
    piece.resize(std::min(kPiece, words - first));
    const auto bytes = std::as_writable_bytes(std::span(piece));
    const BufferRange at{range.buffer, range.offset + first * sizeof(Word)};
    TUNER_TRY(memory_.download(at, bytes));
    mask_words(piece, first, mask);
    TUNER_TRY(memory_.upload(at, bytes));
  }
  return Ok{};
}

// The last word may take some guard bytes along, which nobody looks at meanwhile.
DeviceResult<Ok> Masking::turn(BufferId buffer, std::uint64_t bytes, std::uint64_t key) {
  const std::uint64_t words = (bytes + sizeof(Word) - 1) / sizeof(Word);
  const Fill mask = fill_of(key);
  return device_can() ? memory_.fill(contents_of(buffer), words, mask)
                      : turn_on_host(contents_of(buffer), words, mask);
}

void wipe(std::span<std::byte> copy) {
  if (!copy.empty()) explicit_bzero(copy.data(), copy.size());
}

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
