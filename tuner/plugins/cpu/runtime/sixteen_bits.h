// Everything of <cuda_fp16.h> that <cuda_bf16.h> has too, under its own names. Each includes this
// text with TUNER_CPU_T and TUNER_CPU_T2, its types of one and of two numbers, TUNER_CPU_N, its
// part of functions' names, TUNER_CPU_TWICE, one such name, and TUNER_CPU_BITS, its conversions.
// Every operation computes more exactly and rounds once, to the nearest, ties to even.

#define TUNER_CPU_JOIN(before, name, after) before##name##after
#define TUNER_CPU_JOINED(before, name, after) TUNER_CPU_JOIN(before, name, after)
#define TUNER_CPU_NAME(before, after) TUNER_CPU_JOINED(before, TUNER_CPU_N, after)
#define TUNER_CPU_RAW TUNER_CPU_JOINED(, TUNER_CPU_T, _raw)
#define TUNER_CPU_RAW2 TUNER_CPU_JOINED(, TUNER_CPU_T2, _raw)

struct __align__(2) TUNER_CPU_RAW {
  unsigned short x;
};
struct __align__(4) TUNER_CPU_RAW2 {
  unsigned short x, y;
};

struct __align__(2) TUNER_CPU_T {
  unsigned short __x;

  TUNER_CPU_T() = default;
  constexpr TUNER_CPU_T(const TUNER_CPU_RAW& raw) : __x(raw.x) {}
  TUNER_CPU_T(float value) : __x(TUNER_CPU_BITS::from_float(value)) {}
  TUNER_CPU_T(double value) : __x((unsigned short)TUNER_CPU_BITS::from_double(value)) {}
#define TUNER_CPU_INTEGER(I)                                                             \
  TUNER_CPU_T(I value) : __x((unsigned short)TUNER_CPU_BITS::from_integer<I>(value)) {}  \
  operator I() const { return tuner_cpu_integer<I>(__builtin_trunc((double)number())); } \
  TUNER_CPU_T& operator=(I value) { return *this = TUNER_CPU_T(value); }
  TUNER_CPU_INTEGER(short)
  TUNER_CPU_INTEGER(unsigned short)
  TUNER_CPU_INTEGER(int)
  TUNER_CPU_INTEGER(unsigned)
  TUNER_CPU_INTEGER(long)
  TUNER_CPU_INTEGER(unsigned long)
  TUNER_CPU_INTEGER(long long)
  TUNER_CPU_INTEGER(unsigned long long)
#undef TUNER_CPU_INTEGER
  operator char() const { return tuner_cpu_integer<char>(__builtin_trunc((double)number())); }
  operator signed char() const {
    return tuner_cpu_integer<signed char>(__builtin_trunc((double)number()));
  }
  operator unsigned char() const {
    return tuner_cpu_integer<unsigned char>(__builtin_trunc((double)number()));
  }
  operator float() const { return number(); }
  operator bool() const { return (__x & 0x7fff) != 0; }
  operator TUNER_CPU_RAW() const { return {__x}; }
  TUNER_CPU_T& operator=(const TUNER_CPU_RAW& raw) { return *this = TUNER_CPU_T(raw); }
  TUNER_CPU_T& operator=(float value) { return *this = TUNER_CPU_T(value); }
  TUNER_CPU_T& operator=(double value) { return *this = TUNER_CPU_T(value); }

  float number() const { return TUNER_CPU_BITS::to_float(__x); }
};

struct __align__(4) TUNER_CPU_T2 {
  TUNER_CPU_T x, y;

  TUNER_CPU_T2() = default;
  constexpr TUNER_CPU_T2(const TUNER_CPU_T& a, const TUNER_CPU_T& b) : x(a), y(b) {}
  constexpr TUNER_CPU_T2(const TUNER_CPU_RAW2& raw)
      : x(TUNER_CPU_RAW{raw.x}), y(TUNER_CPU_RAW{raw.y}) {}
  operator TUNER_CPU_RAW2() const { return {x.__x, y.__x}; }
};

// ---- bits and numbers ---------------------------------------------------------------------------

