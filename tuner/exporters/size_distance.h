#pragma once
// How far two problem sizes are apart: over the dimensions, the sum of the weight times the squared
// log2 of the ratio. In whole numbers, so that tuner and exported header agree to the bit.

#include <cstdint>
#include <vector>

#include "tuner/model/problem_size.h"

namespace tuner {

// The fixed-point logarithm of exported headers (cpp/distance.hpp): 256 * log2(x), linear between
// powers of two; 0 for x < 1.
constexpr int lg256(long long x) {
  const long long y = x < 1 ? 1 : x;
  int e = 0;
  while ((y >> e) > 1) ++e;
  const long long rest = y - (1LL << e);
  return e * 256 + static_cast<int>(e <= 50 ? (rest << 8) >> e : rest >> (e - 8));
}

class SizeDistance {
 public:
  // One weight for each dimension, in the order of the sizes'; empty: all are 1.
  explicit SizeDistance(const std::vector<double>& weights);

  std::int64_t between(const ProblemSize& a, const ProblemSize& b) const;
  // What a distance is in squared log2.
  double log2_sq(std::int64_t distance) const { return static_cast<double>(distance) * unit_; }

  // Of a dimension: what (256 * log2 of the ratio) squared is multiplied by.
  std::int64_t factor(std::size_t dimension) const {
    return dimension < factors_.size() ? factors_[dimension] : 1;
  }
  double unit() const { return unit_; }

 private:
  std::vector<std::int64_t> factors_;
  double unit_ = 1.0 / 65536;
};

}  // namespace tuner
