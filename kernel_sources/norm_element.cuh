#pragma once
// The element types of the norms (TYPE: bfloat16, float32). A bfloat16 is the upper half of a float; it
// is kept as its bits, and all arithmetic is in float.

#include "elements.cuh"

#if TUNE_TYPE_IS_bfloat16

using Element = unsigned short;

__device__ __forceinline__ float widen(Element x) { return __uint_as_float(unsigned(x) << 16); }

// To the nearest, of two equally near to the even one.
__device__ __forceinline__ Element narrow(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(TUNER_CPU)
  Element bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  const unsigned bits = __float_as_uint(x);
  return Element((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
#endif
}

#else

using Element = float;

__device__ __forceinline__ float widen(Element x) { return x; }
__device__ __forceinline__ Element narrow(float x) { return x; }

#endif

// Two numbers at once, where one instruction does both.
template <int N>
__device__ __forceinline__ Elements<Element, N> narrow_all(const float (&x)[N]) {
  Elements<Element, N> result;
  constexpr int kPairs =
#if TUNE_TYPE_IS_bfloat16 && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(TUNER_CPU)
      N / 2;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
    result.at[2 * i] = Element(pair);
    result.at[2 * i + 1] = Element(pair >> 16);
  }
#else
      0;
#endif
#pragma unroll
  for (int i = 2 * kPairs; i < N; ++i) result.at[i] = narrow(x[i]);
  return result;
}