inline TUNER_CPU_T TUNER_CPU_NAME(__ushort_as_, )(unsigned short bits) {
  return TUNER_CPU_T(TUNER_CPU_RAW{bits});
}
inline TUNER_CPU_T TUNER_CPU_NAME(__short_as_, )(short bits) {
  return TUNER_CPU_T(TUNER_CPU_RAW{(unsigned short)bits});
}
inline unsigned short TUNER_CPU_NAME(__, _as_ushort)(TUNER_CPU_T v) { return v.__x; }
inline short TUNER_CPU_NAME(__, _as_short)(TUNER_CPU_T v) { return (short)v.__x; }

inline float TUNER_CPU_NAME(__, 2float)(TUNER_CPU_T v) { return v.number(); }
inline TUNER_CPU_T TUNER_CPU_NAME(__float2, )(float v) { return TUNER_CPU_T(v); }
inline TUNER_CPU_T TUNER_CPU_NAME(__double2, )(double v) { return TUNER_CPU_T(v); }
#define TUNER_CPU_ROUNDED(mode, rounding, change)                                          \
  inline TUNER_CPU_T TUNER_CPU_NAME(__float2, mode)(float v) {                             \
    return TUNER_CPU_NAME(                                                                 \
        __ushort_as_, )((unsigned short)TUNER_CPU_BITS::from_double((double)v, rounding)); \
  }                                                                                        \
  TUNER_CPU_FROM(mode, int, int, rounding)                                                 \
  TUNER_CPU_FROM(mode, uint, unsigned, rounding)                                           \
  TUNER_CPU_FROM(mode, short, short, rounding)                                             \
  TUNER_CPU_FROM(mode, ushort, unsigned short, rounding)                                   \
  TUNER_CPU_FROM(mode, ll, long long, rounding)                                            \
  TUNER_CPU_FROM(mode, ull, unsigned long long, rounding)                                  \
  TUNER_CPU_TO(mode, int, int, change)                                                     \
  TUNER_CPU_TO(mode, uint, unsigned, change)                                               \
  TUNER_CPU_TO(mode, short, short, change)                                                 \
  TUNER_CPU_TO(mode, ushort, unsigned short, change)                                       \
  TUNER_CPU_TO(mode, ll, long long, change)                                                \
  TUNER_CPU_TO(mode, ull, unsigned long long, change)
#define TUNER_CPU_FROM(mode, name, I, rounding)                                        \
  inline TUNER_CPU_T TUNER_CPU_JOINED(__##name##2, TUNER_CPU_N, mode)(I v) {           \
    return TUNER_CPU_NAME(                                                             \
        __ushort_as_, )((unsigned short)TUNER_CPU_BITS::from_integer<I>(v, rounding)); \
  }
#define TUNER_CPU_TO(mode, name, I, change)                                  \
  inline I TUNER_CPU_JOINED(__, TUNER_CPU_N, 2##name##mode)(TUNER_CPU_T v) { \
    return tuner_cpu_integer<I>(change((double)v.number()));                 \
  }
TUNER_CPU_ROUNDED(_rn, TUNER_CPU_NEAREST, __builtin_rint)
TUNER_CPU_ROUNDED(_rz, TUNER_CPU_ZERO, __builtin_trunc)
TUNER_CPU_ROUNDED(_ru, TUNER_CPU_UPWARD, __builtin_ceil)
TUNER_CPU_ROUNDED(_rd, TUNER_CPU_DOWNWARD, __builtin_floor)
#undef TUNER_CPU_ROUNDED
#undef TUNER_CPU_FROM
#undef TUNER_CPU_TO

// ---- two numbers --------------------------------------------------------------------------------

