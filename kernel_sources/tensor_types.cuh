#pragma once
// The element types of the tensor cores. 16-bit numbers are kept as their bits: nothing but
// conversions is asked of them outside the tensor cores. The CPU has bfloat16 alone, in plain code.

// A matrix as Hopper's copy engine wants to have it described: what the driver's
// cuTensorMapEncodeTiled makes.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

// Whether B is given turned, N x K, so that k runs along the rows of both operands.
#if TUNE_TYPE_IS_tf32 || TUNE_TURNED_B
constexpr bool kTurnedB = true;
#else
constexpr bool kTurnedB = false;
#endif

#ifdef TUNER_CPU

using Element = unsigned short;
using Result = unsigned short;

inline float widen(unsigned short x) { return __uint_as_float(unsigned(x) << 16); }

// To the nearest, of two equally near to the even one.
inline unsigned short narrow(float x) {
  const unsigned bits = __float_as_uint(x);
  return static_cast<unsigned short>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

#else

#if TUNE_TYPE_IS_tf32

using Element = float;

// The tensor cores ignore the 13 lowest bits.
__device__ __forceinline__ float widen(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xFFFFE000u);
}
__device__ __forceinline__ float narrow(float x) { return x; }

unsigned turn_block(float first, float second);  // of 16-bit results only

#else

using Element = unsigned short;

#if TUNE_TYPE_IS_f16
#define TENSOR_TYPE "f16"
__device__ __forceinline__ float widen(unsigned short x) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
  return wide;
}
#else
#define TENSOR_TYPE "bf16"
__device__ __forceinline__ float widen(unsigned short x) {
  return __uint_as_float(unsigned(x) << 16);
}
#endif

__device__ __forceinline__ unsigned short narrow(float x) {
  unsigned short bits;
  asm("cvt.rn." TENSOR_TYPE ".f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}

__device__ __forceinline__ unsigned pair_of(float first, float second) {
  unsigned both;
  asm("cvt.rn." TENSOR_TYPE "x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

// Turns a block of 8 x 8 numbers that a warp holds, each thread t two of row t / 4, columns
// 2 * (t % 4) and the next: the result is two of the turned block, in the same places.
__device__ __forceinline__ unsigned turn_block(float first, float second) {
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(turned)
               : "r"(pair_of(first, second)));
  return turned;
}

#endif

#if TUNE_TYPE_IS_bf16 || TUNE_TYPE_IS_f16

using Result = unsigned short;

__device__ __forceinline__ void store_pair(void* to, float first, float second) {
  *static_cast<unsigned*>(to) = pair_of(first, second);
}

#else  // tf32, and float32 numbers in parts (emulated_parts.cuh)

using Result = float;

__device__ __forceinline__ void store_pair(void* to, float first, float second) {
  *static_cast<float2*>(to) = make_float2(first, second);
}

#endif

__device__ __forceinline__ void store_word(void* to, unsigned word) {
  *static_cast<unsigned*>(to) = word;
}

#endif  // TUNER_CPU
