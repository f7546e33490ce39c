#pragma once
// Which part of the product a block takes, and how its threads bring the tiles into shared memory.

#include "async_copy.cuh"

constexpr int kRowsA = kThreads / BK;        // rows of A that all threads copy at once
constexpr int kRowsB = kThreads * VEC / BN;  // rows of B

static_assert(kThreads % BK == 0 && BM % kRowsA == 0, "threads copy whole rows of A");
static_assert(kThreads * VEC % BN == 0 && BK % kRowsB == 0, "threads copy whole rows of B");

struct Part {
  int row0, col0;      // of the tile of C
  int k_begin, k_end;  // of the sums
};

// Blocks with neighbouring numbers walk down `group` rows of tiles, then to the next column. A tile
// that would reach over the edge is moved back: what it shares with its neighbour is computed
// twice.
__device__ Part part_of_block(int M, int N, int K, int group) {
  const int tiles_m = (M + BM - 1) / BM, tiles_n = (N + BN - 1) / BN;
  const int first = int(blockIdx.x) / (group * tiles_n) * group;  // row of tiles
  const int height = min(group, tiles_m - first);
  const int in_group = int(blockIdx.x) - first * tiles_n;
  const int row0 = (first + in_group % height) * BM, col0 = in_group / height * BN;
  const int parts = BK * int(gridDim.y);
  const int steps = (K + parts - 1) / parts;  // tiles of K for each block
  const int k_begin = blockIdx.y * steps * BK;
  return {min(row0, M - BM), min(col0, N - BN), k_begin, min(K, k_begin + steps * BK)};
}

// One thread's copies: its first element of the next tile of A, and of B, and where they go.
// Stepping pointers keeps the address arithmetic out of the loop over K.
struct Copier {
  const float* a;
  const float* b;
  int to_a, to_b;          // offsets in a stage
  int k_left_a, k_left_b;  // steps of k from there to the end
};

__device__ Copier make_copier(const float* A, const float* B, const Part& part, int N, int K) {
  const int row_a = threadIdx.x / BK, k_a = threadIdx.x % BK;
  const int k_b = threadIdx.x / (BN / VEC), col_b = threadIdx.x % (BN / VEC) * VEC;
  return {A + size_t(part.row0 + row_a) * K + part.k_begin + k_a,
          B + size_t(part.k_begin + k_b) * N + part.col0 + col_b,
          k_a * kStrideA + row_a,
          BK * kStrideA + k_b * BN + col_b,
          part.k_end - part.k_begin - k_a,
          part.k_end - part.k_begin - k_b};
}

// Starts the copies of the next tiles and steps on. Zeros stand for what lies behind the end of K.
__device__ __forceinline__ void copy_tiles(Copier& from, float* stage, int N, int K) {
#pragma unroll
  for (int i = 0; i < BM / kRowsA; ++i) {
    copy_async<1>(stage + from.to_a + i * kRowsA, from.a + size_t(i * kRowsA) * K,
                  from.k_left_a > 0);
  }
#pragma unroll
  for (int i = 0; i < BK / kRowsB; ++i) {
    copy_async<VEC>(stage + from.to_b + i * kRowsB * BN, from.b + size_t(i * kRowsB) * N,
                    from.k_left_b > i * kRowsB);
  }
  end_group();
  from.a += BK;
  from.b += size_t(BK) * N;
  from.k_left_a -= BK;
  from.k_left_b -= BK;
}
