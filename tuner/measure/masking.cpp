// Takes the exclusive or of device memory and random numbers.

#include "tuner/measure/masking.h"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <array>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/base/try.h"

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

}  // namespace tuner
