#pragma once
// What all threads that share a row come to: BLOCK threads of CLUSTER blocks; a block has ROWS rows, one for
// each threadIdx.y. Lanes combine by shuffles. Each warp then writes its total where every other warp of
// the row finds it, all meet once, and each combines all of them, in the same order.
//
//   warp 0: total -> | 0 | 1 | 2 | ... | in each block     all meet     every warp: 0 + 1 + 2 + ...

#include "cluster.cuh"

// An operation has a Value, how the lanes of a warp combine theirs, how two are combined, what changes
// nothing, and how a value travels in 8 bytes.
struct Adding {
  using Value = float;
  __device__ static float none() { return 0; }
  __device__ static float both(float a, float b) { return a + b; }
  __device__ static float2 pack(float value) { return make_float2(value, 0); }
  __device__ static float unpack(float2 packed) { return packed.x; }
  __device__ __forceinline__ static float over_lanes(float value) {
#pragma unroll
    for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(0xffffffffu, value, half);
    return value;
  }
};

template <int BLOCK, int ROWS, int CLUSTER, class Operation = Adding>
struct RowTotal {
  static_assert(BLOCK % 32 == 0, "whole warps share a row");
  static_assert(CLUSTER == 1 || ROWS == 1, "blocks of a cluster share one row");
  static constexpr int kWarps = BLOCK / 32;
  static constexpr int kTotals = CLUSTER * kWarps;
  using Value = typename Operation::Value;

  // Two sets, used in turns: who is late still reads the one while others write the other.
  struct Memory {
    float2 totals[2][ROWS][kTotals];
  };
  Memory& memory;
  int turn = 0;

  __device__ explicit RowTotal(Memory& where) : memory(where) {
#ifndef TUNER_CPU
    if constexpr (CLUSTER > 1) arrive_in_cluster();
#endif
  }

  __device__ __forceinline__ Value operator()(Value value) {
    return of_warps(Operation::over_lanes(value));
  }

  // Where each warp has its total already, in all lanes.
  __device__ __forceinline__ Value of_warps(Value value) {
    if constexpr (kTotals == 1) return value;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float2(&totals)[kTotals] = memory.totals[turn & 1][threadIdx.y];
#ifndef TUNER_CPU
    if constexpr (CLUSTER > 1) {
      if (turn == 0) wait_for_cluster();  // all have begun: their memory is there
      if (lane < CLUSTER) {
        store_to_block(&totals[block_in_cluster() * kWarps + warp], lane, Operation::pack(value));
      }
      sync_cluster();
    }
#endif
    if constexpr (CLUSTER == 1) {
      if (lane == 0) totals[warp] = Operation::pack(value);
      __syncthreads();
    }
    ++turn;
    Value total = Operation::none();
    if constexpr (kTotals <= 32) {
      if (lane < kTotals) total = Operation::unpack(totals[lane]);
    } else {
      for (int i = lane; i < kTotals; i += 32) {
        total = Operation::both(total, Operation::unpack(totals[i]));
      }
    }
    return Operation::over_lanes(total);
  }
};
