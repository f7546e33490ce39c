#pragma once
// The sum over all threads that share a row: BLOCK threads of CLUSTER blocks; a block has ROWS rows, one
// for each threadIdx.y. Lanes add up by shuffles. Each warp then writes its sum where every other warp of
// the row finds it, all meet once, and each adds up all of them, in the same order.

#include "cluster.cuh"

template <int BLOCK, int ROWS, int CLUSTER>
struct RowSum {
  static_assert(BLOCK % 32 == 0, "whole warps share a row");
  static_assert(CLUSTER == 1 || ROWS == 1, "blocks of a cluster share one row");
  static constexpr int kWarps = BLOCK / 32;
  static constexpr int kSums = CLUSTER * kWarps;

  // Two sets, used in turns: who is late still reads the one while others write the other.
  struct Memory {
    float2 sums[2][ROWS][kSums];
  };
  Memory& memory;
  int turn = 0;

  __device__ explicit RowSum(Memory& where) : memory(where) {
#ifndef TUNER_CPU
    if constexpr (CLUSTER > 1) arrive_in_cluster();
#endif
  }

  __device__ __forceinline__ float operator()(float value) {
#pragma unroll
    for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(0xffffffffu, value, half);
    if constexpr (kSums == 1) return value;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float2(&sums)[kSums] = memory.sums[turn & 1][threadIdx.y];
#ifndef TUNER_CPU
    if constexpr (CLUSTER > 1) {
      if (turn == 0) wait_for_cluster();  // all have begun: their memory is there
      if (lane < CLUSTER) {
        store_to_block(&sums[block_in_cluster() * kWarps + warp], lane, make_float2(value, 0));
      }
      sync_cluster();
    }
#endif
    if constexpr (CLUSTER == 1) {
      if (lane == 0) sums[warp].x = value;
      __syncthreads();
    }
    ++turn;
    float total = 0;
    if constexpr (kSums <= 32) {
      total = lane < kSums ? sums[lane].x : 0;
    } else {
      for (int i = lane; i < kSums; i += 32) total += sums[i].x;
    }
#pragma unroll
    for (int half = 16; half > 0; half /= 2) total += __shfl_xor_sync(0xffffffffu, total, half);
    return total;
  }
};
