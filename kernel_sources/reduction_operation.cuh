#pragma once
// What is reduced. The parameter OPERATION says so; a study without it adds up.
//
//   sum      of the elements
//   max      the largest element
//   arg_max  where the largest element is; of several, the first. N is at most 2^32
//
// A Value is what one thread hands on to the next. Zero bits are the one that changes nothing.

#if TUNE_OPERATION_IS_max || TUNE_OPERATION_IS_arg_max

// The same order as the numbers', but of unsigned integers, which atomics compare; above zero for
// all numbers.
__device__ __forceinline__ unsigned rank_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ float number_of(unsigned rank) {
  return __uint_as_float(rank & 0x80000000u ? rank & 0x7FFFFFFFu : ~rank);
}

#if TUNE_OPERATION_IS_max

using Value = unsigned;
using Result = float;
__device__ __forceinline__ Value value_of(float x, long long) { return rank_of(x); }
__device__ __forceinline__ Result result_of(Value value) { return number_of(value); }

#else

// Of equal numbers the first one wins: its index, turned around, is the largest.
using Value = unsigned long long;
using Result = long long;
__device__ __forceinline__ Value value_of(float x, long long i) {
  return Value(rank_of(x)) << 32 | (0xFFFFFFFFu - unsigned(i));
}
__device__ __forceinline__ Result result_of(Value value) { return 0xFFFFFFFFu - unsigned(value); }

#endif

__device__ __forceinline__ Value combine(Value a, Value b) { return a > b ? a : b; }
__device__ __forceinline__ void combine_in(Value* with, Value value) { atomicMax(with, value); }

#else

using Value = float;
using Result = float;
__device__ __forceinline__ Value value_of(float x, long long) { return x; }
__device__ __forceinline__ Result result_of(Value value) { return value; }
__device__ __forceinline__ Value combine(Value a, Value b) { return a + b; }
__device__ __forceinline__ void combine_in(Value* with, Value value) { atomicAdd(with, value); }

#endif
