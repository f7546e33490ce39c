#pragma once
// Mathematics. The C functions are declared as the C library declares them, so that a source may
// include <cmath> too; C++ overloads are templates, which give way to those of the C++ library.
#include "language.h"

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

template <class F, class Wanted>
struct tuner_cpu_only {};
template <class F>
struct tuner_cpu_only<F, F> {
  typedef F type;
};

#define TUNER_CPU_MATH1(name)                                \
  extern "C" double name(double) noexcept;                   \
  extern "C" float name##f(float) noexcept;                  \
  template <class F>                                         \
  inline typename tuner_cpu_only<F, float>::type name(F x) { \
    return name##f(x);                                       \
  }
#define TUNER_CPU_MATH2(name)                                     \
  extern "C" double name(double, double) noexcept;                \
  extern "C" float name##f(float, float) noexcept;                \
  template <class F>                                              \
  inline typename tuner_cpu_only<F, float>::type name(F x, F y) { \
    return name##f(x, y);                                         \
  }

TUNER_CPU_MATH1(sin)
TUNER_CPU_MATH1(cos)
TUNER_CPU_MATH1(tan)
TUNER_CPU_MATH1(asin)
TUNER_CPU_MATH1(acos)
TUNER_CPU_MATH1(atan)
TUNER_CPU_MATH1(sinh)
TUNER_CPU_MATH1(cosh)
TUNER_CPU_MATH1(tanh)
TUNER_CPU_MATH1(asinh)
TUNER_CPU_MATH1(acosh)
TUNER_CPU_MATH1(atanh)
TUNER_CPU_MATH1(exp)
TUNER_CPU_MATH1(exp2)
TUNER_CPU_MATH1(expm1)
TUNER_CPU_MATH1(log)
TUNER_CPU_MATH1(log2)
TUNER_CPU_MATH1(log10)
TUNER_CPU_MATH1(log1p)
TUNER_CPU_MATH1(sqrt)
TUNER_CPU_MATH1(cbrt)
TUNER_CPU_MATH1(floor)
TUNER_CPU_MATH1(ceil)
TUNER_CPU_MATH1(trunc)
TUNER_CPU_MATH1(round)
TUNER_CPU_MATH1(rint)
TUNER_CPU_MATH1(nearbyint)
TUNER_CPU_MATH1(fabs)
TUNER_CPU_MATH1(erf)
TUNER_CPU_MATH1(erfc)
TUNER_CPU_MATH1(tgamma)
#define TUNER_CPU_ASKS(name)         \
  template <class F>                 \
  inline bool name(F x) {            \
    return __builtin_##name(x) != 0; \
  }
TUNER_CPU_ASKS(isnan)
TUNER_CPU_ASKS(isinf)
TUNER_CPU_ASKS(isfinite)
TUNER_CPU_ASKS(signbit)
#undef TUNER_CPU_ASKS
TUNER_CPU_MATH1(lgamma)
TUNER_CPU_MATH2(pow)
TUNER_CPU_MATH2(fmod)
TUNER_CPU_MATH2(fmin)
TUNER_CPU_MATH2(fmax)
TUNER_CPU_MATH2(fdim)
TUNER_CPU_MATH2(atan2)
TUNER_CPU_MATH2(hypot)
TUNER_CPU_MATH2(copysign)
TUNER_CPU_MATH2(remainder)
#undef TUNER_CPU_MATH1
#undef TUNER_CPU_MATH2
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" void sincos(double, double*, double*) noexcept;
extern "C" void sincosf(float, float*, float*) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
template <class F>
inline typename tuner_cpu_only<F, float>::type fma(F x, F y, F z) {
  return fmaf(x, y, z);
}
template <class F>
inline typename tuner_cpu_only<F, float>::type abs(F x) {
  return fabsf(x);
}
template <class F>
inline typename tuner_cpu_only<F, double>::type abs(F x) {
  return fabs(x);
}
template <class F>
inline typename tuner_cpu_only<F, long>::type abs(F x) {
  return labs(x);
}
template <class F>
inline typename tuner_cpu_only<F, long long>::type abs(F x) {
  return llabs(x);
}

#define TUNER_CPU_EXTREMES(R, A, B)                                      \
  inline constexpr R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; } \
  inline constexpr R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