inline TUNER_CPU_T2 TUNER_CPU_NAME(make_, 2)(TUNER_CPU_T x, TUNER_CPU_T y) { return {x, y}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__halves2, 2)(TUNER_CPU_T x, TUNER_CPU_T y) { return {x, y}; }
inline TUNER_CPU_T2 TUNER_CPU_TWICE(TUNER_CPU_T v) { return {v, v}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__float2, 2_rn)(float v) { return {v, v}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__floats2, 2_rn)(float x, float y) { return {x, y}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__float22, 2_rn)(float2 v) { return {v.x, v.y}; }
inline float2 TUNER_CPU_NAME(__, 22float2)(TUNER_CPU_T2 v) { return {v.x.number(), v.y.number()}; }
inline float __low2float(TUNER_CPU_T2 v) { return v.x.number(); }
inline float __high2float(TUNER_CPU_T2 v) { return v.y.number(); }
inline TUNER_CPU_T TUNER_CPU_NAME(__low2, )(TUNER_CPU_T2 v) { return v.x; }
inline TUNER_CPU_T TUNER_CPU_NAME(__high2, )(TUNER_CPU_T2 v) { return v.y; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__low2, 2)(TUNER_CPU_T2 v) { return {v.x, v.x}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__high2, 2)(TUNER_CPU_T2 v) { return {v.y, v.y}; }
inline TUNER_CPU_T2 TUNER_CPU_NAME(__lows2, 2)(TUNER_CPU_T2 a, TUNER_CPU_T2 b) {
  return {a.x, b.x};
}
inline TUNER_CPU_T2 TUNER_CPU_NAME(__highs2, 2)(TUNER_CPU_T2 a, TUNER_CPU_T2 b) {
  return {a.y, b.y};
}
inline TUNER_CPU_T2 __lowhigh2highlow(TUNER_CPU_T2 v) { return {v.y, v.x}; }

// ---- arithmetic ---------------------------------------------------------------------------------

// In double, whose rounding to 16 bits is that of the exact result, subnormal numbers included.
#define TUNER_CPU_BINARY(name, result)                          \
  inline TUNER_CPU_T name(TUNER_CPU_T a, TUNER_CPU_T b) {       \
    const double x = a.number(), y = b.number();                \
    return TUNER_CPU_T((double)(result));                       \
  }                                                             \
  inline TUNER_CPU_T2 name##2(TUNER_CPU_T2 a, TUNER_CPU_T2 b) { \
    return {name(a.x, b.x), name(a.y, b.y)};                    \
  }
