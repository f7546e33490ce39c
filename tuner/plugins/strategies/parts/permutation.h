#pragma once
// A random order of 0 .. size-1 in constant memory, for sizes up to 2^128 - 1.

#include <array>
#include <cstdint>
#include <vector>

#include "tuner/plugins/strategies/parts/common.h"

namespace tuner::strategies {

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

}  // namespace tuner::strategies
