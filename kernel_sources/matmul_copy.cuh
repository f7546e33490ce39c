#pragma once
// How a block's threads bring the tiles of A and B into shared memory.

#include "async_copy.cuh"
#include "matmul_parts.cuh"

// One thread's copies: its first element of the next tile of A, and of B, and where they go.
// Stepping pointers keeps the address arithmetic out of the loop over K.
struct Copier {
  const float* a;
  const float* b;
  int to_a, to_b;          // offsets in a stage
  int k_left_a, k_left_b;  // steps of k from there to the end
};

template <class S>
__device__ Copier make_copier(const float* A, const float* B, const Part& part, int N, int K) {
  // A warp takes 4 rows of A and 8 columns: 8 are all that a turned row meets different banks with.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_a = warp / (S::BK / 8) * 4 + lane / 8, k_a = warp % (S::BK / 8) * 8 + lane % 8;
  const int k_b = threadIdx.x / (S::BN / S::VEC), col_b = threadIdx.x % (S::BN / S::VEC) * S::VEC;
  return {A + size_t(part.row0 + row_a) * K + part.k_begin + k_a,
          B + size_t(part.k_begin + k_b) * N + part.col0 + col_b,
          k_a * S::kStrideA + row_a,
          S::BK * S::kStrideA + k_b * S::BN + col_b,
          part.k_end - part.k_begin - k_a,
          part.k_end - part.k_begin - k_b};
}

// Starts those copies of the next tiles that are due in step `step` of `steps`. Zeros stand for
// what lies behind the end of K.
template <class S>
__device__ __forceinline__ void copy_part(const Copier& from, SharedFloats stage, int N, int K,
                                          int step, int steps) {
#pragma unroll
  for (int i = 0; i < S::kCopiesA; ++i) {
    if (i * steps / S::kCopies != step) continue;
    copy_async<1>(stage + from.to_a + i * S::kRowsA, from.a + size_t(i * S::kRowsA) * K,
                  from.k_left_a > 0);
  }
#pragma unroll
  for (int i = 0; i < S::kCopiesB; ++i) {
    if ((S::kCopiesA + i) * steps / S::kCopies != step) continue;
    copy_async<S::VEC>(stage + from.to_b + i * S::kRowsB * S::BN,
                       from.b + size_t(i * S::kRowsB) * N, from.k_left_b > i * S::kRowsB);
  }
}

// Ends the group of copies and steps on.
template <class S>
__device__ __forceinline__ void end_tiles(Copier& from, int N) {
  end_group();
  from.a += S::BK;
  from.b += size_t(S::BK) * N;
  from.k_left_a -= S::BK;
  from.k_left_b -= S::BK;
}

template <class S>
__device__ __forceinline__ void copy_tiles(Copier& from, SharedFloats stage, int N, int K) {
  copy_part<S>(from, stage, N, K, 0, 1);
  end_tiles<S>(from, N);
}
