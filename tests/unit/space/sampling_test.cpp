#include "tuner/space/sampling.h"

#include <gtest/gtest.h>

#include <vector>

namespace tuner {
namespace {

// Sum of (observed - expected)^2 / expected.
double chi_square(const std::vector<int>& seen, double expected) {
  double sum = 0;
  for (int count : seen) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// First outputs of an independent implementation of xoshiro256** with this seeding.
TEST(Rng, IsTheSameEverywhere) {
  Rng rng(1);
  EXPECT_EQ(rng.next(), 0xb3f2af6d0fc710c5ULL);
  EXPECT_EQ(rng.next(), 0x853b559647364ceaULL);
  EXPECT_EQ(rng.next(), 0x92f89756082a4514ULL);
}

TEST(IndexPermutation, DrawsEveryIndexOnce) {
  for (std::uint64_t size = 1; size < 400; ++size) {
    const IndexPermutation order(size, size * 31);
    std::vector<int> seen(size, 0);
    for (std::uint64_t i = 0; i < size; ++i) ++seen[static_cast<std::size_t>(order(i))];
    ASSERT_EQ(seen, std::vector<int>(size, 1)) << "size " << size;
  }
}

TEST(IndexPermutation, WorksOverHugeSpaces) {
  ConfigIndex size = 1;
  for (int i = 0; i < 30; ++i) size *= 10;
  const IndexPermutation order(size, 5);
  std::vector<int> seen(10, 0);
  for (int i = 0; i < 20'000; ++i) {
    const ConfigIndex draw = order(static_cast<ConfigIndex>(i));
    ASSERT_LT(draw, size);
    ++seen[static_cast<std::size_t>(draw / (size / 10))];
  }
  EXPECT_LT(chi_square(seen, 2000), 35);
}

// Over seeds, each place of the order is uniform, and two places are independent.
TEST(IndexPermutation, FavoursNoPairOfIndices) {
  constexpr std::uint64_t kSize = 10;
  constexpr int kSeeds = 90'000;
  std::vector<int> first(kSize, 0);
  std::vector<int> pairs(kSize * kSize, 0);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const IndexPermutation order(kSize, seed);
    const auto a = static_cast<std::size_t>(order(0));
    const auto b = static_cast<std::size_t>(order(1));
    ++first[a];
    ++pairs[a * kSize + b];
  }
  EXPECT_LT(chi_square(first, kSeeds / 10.0), 35);
  std::vector<int> apart;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i / kSize != i % kSize) apart.push_back(pairs[i]);
  }
  EXPECT_LT(chi_square(apart, kSeeds / 90.0), 89 + 5 * 13.4);
}

}  // namespace
}  // namespace tuner
