#pragma once
// The parts of an exported header that are the same for every study: C++17 without includes. In the
// text, TUNER_FN stands for what goes before a function.

#include <string_view>

namespace tuner {

// `num` and its operations: Python's numbers and texts at compile time, failures included.
std::string_view header_numbers();

// detail::lg256 and detail::tier.
std::string_view header_distance();

// The same fixed-point logarithm as the header's: 256 * log2(x), linear between powers of two;
// 0 for x < 1.
constexpr int lg256(long long x) {
  const long long y = x < 1 ? 1 : x;
  int e = 0;
  while ((y >> e) > 1) ++e;
  const long long rest = y - (1LL << e);
  return e * 256 + static_cast<int>(e <= 50 ? (rest << 8) >> e : rest >> (e - 8));
}

}  // namespace tuner
