#pragma once
// The 16-bit and 8-bit floating-point types, conversions from double that saturate as a GPU's do,
// and the generator of the plugin boundary's fill formulas.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tuner/plugin/sdk.h"

namespace tuner::programs {

// Floats of 16 and 8 bits, by the SDK's formulas: nearest, ties to even.
struct Half {
  std::uint16_t bits = 0;

  static Half from(double value) { return {sdk::elements::narrow_float(value, 10, 15)}; }
  explicit operator double() const { return sdk::elements::widen_half(bits); }
};

struct BFloat16 {
  std::uint16_t bits = 0;

  static BFloat16 from(double value) { return {sdk::elements::narrow_float(value, 7, 127)}; }
  explicit operator double() const { return sdk::elements::widen_bfloat(bits); }
};

// What is too large becomes the largest number.
template <int kStoredBits, int kBias, int kLargest>
struct Float8 {
  std::uint8_t bits = 0;

  static Float8 from(double value) {
    return {sdk::elements::narrow_fp8(value, kStoredBits, kBias, kLargest)};
  }
  explicit operator double() const { return sdk::elements::widen_fp8(bits, kStoredBits, kBias); }
};

using Float8E4M3 = Float8<3, 7, 448>;
using Float8E5M2 = Float8<2, 15, 57344>;

template <typename T>
T converted(double value) {
  if constexpr (std::is_integral_v<T>) {
    const double rounded = std::nearbyint(value);
    if (std::isnan(rounded)) return 0;
    // 2^63 and 2^64 - the limits of the 64-bit types are no doubles - compare as not less.
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) {
      return std::numeric_limits<T>::min();
    }
    if (rounded >= static_cast<double>(std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
    return static_cast<T>(rounded);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return T::from(value);
  }
}

inline std::uint64_t splitmix64(std::uint64_t x) { return sdk::elements::splitmix(x); }

}  // namespace tuner::programs
