#pragma once
// Uniform draws of configuration indices: the same on every machine for the same seed.

#include <cstdint>

#include "tuner/space/parameter.h"

namespace tuner {

// xoshiro256** (Blackman, Vigna 2018), seeded through splitmix64.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  std::uint64_t next();

 private:
  std::uint64_t state_[4];
};

// All of [0, size) in a random order, without a list: a Feistel network on the next larger power of
// four, walked until it lands inside. Constant memory, about two rounds of it for each draw.
class IndexPermutation {
 public:
  IndexPermutation(ConfigIndex size, std::uint64_t seed);
  ConfigIndex size() const { return size_; }
  // The draw with this number, number < size(); no two are equal.
  ConfigIndex operator()(ConfigIndex number) const;

 private:
  ConfigIndex scramble(ConfigIndex number) const;

  static constexpr int kRounds = 6;
  ConfigIndex size_;
  int half_bits_ = 1;
  std::uint64_t mask_ = 1;
  std::uint64_t keys_[kRounds];
};

}  // namespace tuner