TUNER_CPU_BINARY(__hadd, x + y)
TUNER_CPU_BINARY(__hsub, x - y)
TUNER_CPU_BINARY(__hmul, x* y)
TUNER_CPU_BINARY(tuner_cpu_hdiv, x / y)
TUNER_CPU_BINARY(tuner_cpu_hadd_sat, __builtin_fmin(__builtin_fmax(x + y, 0.0), 1.0))
TUNER_CPU_BINARY(tuner_cpu_hsub_sat, __builtin_fmin(__builtin_fmax(x - y, 0.0), 1.0))
TUNER_CPU_BINARY(tuner_cpu_hmul_sat, __builtin_fmin(__builtin_fmax(x* y, 0.0), 1.0))
// Of a number and a NaN, the number; zeros are ordered by their sign.
TUNER_CPU_BINARY(__hmax, x == y ? (__builtin_signbit(x) ? y : x) : __builtin_fmax(x, y))
TUNER_CPU_BINARY(__hmin, x == y ? (__builtin_signbit(x) ? x : y) : __builtin_fmin(x, y))
TUNER_CPU_BINARY(tuner_cpu_hmax_nan, x != x || y != y ? __builtin_nan("") : __builtin_fmax(x, y))
TUNER_CPU_BINARY(tuner_cpu_hmin_nan, x != x || y != y ? __builtin_nan("") : __builtin_fmin(x, y))
#undef TUNER_CPU_BINARY
// CUDA puts the 2 in the middle of these names.
#define TUNER_CPU_RENAMED(name, name2, is)                                   \
  inline TUNER_CPU_T name(TUNER_CPU_T a, TUNER_CPU_T b) { return is(a, b); } \
  inline TUNER_CPU_T2 name2(TUNER_CPU_T2 a, TUNER_CPU_T2 b) { return is##2(a, b); }
TUNER_CPU_RENAMED(__hdiv, __h2div, tuner_cpu_hdiv)
TUNER_CPU_RENAMED(__hadd_sat, __hadd2_sat, tuner_cpu_hadd_sat)
TUNER_CPU_RENAMED(__hsub_sat, __hsub2_sat, tuner_cpu_hsub_sat)
TUNER_CPU_RENAMED(__hmul_sat, __hmul2_sat, tuner_cpu_hmul_sat)
TUNER_CPU_RENAMED(__hmax_nan, __hmax2_nan, tuner_cpu_hmax_nan)
TUNER_CPU_RENAMED(__hmin_nan, __hmin2_nan, tuner_cpu_hmin_nan)
TUNER_CPU_RENAMED(__hadd_rn, __hadd2_rn, __hadd)
TUNER_CPU_RENAMED(__hsub_rn, __hsub2_rn, __hsub)
TUNER_CPU_RENAMED(__hmul_rn, __hmul2_rn, __hmul)
#undef TUNER_CPU_RENAMED

inline TUNER_CPU_T __hfma(TUNER_CPU_T a, TUNER_CPU_T b, TUNER_CPU_T c) {
  return TUNER_CPU_NAME(
      __ushort_as_, )(TUNER_CPU_BITS::from_fma(a.number(), b.number(), c.number()));
}
inline TUNER_CPU_T __hfma_sat(TUNER_CPU_T a, TUNER_CPU_T b, TUNER_CPU_T c) {
  return TUNER_CPU_T(__saturatef(__hfma(a, b, c).number()));
}
inline TUNER_CPU_T __hfma_relu(TUNER_CPU_T a, TUNER_CPU_T b, TUNER_CPU_T c) {
  const TUNER_CPU_T sum = __hfma(a, b, c);
  return sum.number() < 0 ? TUNER_CPU_T(0.0f) : sum;
}
#define TUNER_CPU_TERNARY2(name2, name)                                       \
  inline TUNER_CPU_T2 name2(TUNER_CPU_T2 a, TUNER_CPU_T2 b, TUNER_CPU_T2 c) { \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                        \
  }
TUNER_CPU_TERNARY2(__hfma2, __hfma)
TUNER_CPU_TERNARY2(__hfma2_sat, __hfma_sat)
TUNER_CPU_TERNARY2(__hfma2_relu, __hfma_relu)
#undef TUNER_CPU_TERNARY2

#define TUNER_CPU_UNARY2(name, name2, result) \
  inline TUNER_CPU_T name(TUNER_CPU_T a) {    \
    const float x = a.number();               \
    return TUNER_CPU_T(result);               \
  }                                           \
  inline TUNER_CPU_T2 name2(TUNER_CPU_T2 a) { return {name(a.x), name(a.y)}; }
TUNER_CPU_UNARY2(hsqrt, h2sqrt, __builtin_sqrt((double)x))
TUNER_CPU_UNARY2(hrsqrt, h2rsqrt, 1.0 / __builtin_sqrt((double)x))
TUNER_CPU_UNARY2(hrcp, h2rcp, 1.0 / (double)x)
TUNER_CPU_UNARY2(hexp, h2exp, __builtin_exp((double)x))
TUNER_CPU_UNARY2(hexp2, h2exp2, __builtin_exp2((double)x))
TUNER_CPU_UNARY2(hexp10, h2exp10, exp10((double)x))
TUNER_CPU_UNARY2(hlog, h2log, __builtin_log((double)x))
TUNER_CPU_UNARY2(hlog2, h2log2, __builtin_log2((double)x))
TUNER_CPU_UNARY2(hlog10, h2log10, __builtin_log10((double)x))
TUNER_CPU_UNARY2(hsin, h2sin, __builtin_sin((double)x))
TUNER_CPU_UNARY2(hcos, h2cos, __builtin_cos((double)x))
TUNER_CPU_UNARY2(htanh, h2tanh, __builtin_tanh((double)x))
TUNER_CPU_UNARY2(htanh_approx, h2tanh_approx, __builtin_tanh((double)x))
TUNER_CPU_UNARY2(hfloor, h2floor, __builtin_floorf(x))
TUNER_CPU_UNARY2(hceil, h2ceil, __builtin_ceilf(x))
TUNER_CPU_UNARY2(htrunc, h2trunc, __builtin_truncf(x))
TUNER_CPU_UNARY2(hrint, h2rint, __builtin_rintf(x))
TUNER_CPU_UNARY2(__habs, __habs2, __builtin_fabsf(x))
TUNER_CPU_UNARY2(__hneg, __hneg2, -x)
#undef TUNER_CPU_UNARY2

// ---- comparisons --------------------------------------------------------------------------------

// "u": true where one of them is a NaN. Of two numbers: 1 or 0 for each, or whether both hold.
#define TUNER_CPU_COMPARISON(name, holds)                                          \
  inline bool __h##name(TUNER_CPU_T a, TUNER_CPU_T b) {                            \
    const float x = a.number(), y = b.number();                                    \
    return holds;                                                                  \
  }                                                                                \
  inline bool __h##name##u(TUNER_CPU_T a, TUNER_CPU_T b) {                         \
    const float x = a.number(), y = b.number();                                    \
    return x != x || y != y || (holds);                                            \
  }                                                                                \
  inline TUNER_CPU_T2 __h##name##2(TUNER_CPU_T2 a, TUNER_CPU_T2 b) {               \
    return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f}; \
  }                                                                                \
  inline bool __hb##name##2(TUNER_CPU_T2 a, TUNER_CPU_T2 b) {                      \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                             \
  }
