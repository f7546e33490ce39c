// A random order of a range by shuffling or by a Feistel network.

#include "tuner/plugins/strategies/parts/random.h"

#include <numeric>

namespace tuner::strategies {

Permutation::Permutation(Index size, std::uint64_t seed) : size_(size) {
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

Index Permutation::at(Index place) const {
  if (!shuffled_.empty()) return shuffled_[static_cast<std::size_t>(place)];
  do {
    place = encrypt(place);
  } while (place >= size_);
  return place;
}

// A Feistel network is a permutation whatever its round function (Luby and Rackoff 1988): each
// round can be taken back, since the half that it mixes in is kept.
Index Permutation::encrypt(Index block) const {
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

}  // namespace tuner::strategies
