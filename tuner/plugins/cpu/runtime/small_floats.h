#pragma once
// Floating-point numbers of 8 and 16 bits as bit patterns: conversions in every rounding mode.
#include "mathematics.h"

enum tuner_cpu_rounding { TUNER_CPU_NEAREST, TUNER_CPU_ZERO, TUNER_CPU_UPWARD, TUNER_CPU_DOWNWARD };

// A format of kExponent bits for the exponent and kStored for what is behind the point, a sign in
// front. Finite numbers end at kLargest; what is above it in the nearest mode becomes kInfinity.
template <int kExponent, int kStored, unsigned kLargest, unsigned kInfinity, unsigned kNan>
struct tuner_cpu_format {
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr unsigned kSign = 1u << (kExponent + kStored);

  // Rounds the double's significand, an integer of 53 bits, to a multiple of the format's unit.
  static unsigned from_double(double value, tuner_cpu_rounding mode = TUNER_CPU_NEAREST,
                              bool saturate = false) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const unsigned sign = bits >> 63 ? kSign : 0;
    const int field = (int)(bits >> 52 & 0x7ff);
    if (value != value) return kNan;
    const unsigned above = saturate ? kLargest : kInfinity;
    if (field == 0x7ff) return sign | above;
    if (field == 0) return sign | (away(mode, sign) && bits << 1 != 0 ? 1u : 0u);
    const int least = 1 - kBias;
    const int exponent = field - 1023 > least ? field - 1023 : least;
    if (exponent > kBias + 1) return sign | (outwards(mode, sign) ? above : kLargest);
    const unsigned long long significand = (bits & 0xfffffffffffffull) | 1ull << 52;
    const int shift = 52 - kStored + exponent - (field - 1023);
    unsigned whole = 0;
    bool rest = true, more_than_half = false, half = false;
    if (shift < 64) {
      const unsigned long long unit = 1ull << shift, lost = significand & (unit - 1);
      whole = (unsigned)(significand >> shift);
      rest = lost != 0;
      more_than_half = lost > unit / 2;
      half = lost == unit / 2;
    }
    const bool up = mode == TUNER_CPU_NEAREST ? more_than_half || (half && (whole & 1) != 0)
                                              : rest && away(mode, sign);
    // The leading bit of a normal number adds 1 to the exponent's field; so does rounding up to it.
    const unsigned out = ((unsigned)(exponent - least) << kStored) + whole + (up ? 1u : 0u);
    if (out > kLargest) return sign | (outwards(mode, sign) ? above : kLargest);
    return sign | out;
  }

  static double to_double(unsigned bits) {
    const int field = (int)(bits >> kStored & ((1u << kExponent) - 1));
    const int stored = (int)(bits & ((1u << kStored) - 1));
    double magnitude;
    if ((bits & (kSign - 1)) > kLargest) {
      const bool infinite = (bits & (kSign - 1)) == kInfinity && kInfinity != kNan;
      magnitude = infinite ? __builtin_inf() : __builtin_nan("");
    } else if (field == 0) {
      magnitude = stored * power(1 - kBias - kStored);
    } else {
      magnitude = (stored + (1 << kStored)) * power(field - kBias - kStored);
    }
    return bits & kSign ? -magnitude : magnitude;
  }

  // What a double does not hold exactly keeps a bit that says so, and is rounded once.
  template <class I>
  static unsigned from_integer(I value, tuner_cpu_rounding mode = TUNER_CPU_NEAREST) {
    const bool negative = value < 0;
    unsigned long long magnitude =
        negative ? 0 - (unsigned long long)value : (unsigned long long)value;
    double scale = negative ? -1.0 : 1.0;
    if (magnitude >> 53 != 0) {
      magnitude = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1u : 0u);
      scale *= 2048;
    }
    return from_double(scale * (double)magnitude, mode);
  }

 private:
  static bool away(tuner_cpu_rounding mode, unsigned sign) {
    return mode == (sign != 0 ? TUNER_CPU_DOWNWARD : TUNER_CPU_UPWARD);
  }
  static bool outwards(tuner_cpu_rounding mode, unsigned sign) {
    return mode == TUNER_CPU_NEAREST || away(mode, sign);
  }
  static double power(int exponent) {
    const unsigned long long bits = (unsigned long long)(exponent + 1023) << 52;
    double out;
    __builtin_memcpy(&out, &bits, sizeof out);
    return out;
  }
};

typedef tuner_cpu_format<5, 10, 0x7bff, 0x7c00, 0x7fff> tuner_cpu_binary16;
typedef tuner_cpu_format<8, 7, 0x7f7f, 0x7f80, 0x7fff> tuner_cpu_bfloat16;
typedef tuner_cpu_format<4, 3, 0x7e, 0x7f, 0x7f> tuner_cpu_e4m3;  // without infinities
typedef tuner_cpu_format<5, 2, 0x7b, 0x7c, 0x7f> tuner_cpu_e5m2;

struct tuner_cpu_half_bits : tuner_cpu_binary16 {
#ifdef __F16C__
  typedef float floats __attribute__((vector_size(16)));
  typedef short shorts __attribute__((vector_size(16)));
  static unsigned short from_float(float value) {
    if (value != value) return 0x7fff;
    const floats one = {value, 0, 0, 0};
    return (unsigned short)__builtin_ia32_vcvtps2ph(one, 0)[0];
  }
  static float to_float(unsigned short bits) {
    const shorts one = {(short)bits, 0, 0, 0, 0, 0, 0, 0};
    return __builtin_ia32_vcvtph2ps(one)[0];
  }
#else
  static unsigned short from_float(float value) { return (unsigned short)from_double(value); }
  static float to_float(unsigned short bits) { return (float)to_double(bits); }
#endif
  // A product of two halves is exact in double, and a sum that is not is far from halfway.
  static unsigned short from_fma(float x, float y, float z) {
    return (unsigned short)from_double((double)x * y + z);
  }
};

struct tuner_cpu_bfloat16_bits : tuner_cpu_bfloat16 {
  static unsigned short from_float(float value) {
    if (value != value) return 0x7fff;
    const unsigned bits = __float_as_uint(value);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  static float to_float(unsigned short bits) { return __uint_as_float((unsigned)bits << 16); }
  // A summand far below the product is only the direction in which a tie is broken; one of 2^-30
  // of it says the same, and the sum is exact.
  static unsigned short from_fma(float x, float y, float z) {
    const double product = (double)x * y, little = __builtin_fabs(product) * 0x1p-30;
    const double summand = z != 0 && __builtin_fabs((double)z) < little && little < __builtin_inf()
                               ? __builtin_copysign(little, (double)z)
                               : (double)z;
    return (unsigned short)from_double(product + summand);
  }
};
