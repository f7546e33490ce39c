#pragma once
// The 16-bit numbers of thin products: those of the tensor cores, and on the CPU, which has none,
// bfloat16 in plain code.

#ifndef TUNER_CPU
#include "tensor_types.cuh"
#else

struct alignas(64) TensorMap {
  unsigned long long words[16];
};

using Element = unsigned short;
using Result = unsigned short;

inline float widen(unsigned short x) { return __uint_as_float(unsigned(x) << 16); }

// To the nearest, of two equally near to the even one.
inline unsigned short narrow(float x) {
  const unsigned bits = __float_as_uint(x);
  return static_cast<unsigned short>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

#endif
