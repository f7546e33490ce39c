#pragma once
// How the SPLIT_K blocks of a cluster, of which each has multiplied a part of K, add up their sums:
// each leaves all of its own in its shared memory and stores the totals of a share of the tile.

#include "cluster.cuh"

// `sums` are a thread's VECTORS quadruples of sums, `memory` has room for those of all of the
// block's THREADS threads that multiply; the parts of a tile are STRIDE blocks apart in the
// cluster. Calls store(total, vector) for the vectors that are this block's share. All threads of
// the cluster meet here; those that do not multiply call meet_adders().
template <int SPLIT_K, int STRIDE, int VECTORS, int THREADS, class Store>
__device__ __forceinline__ void add_up_parts(const float* sums, unsigned char* memory, int thread,
                                             Store store) {
  // Laid out by thread: neighbouring threads' vectors are neighbours.
  float4* const words = reinterpret_cast<float4*>(memory) + thread;
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const float* const from = sums + i * 4;
    words[i * THREADS] = make_float4(from[0], from[1], from[2], from[3]);
  }
  sync_cluster();
  constexpr int kShare = (VECTORS + SPLIT_K - 1) / SPLIT_K;
  constexpr bool kAlike = VECTORS % SPLIT_K == 0;  // otherwise the last shares are smaller
  const int rank = block_in_cluster(), first = rank / STRIDE * kShare;
  // All loads come first: together they take little more than one.
  float4 parts[kShare][SPLIT_K];
#pragma unroll
  for (int i = 0; i < kShare; ++i) {
    if (!kAlike && first + i >= VECTORS) break;
#pragma unroll
    for (int part = 0; part < SPLIT_K; ++part) {
      parts[i][part] =
          load_from_block(words + (first + i) * THREADS, rank % STRIDE + part * STRIDE);
    }
  }
#pragma unroll
  for (int i = 0; i < kShare; ++i) {
    if (!kAlike && first + i >= VECTORS) break;
    float total[4] = {};
#pragma unroll
    for (const float4& part : parts[i]) {
      total[0] += part.x;
      total[1] += part.y;
      total[2] += part.z;
      total[3] += part.w;
    }
    store(total, first + i);
  }
  meet_cluster();  // no block ends while another still reads from it
}

__device__ __forceinline__ void meet_adders() {
  sync_cluster();
  meet_cluster();
}
