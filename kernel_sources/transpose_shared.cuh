#pragma once
// FORM shared: rows of A in, rows of B out, the turn itself in shared memory.
//
// Rows whose length VEC does not divide are not aligned for vector accesses; they are then moved
// element by element, which is decided once for the whole launch.

#include "vector_access.cuh"

constexpr int PAD = TUNE_PAD;
constexpr int kStride = BN + PAD;

#if TUNE_SHARED_IS_static
static_assert(4 * BM * kStride <= 48 * 1024, "static shared memory ends at 48 KB");
#endif

__device__ void turn(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
#if TUNE_SHARED_IS_dynamic
  extern __shared__ float tile[];
#else
  __shared__ float tile[BM * kStride];
#endif
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int vector = i * kThreads + threadIdx.x;
    const int row = vector / (BN / VEC);
    const int col = vector % (BN / VEC) * VEC;
    if (row0 + row >= M) continue;
    const auto value = load_part<VEC>(A + size_t(row0 + row) * N, col0 + col, N, N % VEC == 0);
#pragma unroll
    for (int v = 0; v < VEC; ++v) tile[row * kStride + col + v] = value.at[v];
  }
  __syncthreads();

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int vector = i * kThreads + threadIdx.x;
    const int col = vector / (BM / VEC);
    const int row = vector % (BM / VEC) * VEC;
    if (col0 + col >= N) continue;
    Vector<VEC> value;
#pragma unroll
    for (int v = 0; v < VEC; ++v) value.at[v] = tile[(row + v) * kStride + col];
    store_part<VEC>(B + size_t(col0 + col) * M, row0 + row, M, M % VEC == 0, value);
  }
}
