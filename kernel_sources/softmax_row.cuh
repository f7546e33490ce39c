#pragma once
// How rows lie between vectors, and how the threads of a row agree on its maximum and its sum.

#include "row_total.cuh"

constexpr float kLowest = -3.402823466e+38f;  // below it there is only infinity

// Elements from the last boundary of VEC elements in memory to this one.
template <int VEC>
__device__ int beyond_boundary(const float* element) {
  return int(reinterpret_cast<size_t>(element) / 4 % VEC);
}

// Vectors fit x and y alike. So it is wherever both arrays start at a boundary, though rows of an
// odd length do not.
template <int VEC>
__device__ bool aligned_alike(const float* x, const float* y) {
  return beyond_boundary<VEC>(x) == beyond_boundary<VEC>(y);
}

struct Largest {
  using Value = float;
  __device__ static float none() { return kLowest; }
  __device__ static float both(float a, float b) { return fmaxf(a, b); }
  __device__ static float2 pack(float value) { return make_float2(value, 0); }
  __device__ static float unpack(float2 packed) { return packed.x; }
  __device__ __forceinline__ static float over_lanes(float value) {
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
      value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, half));
    }
    return value;
  }
};

// Of some elements: their maximum, and the sum of exp(element - most).
struct Share {
  float most, sum;
};

// Shares are put together once, maximum and sum at the same time ("online normalizer", Milakov and
// Gimelshein, 2018).
struct Normalizing {
  using Value = Share;
  __device__ static Share none() { return {kLowest, 0}; }
  __device__ static Share both(Share a, Share b) {
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
  }
  __device__ static float2 pack(Share share) { return make_float2(share.most, share.sum); }
  __device__ static Share unpack(float2 packed) { return {packed.x, packed.y}; }
  __device__ __forceinline__ static Share over_lanes(Share mine) {
    const float most = Largest::over_lanes(mine.most);
    return {most, Adding::over_lanes(mine.sum * expf(mine.most - most))};
  }
};
