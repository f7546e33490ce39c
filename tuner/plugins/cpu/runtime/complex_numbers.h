#pragma once
// <cuComplex.h>, whose types cuFFT and cuBLAS have under their own names.
#include "mathematics.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define TUNER_CPU_COMPLEX(C, F, f, root)                                                  \
  inline C make_##C(F x, F y) { return {x, y}; }                                          \
  inline F cuCreal##f(C a) { return a.x; }                                                \
  inline F cuCimag##f(C a) { return a.y; }                                                \
  inline C cuConj##f(C a) { return {a.x, -a.y}; }                                         \
  inline C cuCadd##f(C a, C b) { return {a.x + b.x, a.y + b.y}; }                         \
  inline C cuCsub##f(C a, C b) { return {a.x - b.x, a.y - b.y}; }                         \
  inline C cuCmul##f(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  inline F cuCabs##f(C a) { return root(a.x, a.y); }                                      \
  inline C cuCdiv##f(C a, C b) {                                                          \
    const F scale = 1 / (__builtin_fabs(b.x) + __builtin_fabs(b.y));                      \
    const C p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale};               \
    const F norm = 1 / (q.x * q.x + q.y * q.y);                                           \
    return {(p.x * q.x + p.y * q.y) * norm, (p.y * q.x - p.x * q.y) * norm};              \
  }                                                                                       \
  inline C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }
TUNER_CPU_COMPLEX(cuFloatComplex, float, f, __builtin_hypotf)
TUNER_CPU_COMPLEX(cuDoubleComplex, double, , __builtin_hypot)
#undef TUNER_CPU_COMPLEX
inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }
