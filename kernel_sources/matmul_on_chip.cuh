#pragma once
// Slices of a block, and blocks of a cluster, add up their sums through shared memory, each for its
// share of the tile.

#if TUNE_CLUSTER > 1
#include "cluster.cuh"
#else
__device__ __forceinline__ int block_in_cluster() { return 0; }
__device__ __forceinline__ void sync_cluster() { __syncthreads(); }
__device__ __forceinline__ void meet_cluster() { __syncthreads(); }
#endif

__device__ constexpr int power_of_two_up_to(int most) {
  int power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

__device__ __forceinline__ void add_part(Vector<4>& total, SharedFloats words, int block) {
#if TUNE_CLUSTER > 1
  const float4 bits = load_from_block(words.pointer(), block);
  const Vector<4> part = {bits.x, bits.y, bits.z, bits.w};
#else
  const Vector<4> part = load_vector(words);
#endif
#pragma unroll
  for (int v = 0; v < 4; ++v) total.at[v] += part.at[v];
}

// Calls use(total, vector) with the totals, for the vectors that are this thread's share. `memory`
// holds as many vectors of each thread at a time as there is room for.
template <class Use>
__device__ __forceinline__ void add_up_on_chip(const float (&sum)[TM][TN], float* memory, Use use) {
  constexpr int kRoom = STAGES * kStage / (4 * kThreads);
  constexpr int kRound = power_of_two_up_to(kRoom < kVectors ? kRoom : kVectors);
  constexpr int kParts = CLUSTER * SLICES, kShare = kRound / kParts;
  constexpr int kSlice = kRound * kSliceThreads;  // vectors of one slice
  static_assert(kVectors % kRound == 0 && kRound % kParts == 0, "all shares are alike");
  const int slice = threadIdx.x / kSliceThreads, mine = block_in_cluster() * SLICES + slice;
  const SharedFloats words = shared_floats(memory) + 4 * (threadIdx.x % kSliceThreads);
  wait_groups<0>();  // copies from beyond the end of K would still write to `memory`
  __syncthreads();
#pragma unroll
  for (int first = 0; first < kVectors; first += kRound) {
#pragma unroll
    for (int i = 0; i < kRound; ++i) {
      store_vector(words + 4 * (slice * kSlice + i * kSliceThreads), vector_of(sum, first + i));
    }
    sync_cluster();
    Vector<4> total[kShare] = {};
#pragma unroll
    for (int i = 0; i < kShare; ++i) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const int vector = i * kParts + mine;
        const int place = part % SLICES * kSlice + vector * kSliceThreads;
        add_part(total[i], words + 4 * place, part / SLICES);
      }
    }
#pragma unroll
    for (int i = 0; i < kShare; ++i) use(total[i], first + i * kParts + mine);
    meet_cluster();  // only now may `memory` be written again, or its block end
  }
}
