// Draws indices of configurations without a bias.

#include "tuner/space/sampling.h"

#include <algorithm>
#include <bit>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

int bit_width(ConfigIndex value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}

}  // namespace

Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = splitmix64(seed);
    seed += 0x9E3779B97F4A7C15ULL;
  }
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

IndexPermutation::IndexPermutation(ConfigIndex size, std::uint64_t seed) : size_(size) {
  const int bits = bit_width(size > 0 ? size - 1 : 0);
  // Smaller networks have too few permutations to be fair; walking makes up for the size.
  half_bits_ = std::max(4, (bits + 1) / 2);
  mask_ = ~std::uint64_t{0} >> (64 - half_bits_);
  Rng rng(seed);
  for (std::uint64_t& key : keys_) key = rng.next();
}

ConfigIndex IndexPermutation::scramble(ConfigIndex number) const {
  auto left = static_cast<std::uint64_t>(number >> half_bits_);
  auto right = static_cast<std::uint64_t>(number) & mask_;
  for (std::uint64_t key : keys_) {
    const std::uint64_t mixed = left ^ (splitmix64(right ^ key) & mask_);
    left = right;
    right = mixed;
  }
  return ConfigIndex{left} << half_bits_ | right;
}

ConfigIndex IndexPermutation::operator()(ConfigIndex number) const {
  do {
    number = scramble(number);
  } while (number >= size_);
  return number;
}

}  // namespace tuner
