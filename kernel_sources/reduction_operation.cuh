#pragma once
// What is reduced: the sum of the elements, the largest of them (Largest), or where that is (WhereLargest;
// of several, the first; N is at most 2^32).
//
// A Value is what one thread hands on to the next. Zero bits are the one that changes nothing.

struct Sum {
  using Value = float;
  using Result = float;
  __device__ static Value value_of(float x, long long) { return x; }
  __device__ static Result result_of(Value value) { return value; }
  __device__ static Value both(Value a, Value b) { return a + b; }
  __device__ static void combine_in(Value* with, Value value) { atomicAdd(with, value); }
};

// The same order as the numbers', but of unsigned integers, which atomics compare; above zero for
// all numbers.
__device__ __forceinline__ unsigned rank_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ __forceinline__ float number_of(unsigned rank) {
  return __uint_as_float(rank & 0x80000000u ? rank & 0x7FFFFFFFu : ~rank);
}

struct Largest {
  using Value = unsigned;
  using Result = float;
  __device__ static Value value_of(float x, long long) { return rank_of(x); }
  __device__ static Result result_of(Value value) { return number_of(value); }
  __device__ static Value both(Value a, Value b) { return a > b ? a : b; }
  __device__ static void combine_in(Value* with, Value value) { atomicMax(with, value); }
};

// Of equal numbers the first one wins: its index, turned around, is the largest.
struct WhereLargest {
  using Value = unsigned long long;
  using Result = long long;
  __device__ static Value value_of(float x, long long i) {
    return Value(rank_of(x)) << 32 | (0xFFFFFFFFu - unsigned(i));
  }
  __device__ static Result result_of(Value value) { return 0xFFFFFFFFu - unsigned(value); }
  __device__ static Value both(Value a, Value b) { return a > b ? a : b; }
  __device__ static void combine_in(Value* with, Value value) { atomicMax(with, value); }
};
