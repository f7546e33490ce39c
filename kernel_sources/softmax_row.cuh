#pragma once
// How rows lie between vectors; how the BLOCK threads of a row agree on its maximum and its sum.

constexpr int kWarps = BLOCK / 32;
constexpr float kLowest = -3.402823466e+38f;  // below it there is only infinity

// Elements from the last boundary of VEC elements in memory to this one.
__device__ int beyond_boundary(const float* element) {
  return int(reinterpret_cast<size_t>(element) / 4 % VEC);
}

// Vectors fit x and y alike. So it is wherever both arrays start at a boundary, though rows of an
// odd length do not.
__device__ bool aligned_alike(const float* x, const float* y) {
  return beyond_boundary(x) == beyond_boundary(y);
}

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The combination over the lanes of a warp, in all of them.
template <class Combine>
__device__ __forceinline__ float over_lanes(float value, Combine combine) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, half));
  }
  return value;
}

// The combination over all threads of the row, in all of them.
template <class Combine>
__device__ float over_row(float value, Combine combine) {
  value = over_lanes(value, combine);
  if constexpr (kWarps > 1) {
    __shared__ float warps[ROWS][kWarps];
    __syncthreads();  // the last use is over
    if (threadIdx.x % 32 == 0) warps[threadIdx.y][threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[threadIdx.y][0];
#pragma unroll
    for (int w = 1; w < kWarps; ++w) value = combine(value, warps[threadIdx.y][w]);
  }
  return value;
}
