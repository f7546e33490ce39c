#pragma once
// <cuda_fp8.h>: numbers of 8 bits are kept and converted; arithmetic is that of float.
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturation,
                                                 __nv_fp8_interpretation_t format) {
  const bool saturate = saturation == __NV_SATFINITE;
  return (
      __nv_fp8_storage_t)(format == __NV_E4M3
                              ? tuner_cpu_e4m3::from_double(value, TUNER_CPU_NEAREST, saturate)
                              : tuner_cpu_e5m2::from_double(value, TUNER_CPU_NEAREST, saturate));
}
inline float tuner_cpu_float_of(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t format) {
  return (float)(format == __NV_E4M3 ? tuner_cpu_e4m3::to_double(bits)
                                     : tuner_cpu_e5m2::to_double(bits));
}
// `number` makes a float of a part of From2, and of the whole of From, whose only part is `one`.
#define TUNER_CPU_TO_FP8(name, From, From2, number, one)                                       \
  inline __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(From value, __nv_saturation_t saturation, \
                                                     __nv_fp8_interpretation_t format) {       \
    return __nv_cvt_double_to_fp8(number(value one), saturation, format);                      \
  }                                                                                            \
  inline __nv_fp8x2_storage_t __nv_cvt_##name##2_to_fp8x2(                                     \
      From2 value, __nv_saturation_t saturation, __nv_fp8_interpretation_t format) {           \
    const unsigned low = __nv_cvt_double_to_fp8(number(value.x), saturation, format);          \
    const unsigned high = __nv_cvt_double_to_fp8(number(value.y), saturation, format);         \
    return (__nv_fp8x2_storage_t)(low | high << 8);                                            \
  }
TUNER_CPU_TO_FP8(float, float, float2, float, )
TUNER_CPU_TO_FP8(halfraw, __half_raw, __half2_raw, tuner_cpu_half_bits::to_float, .x)
TUNER_CPU_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat162_raw,
                 tuner_cpu_bfloat16_bits::to_float, .x)
#undef TUNER_CPU_TO_FP8
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits,
                                          __nv_fp8_interpretation_t format) {
  return __half(tuner_cpu_float_of(bits, format));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits,
                                              __nv_fp8_interpretation_t format) {
  return __half2(__half(tuner_cpu_float_of(bits & 255, format)),
                 __half(tuner_cpu_float_of(bits >> 8, format)));
}

#define TUNER_CPU_FP8(suffix, format)                                                              \
  struct __nv_fp8_##suffix {                                                                       \
    __nv_fp8_storage_t __x;                                                                        \
    __nv_fp8_##suffix() = default;                                                                 \
    explicit __nv_fp8_##suffix(double value)                                                       \
        : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, format)) {}                            \
    explicit __nv_fp8_##suffix(float value) : __nv_fp8_##suffix((double)value) {}                  \
    explicit __nv_fp8_##suffix(__half value) : __nv_fp8_##suffix((double)value.number()) {}        \
    explicit __nv_fp8_##suffix(__nv_bfloat16 value) : __nv_fp8_##suffix((double)value.number()) {} \
    explicit __nv_fp8_##suffix(int value) : __nv_fp8_##suffix((double)value) {}                    \
    explicit __nv_fp8_##suffix(unsigned value) : __nv_fp8_##suffix((double)value) {}               \
    explicit operator float() const { return tuner_cpu_float_of(__x, format); }                    \
    explicit operator double() const { return (double)(float)*this; }                              \
    explicit operator __half() const { return __half((float)*this); }                              \
    explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }                \
    explicit operator bool() const { return (__x & 127) != 0; }                                    \
    explicit operator int() const { return (int)(float)*this; }                                    \
  };                                                                                               \
  struct __align__(2) __nv_fp8x2_##suffix {                                                        \
    __nv_fp8x2_storage_t __x;                                                                      \
    __nv_fp8x2_##suffix() = default;                                                               \
    explicit __nv_fp8x2_##suffix(float2 v)                                                         \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, format)) {}                              \
    explicit __nv_fp8x2_##suffix(__half2 v)                                                        \
        : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, format)) {}                            \
    explicit operator float2() const {                                                             \
      return {tuner_cpu_float_of(__x & 255, format), tuner_cpu_float_of(__x >> 8, format)};        \
    }                                                                                              \
    explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, format); }          \
  };                                                                                               \
  struct __align__(4) __nv_fp8x4_##suffix {                                                        \
    __nv_fp8x4_storage_t __x;                                                                      \
    __nv_fp8x4_##suffix() = default;                                                               \
    explicit __nv_fp8x4_##suffix(float4 v)                                                         \
        : __x((unsigned)__nv_fp8x2_##suffix(float2{v.x, v.y}).__x |                                \
              (unsigned)__nv_fp8x2_##suffix(float2{v.z, v.w}).__x << 16) {}                        \
    explicit operator float4() const {                                                             \
      return {tuner_cpu_float_of(__x & 255, format), tuner_cpu_float_of(__x >> 8 & 255, format),   \
              tuner_cpu_float_of(__x >> 16 & 255, format), tuner_cpu_float_of(__x >> 24, format)}; \
    }                                                                                              \
  };
TUNER_CPU_FP8(e4m3, __NV_E4M3)
TUNER_CPU_FP8(e5m2, __NV_E5M2)
#undef TUNER_CPU_FP8
