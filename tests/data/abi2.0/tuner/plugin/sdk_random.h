#pragma once
// Random numbers and random orders that are the same on every machine and standard library, so that
// a strategy's answers depend on its seed alone.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk_strategy.h"

namespace tuner::sdk {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// xoshiro256** (Blackman, Vigna 2018) seeded by splitmix64. The standard distributions differ
// between libraries.
class Rng {
 public:
  // Different streams of one seed are independent.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t word = mix64(seed) ^ mix64(~stream);
    for (auto& part : state_) part = word = mix64(word);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Uniform whole number in [0, count); count > 0. Rejection keeps it exact.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t limit = (0 - count) % count;
    std::uint64_t word = next();
    while (word < limit) word = next();
    return word % count;
  }

  bool chance(double probability) { return uniform() < probability; }

  // Standard normal (Marsaglia's polar method).
  double normal() {
    while (true) {
      const double u = uniform(-1, 1);
      const double v = uniform(-1, 1);
      const double s = u * u + v * v;
      if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
  }

  template <typename Sequence>
  void shuffle(Sequence& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
    }
  }

  template <typename Sequence>
  const auto& pick(const Sequence& items) {
    return items[static_cast<std::size_t>(below(items.size()))];
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
  std::array<std::uint64_t, 4> state_{};
};

// A random order of 0 .. size-1 in constant memory, for sizes up to 2^128 - 1.
// Small ranges are shuffled outright (exactly uniform). Larger ones go through a Feistel network on
// the next even number of bits; results outside the range are encrypted again until they fall
// inside ("cycle walking"), which keeps it a permutation and takes fewer than 4 steps on average.
class Permutation {
 public:
  Permutation(Index size, std::uint64_t seed);

  Index size() const { return size_; }
  Index at(Index place) const;  // place < size()

 private:
  static constexpr std::uint64_t kShuffleLimit = 4096;
  static constexpr int kRounds = 8;

  Index encrypt(Index block) const;

  Index size_;
  int half_bits_ = 1;
  std::array<std::uint64_t, kRounds> keys_{};
  std::vector<std::uint16_t> shuffled_;
};

inline Permutation::Permutation(Index size, std::uint64_t seed) : size_(size) {
  Rng rng(seed, 0x9e7);
  if (size <= kShuffleLimit) {
    shuffled_.resize(static_cast<std::size_t>(size));
    std::iota(shuffled_.begin(), shuffled_.end(), std::uint16_t{0});
    rng.shuffle(shuffled_);
    return;
  }
  while (half_bits_ < 64 && (Index{1} << (2 * half_bits_)) < size) ++half_bits_;
  for (auto& key : keys_) key = rng.next();
}

inline Index Permutation::at(Index place) const {
  if (!shuffled_.empty()) return shuffled_[static_cast<std::size_t>(place)];
  do {
    place = encrypt(place);
  } while (place >= size_);
  return place;
}

// A Feistel network is a permutation whatever its round function (Luby and Rackoff 1988): each
// round can be taken back, since the half that it mixes in is kept.
inline Index Permutation::encrypt(Index block) const {
  const std::uint64_t mask = half_bits_ == 64 ? ~std::uint64_t{0} : (1ULL << half_bits_) - 1;
  auto left = static_cast<std::uint64_t>(block >> half_bits_);
  auto right = static_cast<std::uint64_t>(block) & mask;
  for (const std::uint64_t key : keys_) {
    const std::uint64_t swapped = (left ^ mix64(right ^ key)) & mask;
    left = right;
    right = swapped;
  }
  return (Index{left} << half_bits_) | right;
}

}  // namespace tuner::sdk
