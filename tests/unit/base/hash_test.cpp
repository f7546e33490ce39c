#include "tuner/base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace tuner {
namespace {

TEST(Hash, SplitMix64MatchesItsPublishedSequence) {
  // First outputs of the generator with state 0 (reference implementation by S. Vigna).
  EXPECT_EQ(splitmix64(0), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(splitmix64(0x9E3779B97F4A7C15ULL), 0x6E789E6AA1B965F4ULL);
}

TEST(Hash, PiecesDoNotRunTogether) {
  EXPECT_NE(Hasher().add("ab").add("c").digest(), Hasher().add("a").add("bc").digest());
  EXPECT_NE(Hasher().add("").digest(), Hasher().digest());
  EXPECT_NE(Hasher().add("1").digest(), Hasher().add(std::uint64_t{1}).digest());
}

TEST(Hash, EveryBitMatters) {
  const std::string text = "__global__ void matmul(const float* A)";
  std::set<std::string> seen{to_hex(hash_of(text))};
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_TRUE(seen.insert(to_hex(hash_of(other))).second) << i << ' ' << bit;
    }
  }
}

TEST(Hash, IsStable) {
  // Stored in databases and cache names: must never change.
  EXPECT_EQ(to_hex(hash_of("tuner")), "8339efa24c1f04da4abab06e184e51ba");
}

}  // namespace
}  // namespace tuner
