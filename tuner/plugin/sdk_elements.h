// What a backend's fill and compare do with one element: the formulas of abi.h, in what OpenCL C,
// CUDA C++ and C++ have in common. A device's compiler gets this text in front of its kernels; the
// host's, for single elements and for devices without double precision.
#if defined(__OPENCL_VERSION__)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define TUNER_MEMORY __global
#define TUNER_INLINE
#elif defined(__CUDACC_RTC__)
#define TUNER_MEMORY
#define TUNER_INLINE __device__
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;
TUNER_INLINE double as_double(ulong bits) { return __longlong_as_double((long long)bits); }
TUNER_INLINE ulong as_ulong(double value) { return (ulong)__double_as_longlong(value); }
TUNER_INLINE float as_float(uint bits) { return __uint_as_float(bits); }
#else
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#define TUNER_MEMORY
#define TUNER_INLINE inline
namespace tuner::sdk::elements {
using uchar = std::uint8_t;
using ushort = std::uint16_t;
using uint = std::uint32_t;
using ulong = std::uint64_t;
using std::fabs;
using std::floor;
using std::rint;
inline double as_double(ulong bits) { return std::bit_cast<double>(bits); }
inline ulong as_ulong(double value) { return std::bit_cast<ulong>(value); }
inline float as_float(uint bits) { return std::bit_cast<float>(bits); }
#endif

// The numbers of tuner_type and tuner_fill_kind. There is no default where a type has code of its
// own, so that the host's compiler misses a type that is forgotten.
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
enum { kElementTypes = kE5m2 + 1 };
enum ElementFill { kBytes, kConstant, kUniform, kNormal, kIntegers, kSequence, kMask, kZipf };

TUNER_INLINE ulong splitmix(ulong x) {
  x += 0x9E3779B97F4A7C15UL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9UL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBUL;
  return x ^ (x >> 31);
}

// 53 of the bits as a number in [0, 1).
TUNER_INLINE double unit_of(ulong r) { return (double)(r >> 11) * (1.0 / 9007199254740992.0); }

// 2^x for x <= 0, by the series of exp; additions and products alone, which are the same
// everywhere.
TUNER_INLINE double power_of_two(double x) {
  if (x < -1022.0) return 0.0;
  const double whole = floor(x);
  const double y = (x - whole) * 0.6931471805599453;
  double sum = 1.0;
  for (int n = 18; n > 0; --n) sum = 1.0 + sum * y / n;
  return sum * as_double((ulong)(1023 + (int)whole) << 52);
}

// The logarithm to base 2 of m in [1, 2), by the series of artanh.
TUNER_INLINE double log_of(double m) {
  const double s = (m - 1.0) / (m + 1.0);
  double sum = 0.0;
  for (int n = 35; n > 0; n -= 2) sum = sum * s * s + 1.0 / n;
  return sum * s * 2.0 * 1.4426950408889634;
}

// One of 1, ..., `of` with a probability in proportion to its power -alpha: which octave 2^j, 2^j +
// 1,
// ... it lies in is drawn as if all there were as likely as the first; then a number of that
// octave, which is taken as often as it is less likely (von Neumann's rejection).
TUNER_INLINE double element_zipf(double alpha, double of, ulong r) {
  const double halving = power_of_two(-alpha);
  double all = 0.0, weight = 1.0;
  for (double first = 1.0; first <= of; first *= 2.0, weight *= halving) {
    const double rest = of - first + 1.0;
    all += weight * (first < rest ? first : rest);
  }
  for (;;) {
    double left = unit_of(r) * all, first = 1.0, count = 1.0;
    weight = 1.0;
    while (left >= weight * count && first * 2.0 <= of) {
      left -= weight * count;
      first *= 2.0;
      weight *= halving;
      count = of - first + 1.0 < first ? of - first + 1.0 : first;
    }
    r = splitmix(r);
    const double step = floor(unit_of(r) * count);
    r = splitmix(r);
    if (unit_of(r) < power_of_two(-alpha * log_of(1.0 + step / first))) return first + step;
    r = splitmix(r);
  }
}

TUNER_INLINE double element_value(uint kind, double a, double b, ulong seed, ulong i) {
  const ulong r = splitmix(seed + i);
  const double u = unit_of(r);
  double z = 0;
  switch (kind) {
    case kUniform:
      return a + (b - a) * u;
    case kNormal:
      for (int field = 0; field < 4; ++field) {
        z += (double)((r >> (16 * field)) & 0xFFFF) / 65535.0;
      }
      return a + b * ((z - 2.0) * 1.7320508075688772);
    case kIntegers:
      return a + floor((b - a + 1.0) * u);
    case kSequence:
      return a + b * (double)i;
    case kZipf:
      return element_zipf(a, b, r) - 1.0;
    default:
      return a;
  }
}

// What kMask changes in a word.
TUNER_INLINE ulong element_mask(double a, ulong seed, ulong i) {
  return splitmix(splitmix(seed + i) ^ (ulong)a);
}

// A float of at most 16 bits with `mantissa` stored bits, its sign in front of 15: rounded once
// from double to nearest, ties to even.
TUNER_INLINE ushort narrow_float(double value, int mantissa, int bias) {
  const ulong bits = as_ulong(value);
  const ushort sign = (ushort)((bits >> 48) & 0x8000);
  const int top = 15 - mantissa;  // exponent bits
  const uint infinity = ((1U << top) - 1U) << mantissa;
  const int exponent = (int)((bits >> 52) & 0x7FF);
  const ulong fraction = bits & 0xFFFFFFFFFFFFFUL;
  if (exponent == 0x7FF) {
    return (ushort)(sign | infinity | (fraction != 0 ? 1U << (mantissa - 1) : 0U));
  }
  const int target = exponent - 1023 + bias;
  // Bits to drop of the 53 that are significant; denormal results drop more.
  const int drop = 52 - mantissa + (target <= 0 ? 1 - target : 0);
  if (exponent == 0 || drop > 54) return sign;
  const ulong significand = fraction | (1UL << 52);
  const ulong rest = significand & ((1UL << drop) - 1);
  const ulong half_unit = 1UL << (drop - 1);
  ulong kept = significand >> drop;
  if (rest > half_unit || (rest == half_unit && (kept & 1) != 0)) ++kept;
  // A carry moves into the exponent by itself.
  if (target > 0) kept += (ulong)(target - 1) << mantissa;
  return (ushort)(sign | (kept >= infinity ? infinity : (uint)kept));
}

TUNER_INLINE double widen_half(ushort bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * fraction * (1.0 / 16777216.0);  // 2^-24
  const ulong wide = exponent == 31 ? 0x7FFUL : (ulong)(exponent - 15 + 1023);
  return sign * as_double((wide << 52) | ((ulong)fraction << 42));
}

TUNER_INLINE double widen_bfloat(ushort bits) { return as_float((uint)bits << 16); }

// An 8-bit float of OCP: what is beyond `largest` becomes that, and there is one NaN.
TUNER_INLINE uchar narrow_fp8(double value, int mantissa, int bias, double largest) {
  if (value != value) return 0x7F;
  const double least = value < -largest ? -largest : value;
  const ushort wide = narrow_float(least > largest ? largest : least, mantissa, bias);
  return (uchar)((wide & 0x8000) != 0 ? 0x80 | (wide & 0x7F) : wide & 0x7F);
}

TUNER_INLINE double widen_fp8(uchar bits, int mantissa, int bias) {
  const int exponent = (bits & 0x7F) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  const int is_last = exponent == (1 << (7 - mantissa)) - 1;
  if (is_last && (mantissa == 2 || fraction == 7)) {
    return mantissa == 2 && fraction == 0 ? sign * as_double(0x7FFUL << 52)
                                          : as_double(0x7FF8UL << 48);
  }
  const int power = (exponent > 0 ? exponent : 1) - bias - mantissa + 1023;  // above 0
  return sign * (fraction + (exponent > 0 ? 1 << mantissa : 0)) * as_double((ulong)power << 52);
}

TUNER_INLINE double clamped(double value, double low, double high) {
  const double whole = rint(value);
  if (!(whole >= low)) return low;  // NaN too
  return whole <= high ? whole : high;
}

TUNER_INLINE ulong to_i64(double value) {  // its bits
  const double whole = rint(value);
  if (whole >= 9223372036854775808.0) return 0x7FFFFFFFFFFFFFFFUL;
  if (!(whole >= -9223372036854775808.0)) return 1UL << 63;
  return (ulong)(long)whole;
}

TUNER_INLINE ulong to_u64(double value) {
  const double whole = rint(value);
  if (whole >= 18446744073709551616.0) return ~0UL;
  return whole >= 0.0 ? (ulong)whole : 0UL;
}

TUNER_INLINE void store_element(TUNER_MEMORY void* to, ulong i, uint type, double v) {
  switch ((enum ElementType)type) {
    case kF32:
      ((TUNER_MEMORY float*)to)[i] = (float)v;
      break;
    case kF64:
      ((TUNER_MEMORY double*)to)[i] = v;
      break;
    case kF16:
      ((TUNER_MEMORY ushort*)to)[i] = narrow_float(v, 10, 15);
      break;
    case kBf16:
      ((TUNER_MEMORY ushort*)to)[i] = narrow_float(v, 7, 127);
      break;
    case kE4m3:
      ((TUNER_MEMORY uchar*)to)[i] = narrow_fp8(v, 3, 7, 448.0);
      break;
    case kE5m2:
      ((TUNER_MEMORY uchar*)to)[i] = narrow_fp8(v, 2, 15, 57344.0);
      break;
    case kI8:
      ((TUNER_MEMORY uchar*)to)[i] = (uchar)(int)clamped(v, -128, 127);
      break;
    case kI16:
      ((TUNER_MEMORY ushort*)to)[i] = (ushort)(int)clamped(v, -32768, 32767);
      break;
    case kI32:
      ((TUNER_MEMORY int*)to)[i] = (int)clamped(v, -2147483648.0, 2147483647.0);
      break;
    case kI64:
      ((TUNER_MEMORY ulong*)to)[i] = to_i64(v);
      break;
    case kU8:
      ((TUNER_MEMORY uchar*)to)[i] = (uchar)clamped(v, 0, 255);
      break;
    case kU16:
      ((TUNER_MEMORY ushort*)to)[i] = (ushort)clamped(v, 0, 65535);
      break;
    case kU32:
      ((TUNER_MEMORY uint*)to)[i] = (uint)clamped(v, 0, 4294967295.0);
      break;
    case kU64:
      ((TUNER_MEMORY ulong*)to)[i] = to_u64(v);
      break;
  }
}

TUNER_INLINE double load_element(const TUNER_MEMORY void* from, ulong i, uint type) {
  switch ((enum ElementType)type) {
    case kF32:
      return ((const TUNER_MEMORY float*)from)[i];
    case kF64:
      return ((const TUNER_MEMORY double*)from)[i];
    case kF16:
      return widen_half(((const TUNER_MEMORY ushort*)from)[i]);
    case kBf16:
      return widen_bfloat(((const TUNER_MEMORY ushort*)from)[i]);
    case kE4m3:
      return widen_fp8(((const TUNER_MEMORY uchar*)from)[i], 3, 7);
    case kE5m2:
      return widen_fp8(((const TUNER_MEMORY uchar*)from)[i], 2, 15);
    case kI8:
      return ((const TUNER_MEMORY signed char*)from)[i];
    case kI16:
      return ((const TUNER_MEMORY short*)from)[i];
    case kI32:
      return ((const TUNER_MEMORY int*)from)[i];
    case kI64:
      return (double)((const TUNER_MEMORY long*)from)[i];
    case kU8:
      return ((const TUNER_MEMORY uchar*)from)[i];
    case kU16:
      return ((const TUNER_MEMORY ushort*)from)[i];
    case kU32:
      return ((const TUNER_MEMORY uint*)from)[i];
    case kU64:
      return (double)((const TUNER_MEMORY ulong*)from)[i];
  }
  return 0.0;  // no type has this number
}

typedef struct {
  int passes;
  double error;  // |actual - expected|; +infinity for NaN and for unequal infinities
} ElementCheck;

TUNER_INLINE ElementCheck check_values(double actual, double expected, double difference,
                                       double rtol, double atol) {
  const double infinity = as_double(0x7FF0000000000000UL);
  ElementCheck out;
  out.passes = actual == expected && difference != difference;  // equal infinities
  out.error = 0.0;
  if (out.passes) return out;
  out.error = infinity;
  // An infinity on one side must not meet an infinite tolerance.
  if (!(fabs(difference) < infinity)) return out;
  out.error = fabs(difference);
  out.passes = out.error <= atol + rtol * fabs(expected);
  return out;
}

TUNER_INLINE ElementCheck check_element(const TUNER_MEMORY void* actual,
                                        const TUNER_MEMORY void* expected, ulong i, uint type,
                                        double rtol, double atol) {
  const double a = load_element(actual, i, type);
  const double e = load_element(expected, i, type);
  if (type != kI64 && type != kU64) return check_values(a, e, a - e, rtol, atol);
  // In double, neighbours beyond 2^53 would look equal. Signed numbers are ordered as unsigned ones
  // when their sign bit is turned.
  const ulong turn = type == kI64 ? 1UL << 63 : 0UL;
  const ulong x = ((const TUNER_MEMORY ulong*)actual)[i] ^ turn;
  const ulong y = ((const TUNER_MEMORY ulong*)expected)[i] ^ turn;
  return check_values(a, e, (double)(x < y ? y - x : x - y), rtol, atol);
}

// What one of several work-items has seen.
typedef struct {
  ulong mismatches;
  ulong first_mismatch;
  double max_error;
} ComparedPart;

TUNER_INLINE ComparedPart compare_part(const TUNER_MEMORY void* actual,
                                       const TUNER_MEMORY void* expected, ulong elements, uint type,
                                       double rtol, double atol, ulong begin, ulong stride) {
  ComparedPart out;
  out.mismatches = 0;
  out.first_mismatch = ~0UL;
  out.max_error = 0.0;
  for (ulong i = begin; i < elements; i += stride) {
    const ElementCheck found = check_element(actual, expected, i, type, rtol, atol);
    if (!found.passes && out.mismatches++ == 0) out.first_mismatch = i;
    if (found.error > out.max_error) out.max_error = found.error;
  }
  return out;
}

#if !defined(__OPENCL_VERSION__) && !defined(__CUDACC_RTC__)
}  // namespace tuner::sdk::elements
#undef TUNER_MEMORY
#undef TUNER_INLINE
#endif
