#pragma once
// What is scanned: elements of TYPE (float32, int32, float64), added up or compared (OPERATION), with
// the element itself or without it (KIND). Both operations are commutative, so that what lies before an
// element may be put together in any order.

#if TUNE_TYPE_IS_float64
using Element = double;
#elif TUNE_TYPE_IS_int32
using Element = int;
#else
using Element = float;
#endif

#if TUNE_KIND_IS_exclusive
constexpr bool kExclusive = true;
#else
constexpr bool kExclusive = false;
#endif

#if TUNE_OPERATION_IS_max

template <class Number>
__device__ __forceinline__ Number combine(Number a, Number b) {
  return a > b ? a : b;
}

// Combined with it, nothing changes: the lowest of all numbers.
__device__ __forceinline__ Element nothing() {
#if TUNE_TYPE_IS_float64
  return __longlong_as_double(0xFFF0000000000000ll);
#elif TUNE_TYPE_IS_int32
  return -2147483647 - 1;
#else
  return __int_as_float(0xFF800000);
#endif
}

#else

template <class Number>
__device__ __forceinline__ Number combine(Number a, Number b) {
  return a + b;
}
__device__ __forceinline__ Element nothing() { return 0; }

#endif

constexpr unsigned kWholeWarp = 0xffffffffu;

// Over the lanes of a warp: in each what it and those before it have.
template <class Number>
__device__ __forceinline__ Number scan_lanes(Number value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const Number before = __shfl_up_sync(kWholeWarp, value, distance);
    if (lane >= distance) value = combine(before, value);
  }
  return value;
}

// Over the lanes of a warp: in each what all have.
__device__ __forceinline__ Element combine_lanes(Element value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(kWholeWarp, value, distance));
  }
  return value;
}
