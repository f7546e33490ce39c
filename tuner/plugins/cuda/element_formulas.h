// What fill and compare do with one element: the formulas of tuner/plugin/abi.h. Compiled by NVRTC
// as the head of device_kernels.cu, and by the host compiler for reading single elements and for
// the unit tests. No include, and nothing but what both compilers know.
#ifdef __CUDACC_RTC__
#define TUNER_DEVICE __device__
#else
#pragma once
#include <cmath>
#include <cstring>
#define TUNER_DEVICE inline
namespace tuner::cuda {
using std::fabs;
using std::floor;
using std::memcpy;
using std::rint;
#endif

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

// The numbers of tuner_type and tuner_fill_kind.
enum ElementType {
  kF32,
  kF64,
  kF16,
  kBf16,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kE4m3,
  kE5m2
};
enum ElementFill { kBytes, kConstant, kUniform, kNormal, kIntegers, kSequence };

template <typename To, typename From>
TUNER_DEVICE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

TUNER_DEVICE u64 splitmix(u64 x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

TUNER_DEVICE double element_value(u32 kind, double a, double b, u64 seed, u64 i) {
  const u64 r = splitmix(seed + i);
  const double u = static_cast<double>(r >> 11) * (1.0 / 9007199254740992.0);
  switch (kind) {
    case kUniform:
      return a + (b - a) * u;
    case kNormal: {
      double z = 0;
      for (int field = 0; field < 4; ++field) {
        z += static_cast<double>((r >> (16 * field)) & 0xFFFF) / 65535.0;
      }
      return a + b * ((z - 2.0) * 1.7320508075688772);
    }
    case kIntegers:
      return a + floor((b - a + 1.0) * u);
    case kSequence:
      return a + b * static_cast<double>(i);
    default:
      return a;
  }
}

// A 16-bit float with `mantissa` stored bits, rounded once from double to nearest, ties to even.
TUNER_DEVICE u16 narrow_float(double value, int mantissa, int bias) {
  const u64 bits = bits_as<u64>(value);
  const u16 sign = static_cast<u16>((bits >> 48) & 0x8000);
  const int top = 15 - mantissa;  // exponent bits
  const u32 infinity = ((1U << top) - 1U) << mantissa;
  const int exponent = static_cast<int>((bits >> 52) & 0x7FF);
  const u64 fraction = bits & 0xFFFFFFFFFFFFFULL;
  if (exponent == 0x7FF) {
    return sign | static_cast<u16>(infinity | (fraction != 0 ? 1U << (mantissa - 1) : 0U));
  }
  if (exponent == 0) return sign;  // double's own denormals are far below half's smallest
  const int target = exponent - 1023 + bias;
  // Bits to drop from the 53-bit significand; denormal results drop more.
  int drop = 52 - mantissa;
  if (target <= 0) drop += 1 - target;
  if (drop > 54) return sign;
  const u64 significand = fraction | (1ULL << 52);
  u64 kept = significand >> drop;
  const u64 rest = significand & ((1ULL << drop) - 1);
  const u64 half = 1ULL << (drop - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // A carry moves into the exponent by itself.
  u64 out = kept;
  if (target > 0) out += static_cast<u64>(target - 1) << mantissa;
  return sign | static_cast<u16>(out >= infinity ? infinity : out);
}

TUNER_DEVICE double widen_half(u16 bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * fraction * (1.0 / 16777216.0);  // 2^-24
  const u64 wide = exponent == 31 ? 0x7FFULL : static_cast<u64>(exponent - 15 + 1023);
  return sign * bits_as<double>((wide << 52) | (static_cast<u64>(fraction) << 42));
}

TUNER_DEVICE double widen_bfloat(u16 bits) {
  return static_cast<double>(bits_as<float>(static_cast<u32>(bits) << 16));
}

// An 8-bit float of OCP: as above, but what is beyond `largest` becomes that, as in CUDA's
// conversions, and there is one NaN. Half a mantissa bit is what rounding could carry beyond it.
TUNER_DEVICE u8 narrow_fp8(double value, int mantissa, int bias, double largest) {
  if (value != value) return 0x7F;
  const double least = value < -largest ? -largest : value;
  const u16 wide = narrow_float(least > largest ? largest : least, mantissa, bias);
  // narrow_float() has its sign in front of 15 bits.
  return static_cast<u8>((wide & 0x8000) != 0 ? 0x80 | (wide & 0x7F) : wide & 0x7F);
}

TUNER_DEVICE double widen_fp8(u8 bits, int mantissa, int bias) {
  const int exponent = (bits & 0x7F) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  const bool is_last = exponent == (1 << (7 - mantissa)) - 1;
  if (is_last && (mantissa == 2 || fraction == 7)) {
    return mantissa == 2 && fraction == 0 ? sign * bits_as<double>(0x7FFULL << 52)
                                          : bits_as<double>(0x7FF8ULL << 48);
  }
  const double unit = bits_as<double>(
      static_cast<u64>((exponent > 0 ? exponent : 1) - bias - mantissa + 1023) << 52);
  return sign * (fraction + (exponent > 0 ? 1 << mantissa : 0)) * unit;
}

TUNER_DEVICE double clamped(double value, double low, double high) {
  const double whole = rint(value);
  if (!(whole >= low)) return low;  // NaN too
  return whole <= high ? whole : high;
}

TUNER_DEVICE i64 to_i64(double value) {
  const double whole = rint(value);
  if (whole >= 9223372036854775808.0) return 0x7FFFFFFFFFFFFFFFLL;
  if (!(whole >= -9223372036854775808.0)) return static_cast<i64>(1ULL << 63);
  return static_cast<i64>(whole);
}

TUNER_DEVICE u64 to_u64(double value) {
  const double whole = rint(value);
  if (whole >= 18446744073709551616.0) return ~0ULL;
  return whole >= 0.0 ? static_cast<u64>(whole) : 0ULL;
}

// clang-format off: one line for each type
TUNER_DEVICE void store_element(void* to, u64 i, u32 type, double v) {
  switch (type) {
    case kF32:
      static_cast<float*>(to)[i] = static_cast<float>(v);
      break;
    case kF64:
      static_cast<double*>(to)[i] = v;
      break;
    case kF16:
      static_cast<u16*>(to)[i] = narrow_float(v, 10, 15);
      break;
    case kBf16:
      static_cast<u16*>(to)[i] = narrow_float(v, 7, 127);
      break;
    case kE4m3:
      static_cast<u8*>(to)[i] = narrow_fp8(v, 3, 7, 448.0);
      break;
    case kE5m2:
      static_cast<u8*>(to)[i] = narrow_fp8(v, 2, 15, 57344.0);
      break;
    case kI8:
      static_cast<i8*>(to)[i] = static_cast<i8>(clamped(v, -128, 127));
      break;
    case kI16:
      static_cast<i16*>(to)[i] = static_cast<i16>(clamped(v, -32768, 32767));
      break;
    case kI32:
      static_cast<i32*>(to)[i] = static_cast<i32>(clamped(v, -2147483648.0, 2147483647.0));
      break;
    case kI64:
      static_cast<i64*>(to)[i] = to_i64(v);
      break;
    case kU8:
      static_cast<u8*>(to)[i] = static_cast<u8>(clamped(v, 0, 255));
      break;
    case kU16:
      static_cast<u16*>(to)[i] = static_cast<u16>(clamped(v, 0, 65535));
      break;
    case kU32:
      static_cast<u32*>(to)[i] = static_cast<u32>(clamped(v, 0, 4294967295.0));
      break;
    default:
      static_cast<u64*>(to)[i] = to_u64(v);
      break;
  }
}

TUNER_DEVICE double load_element(const void* from, u64 i, u32 type) {
  switch (type) {
    case kF32:
      return static_cast<const float*>(from)[i];
    case kF64:
      return static_cast<const double*>(from)[i];
    case kF16:
      return widen_half(static_cast<const u16*>(from)[i]);
    case kBf16:
      return widen_bfloat(static_cast<const u16*>(from)[i]);
    case kE4m3:
      return widen_fp8(static_cast<const u8*>(from)[i], 3, 7);
    case kE5m2:
      return widen_fp8(static_cast<const u8*>(from)[i], 2, 15);
    case kI8:
      return static_cast<const i8*>(from)[i];
    case kI16:
      return static_cast<const i16*>(from)[i];
    case kI32:
      return static_cast<const i32*>(from)[i];
    case kI64:
      return static_cast<double>(static_cast<const i64*>(from)[i]);
    case kU8:
      return static_cast<const u8*>(from)[i];
    case kU16:
      return static_cast<const u16*>(from)[i];
    case kU32:
      return static_cast<const u32*>(from)[i];
    default:
      return static_cast<double>(static_cast<const u64*>(from)[i]);
  }
}
// clang-format on

struct ElementCheck {
  bool passes;
  double error;  // |actual - expected|; +infinity for NaN and for unequal infinities
};

TUNER_DEVICE ElementCheck check_values(double actual, double expected, double difference,
                                       double rtol, double atol) {
  const double infinity = bits_as<double>(0x7FF0000000000000ULL);
  if (actual == expected && difference != difference) return {true, 0.0};  // equal infinities
  // An infinity on one side must not meet an infinite tolerance.
  if (!(fabs(difference) < infinity)) return {false, infinity};
  return {fabs(difference) <= atol + rtol * fabs(expected), fabs(difference)};
}

TUNER_DEVICE ElementCheck check_element(const void* actual, const void* expected, u64 i, u32 type,
                                        double rtol, double atol) {
  const double a = load_element(actual, i, type);
  const double e = load_element(expected, i, type);
  if (type != kI64 && type != kU64) return check_values(a, e, a - e, rtol, atol);
  // In double, neighbours beyond 2^53 would look equal.
  const u64 x = static_cast<const u64*>(actual)[i];
  const u64 y = static_cast<const u64*>(expected)[i];
  const bool less = type == kI64 ? static_cast<i64>(x) < static_cast<i64>(y) : x < y;
  return check_values(a, e, static_cast<double>(less ? y - x : x - y), rtol, atol);
}

#ifndef __CUDACC_RTC__
}  // namespace tuner::cuda
#endif