TUNER_CPU_EXTREMES(int, int, int)
TUNER_CPU_EXTREMES(unsigned, unsigned, unsigned)
TUNER_CPU_EXTREMES(unsigned, int, unsigned)
TUNER_CPU_EXTREMES(unsigned, unsigned, int)
TUNER_CPU_EXTREMES(long, long, long)
TUNER_CPU_EXTREMES(unsigned long, unsigned long, unsigned long)
TUNER_CPU_EXTREMES(unsigned long, long, unsigned long)
TUNER_CPU_EXTREMES(unsigned long, unsigned long, long)
TUNER_CPU_EXTREMES(long long, long long, long long)
TUNER_CPU_EXTREMES(unsigned long long, unsigned long long, unsigned long long)
TUNER_CPU_EXTREMES(unsigned long long, long long, unsigned long long)
TUNER_CPU_EXTREMES(unsigned long long, unsigned long long, long long)
#undef TUNER_CPU_EXTREMES
// Of a number and a NaN, the number.
inline float min(float a, float b) { return __builtin_fminf(a, b); }
inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }
inline double min(float a, double b) { return __builtin_fmin(a, b); }
inline double max(float a, double b) { return __builtin_fmax(a, b); }
inline double min(double a, float b) { return __builtin_fmin(a, b); }
inline double max(double a, float b) { return __builtin_fmax(a, b); }

inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
template <class F>
inline typename tuner_cpu_only<F, float>::type rsqrt(F x) {
  return rsqrtf(x);
}
extern "C" double exp10(double) noexcept;
extern "C" float exp10f(float) noexcept;
// glibc's <math.h> declares these names for its own use, in C.
extern "C" {
inline float __expf(float x) noexcept { return __builtin_expf(x); }
inline float __exp10f(float x) noexcept { return exp10f(x); }
inline float __logf(float x) noexcept { return __builtin_logf(x); }
inline float __log2f(float x) noexcept { return __builtin_log2f(x); }
inline float __log10f(float x) noexcept { return __builtin_log10f(x); }
inline float __sinf(float x) noexcept { return __builtin_sinf(x); }
inline float __cosf(float x) noexcept { return __builtin_cosf(x); }
inline float __tanf(float x) noexcept { return __builtin_tanf(x); }
inline float __powf(float x, float y) noexcept { return __builtin_powf(x, y); }
}
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }

// Conversions to integers saturate; a NaN becomes 0.
template <class I>
inline I tuner_cpu_integer(double x) {
  const I low = (I)-1 < 0 ? (I)((I)1 << (sizeof(I) * 8 - 1)) : 0, high = ~low;
  if (x != x) return 0;
  return x <= (double)low ? low : x >= (double)high ? high : (I)x;
}
#define TUNER_CPU_CONVERT(from, From, to, To)                                                  \
  inline To __##from##2##to##_rn(From x) { return tuner_cpu_integer<To>(__builtin_rint(x)); }  \
  inline To __##from##2##to##_rz(From x) { return tuner_cpu_integer<To>(__builtin_trunc(x)); } \
  inline To __##from##2##to##_ru(From x) { return tuner_cpu_integer<To>(__builtin_ceil(x)); }  \
  inline To __##from##2##to##_rd(From x) { return tuner_cpu_integer<To>(__builtin_floor(x)); } \
  inline From __##to##2##from##_rn(To x) { return (From)x; }
TUNER_CPU_CONVERT(float, float, int, int)
TUNER_CPU_CONVERT(float, float, uint, unsigned)
TUNER_CPU_CONVERT(float, float, ll, long long)
TUNER_CPU_CONVERT(float, float, ull, unsigned long long)
TUNER_CPU_CONVERT(double, double, int, int)
TUNER_CPU_CONVERT(double, double, uint, unsigned)
TUNER_CPU_CONVERT(double, double, ll, long long)
TUNER_CPU_CONVERT(double, double, ull, unsigned long long)
#undef TUNER_CPU_CONVERT
inline float __double2float_rn(double x) { return (float)x; }

#define TUNER_CPU_CAST(name, From, To)        \
  inline To name(From from) {                 \
    To to;                                    \
    __builtin_memcpy(&to, &from, sizeof(to)); \
    return to;                                \
  }
TUNER_CPU_CAST(__float_as_int, float, int)
TUNER_CPU_CAST(__float_as_uint, float, unsigned)
TUNER_CPU_CAST(__int_as_float, int, float)
TUNER_CPU_CAST(__uint_as_float, unsigned, float)
TUNER_CPU_CAST(__double_as_longlong, double, long long)
TUNER_CPU_CAST(__longlong_as_double, long long, double)
#undef TUNER_CPU_CAST

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
