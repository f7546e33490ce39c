#pragma once
// The 16-bit and 8-bit floating-point types, conversions from double that saturate as a GPU's do,
// and the generator of the plugin boundary's fill formulas.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tuner::cpu {

// IEEE binary16 (5 exponent bits, 10 stored bits) or bfloat16 (8, 7): nearest, ties to even.
template <int kExponentBits, int kStoredBits>
struct SmallFloat {
  std::uint16_t bits = 0;

  static SmallFloat from(double value) {
    constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
    constexpr std::uint32_t kInfinity = ((1U << kExponentBits) - 1) << kStoredBits;
    const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0;
    if (std::isnan(value)) return {static_cast<std::uint16_t>(kInfinity | 1U << (kStoredBits - 1))};
    if (value == 0) return {static_cast<std::uint16_t>(sign)};
    // In units of the last stored bit; subnormals share the smallest exponent.
    int exponent = 0;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - 1, 1 - kBias) - kStoredBits;
    const double magnitude = std::fabs(value);
    if (std::isinf(value) || unit + kStoredBits > kBias) {
      return {static_cast<std::uint16_t>(sign | kInfinity)};
    }
    const auto scaled = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // A normal number's leading bit adds 1 to the exponent field; so does rounding up to 2^n.
    const auto field = static_cast<std::uint32_t>(unit + kStoredBits + kBias - 1) << kStoredBits;
    return {static_cast<std::uint16_t>(sign | (field + scaled))};
  }

  explicit operator double() const {
    constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
    const int field = bits >> kStoredBits & ((1 << kExponentBits) - 1);
    const int stored = bits & ((1 << kStoredBits) - 1);
    double magnitude = 0;
    if (field == (1 << kExponentBits) - 1) {
      magnitude = stored == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    } else if (field == 0) {
      magnitude = std::ldexp(stored, 1 - kBias - kStoredBits);
    } else {
      magnitude = std::ldexp(stored + (1 << kStoredBits), field - kBias - kStoredBits);
    }
    return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
  }
};

// OCP's 8-bit floats: nearest, ties to even; what is too large becomes the largest number, as in
// CUDA's conversions. Only the one with four exponent bits has no infinity.
template <int kExponentBits, int kStoredBits, int kLargest>
struct Float8 {
  std::uint8_t bits = 0;

  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;

  static Float8 from(double value) {
    if (std::isnan(value)) return {0x7F};
    const double magnitude = std::min(std::fabs(value), static_cast<double>(kLargest));
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int normal = magnitude == 0 ? 1 - kBias : std::max(exponent - 1, 1 - kBias);
    const auto scaled =
        static_cast<int>(std::nearbyint(std::ldexp(magnitude, kStoredBits - normal)));
    const int field = (normal + kBias - 1) * (1 << kStoredBits) + scaled;
    return {static_cast<std::uint8_t>(field | (std::signbit(value) ? 0x80 : 0))};
  }

  explicit operator double() const {
    const int field = bits >> kStoredBits & ((1 << kExponentBits) - 1);
    const int stored = bits & ((1 << kStoredBits) - 1);
    const bool is_last = field == (1 << kExponentBits) - 1;
    double magnitude = std::ldexp(stored + (field > 0 ? 1 << kStoredBits : 0),
                                  std::max(field, 1) - kBias - kStoredBits);
    if (kExponentBits == 5 && is_last && stored == 0) {
      magnitude = std::numeric_limits<double>::infinity();
    } else if (is_last && (kExponentBits == 5 || stored == (1 << kStoredBits) - 1)) {
      magnitude = std::numeric_limits<double>::quiet_NaN();
    }
    return (bits & 0x80U) != 0 ? -magnitude : magnitude;
  }
};

using Float8E4M3 = Float8<4, 3, 448>;
using Float8E5M2 = Float8<5, 2, 57344>;
using Half = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;

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

inline std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace tuner::cpu
