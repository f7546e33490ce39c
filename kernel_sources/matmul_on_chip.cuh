#pragma once
// Slices of a block, and blocks of a cluster, add up their sums through shared memory, each for its
// share of the tile.
//
//   slice 0: a b c d      slice 0 adds up  a+a' c+c'
//   slice 1: a'b'c'd'     slice 1          b+b' d+d'

#include "async_copy.cuh"
#include "cluster.cuh"

// Sums move as vectors of 4 columns, kVectors a thread.
template <class S>
__device__ __forceinline__ Vector<4> vector_of(const float (&sum)[S::TM][S::TN], int vector) {
  const int i = vector / (S::TN / 4), j = vector % (S::TN / 4) * 4;
  return {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
}

// What a block alone does by a barrier of its own.
template <class S>
__device__ __forceinline__ int rank_of_block() {
  if constexpr (S::CLUSTER > 1) return block_in_cluster();
  return 0;
}
template <class S>
__device__ __forceinline__ void sync_adders() {
  if constexpr (S::CLUSTER > 1) {
    sync_cluster();
  } else {
    __syncthreads();
  }
}
template <class S>
__device__ __forceinline__ void meet_adders() {
  if constexpr (S::CLUSTER > 1) {
    meet_cluster();
  } else {
    __syncthreads();
  }
}

__device__ constexpr int power_of_two_up_to(int most) {
  int power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

template <class S>
__device__ __forceinline__ void add_part(Vector<4>& total, SharedFloats words, int block) {
  Vector<4> part;
  if constexpr (S::CLUSTER > 1) {
    const float4 bits = load_from_block(words.pointer(), block);
    part = {bits.x, bits.y, bits.z, bits.w};
  } else {
    part = load_vector(words);
  }
#pragma unroll
  for (int v = 0; v < 4; ++v) total.at[v] += part.at[v];
}

// Calls use(total, vector) with the totals, for the vectors that are this thread's share. `memory`
// holds as many vectors of each thread at a time as there is room for.
template <class S, class Use>
__device__ __forceinline__ void add_up_on_chip(const float (&sum)[S::TM][S::TN], float* memory,
                                               Use use) {
  constexpr int kRoom = S::STAGES * S::kStage / (4 * S::kThreads);
  constexpr int kRound = power_of_two_up_to(kRoom < S::kVectors ? kRoom : S::kVectors);
  constexpr int kParts = S::CLUSTER * S::SLICES, kShare = kRound / kParts;
  constexpr int kSlice = kRound * S::kSliceThreads;  // vectors of one slice
  static_assert(S::kVectors % kRound == 0 && kRound % kParts == 0, "all shares are alike");
  const int slice = threadIdx.x / S::kSliceThreads, mine = rank_of_block<S>() * S::SLICES + slice;
  const SharedFloats words = shared_floats(memory) + 4 * (threadIdx.x % S::kSliceThreads);
  wait_groups<0>();  // copies from beyond the end of K would still write to `memory`
  __syncthreads();
#pragma unroll
  for (int first = 0; first < S::kVectors; first += kRound) {
#pragma unroll
    for (int i = 0; i < kRound; ++i) {
      store_vector(words + 4 * (slice * kSlice + i * S::kSliceThreads),
                   vector_of<S>(sum, first + i));
    }
    sync_adders<S>();
    Vector<4> total[kShare] = {};
#pragma unroll
    for (int i = 0; i < kShare; ++i) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const int vector = i * kParts + mine;
        const int place = part % S::SLICES * kSlice + vector * S::kSliceThreads;
        add_part<S>(total[i], words + 4 * place, part / S::SLICES);
      }
    }
#pragma unroll
    for (int i = 0; i < kShare; ++i) use(total[i], first + i * kParts + mine);
    meet_adders<S>();  // only now may `memory` be written again, or its block end
  }
}