TUNER_CPU_COMPARISON(eq, x == y)
TUNER_CPU_COMPARISON(ne, x<y || x> y)
TUNER_CPU_COMPARISON(lt, x < y)
TUNER_CPU_COMPARISON(le, x <= y)
TUNER_CPU_COMPARISON(gt, x > y)
TUNER_CPU_COMPARISON(ge, x >= y)
#undef TUNER_CPU_COMPARISON
inline bool __hisnan(TUNER_CPU_T a) { return a.number() != a.number(); }
inline int __hisinf(TUNER_CPU_T a) {
  const float x = a.number();
  return __builtin_fabsf(x) == __builtin_inff() ? (x < 0 ? -1 : 1) : 0;
}

// ---- operators ----------------------------------------------------------------------------------

#define TUNER_CPU_OPERATOR(sign, one, two)                                          \
  inline TUNER_CPU_T operator sign(const TUNER_CPU_T& a, const TUNER_CPU_T& b) {    \
    return one(a, b);                                                               \
  }                                                                                 \
  inline TUNER_CPU_T2 operator sign(const TUNER_CPU_T2& a, const TUNER_CPU_T2& b) { \
    return two(a, b);                                                               \
  }                                                                                 \
  inline TUNER_CPU_T& operator sign##=(TUNER_CPU_T& a, const TUNER_CPU_T& b) {      \
    return a = one(a, b);                                                           \
  }                                                                                 \
  inline TUNER_CPU_T2& operator sign##=(TUNER_CPU_T2& a, const TUNER_CPU_T2& b) {   \
    return a = two(a, b);                                                           \
  }
TUNER_CPU_OPERATOR(+, __hadd, __hadd2)
TUNER_CPU_OPERATOR(-, __hsub, __hsub2)
TUNER_CPU_OPERATOR(*, __hmul, __hmul2)
TUNER_CPU_OPERATOR(/, __hdiv, __h2div)
#undef TUNER_CPU_OPERATOR
#define TUNER_CPU_OPERATOR(sign, one, both)                                                   \
  inline bool operator sign(const TUNER_CPU_T& a, const TUNER_CPU_T& b) { return one(a, b); } \
  inline bool operator sign(const TUNER_CPU_T2& a, const TUNER_CPU_T2& b) { return both(a, b); }
TUNER_CPU_OPERATOR(==, __heq, __hbeq2)
TUNER_CPU_OPERATOR(!=, __hneu, !__hbeq2)
TUNER_CPU_OPERATOR(<, __hlt, __hblt2)
TUNER_CPU_OPERATOR(<=, __hle, __hble2)
TUNER_CPU_OPERATOR(>, __hgt, __hbgt2)
TUNER_CPU_OPERATOR(>=, __hge, __hbge2)
#undef TUNER_CPU_OPERATOR
inline TUNER_CPU_T operator+(const TUNER_CPU_T& a) { return a; }
inline TUNER_CPU_T operator-(const TUNER_CPU_T& a) { return __hneg(a); }
inline TUNER_CPU_T2 operator+(const TUNER_CPU_T2& a) { return a; }
inline TUNER_CPU_T2 operator-(const TUNER_CPU_T2& a) { return __hneg2(a); }
inline TUNER_CPU_T& operator++(TUNER_CPU_T& a) { return a += TUNER_CPU_T(1.0f); }
inline TUNER_CPU_T& operator--(TUNER_CPU_T& a) { return a -= TUNER_CPU_T(1.0f); }

#undef TUNER_CPU_JOIN
#undef TUNER_CPU_JOINED
#undef TUNER_CPU_NAME
#undef TUNER_CPU_RAW
#undef TUNER_CPU_RAW2
#undef TUNER_CPU_TWICE
#undef TUNER_CPU_T
#undef TUNER_CPU_T2
#undef TUNER_CPU_N
#undef TUNER_CPU_BITS
