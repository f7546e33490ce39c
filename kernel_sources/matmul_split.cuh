#pragma once
// How sums get to C, also where several blocks share a tile (SPLIT_K > 1), in the same launch.
//
// With CLUSTER > 1 the blocks of a cluster first add up through each other's shared memory, each
// for its share of the tile. Parts that then remain are added in the tile's words of `workspace`;
// the last block to arrive stores the total and leaves zeros behind. `workspace` and `arrivals` are
// thus zero before and after each launch. Sums move as vectors of 4 columns, `kVectors` a thread.

#if TUNE_CLUSTER > 1
#include "cluster.cuh"
#endif

constexpr int kVectors = TM * TN / 4;

struct Corner {
  float* first;  // this lane's first element of C
  int stride;    // of its rows
};

__device__ __forceinline__ void store(const Vector<4>& value, int vector, const Corner& corner) {
  const int i = vector / (TN / 4), j = vector % (TN / 4);
  float* const to = corner.first + size_t(i / 4 * 4 * (WM / TM) + i % 4) * corner.stride +
                    j * 4 * kLanesN;
  if constexpr (VEC == 4) {
    store_vector<4>(to, value);
  } else {
#pragma unroll
    for (int v = 0; v < 4; ++v) to[v] = value.at[v];
  }
}

__device__ __forceinline__ Vector<4> vector_of(const float (&sum)[TM][TN], int vector) {
  const int i = vector / (TN / 4), j = vector % (TN / 4) * 4;
  return {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
}

__device__ __forceinline__ void store(const float (&sum)[TM][TN], const Corner& corner) {
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) store(vector_of(sum, vector), vector, corner);
}

// ---- through global memory ----

__device__ __forceinline__ void add_to(Vector<4>* to, const Vector<4>& value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(TUNER_CPU)
  atomicAdd(reinterpret_cast<float4*>(to),
            make_float4(value.at[0], value.at[1], value.at[2], value.at[3]));
#else
  for (int v = 0; v < 4; ++v) atomicAdd(&to->at[v], value.at[v]);
#endif
}

// Past this multiprocessor's own cache, which does not see the others' additions.
__device__ __forceinline__ Vector<4> load_added(const Vector<4>* from) {
#ifndef TUNER_CPU
  const float4 bits = __ldcg(reinterpret_cast<const float4*>(from));
  return {bits.x, bits.y, bits.z, bits.w};
#else
  return *from;
#endif
}

// Orders this thread's accesses, and what barriers put before them, for all of the device.
// (__threadfence is more, sequentially consistent, and costs more.)
__device__ __forceinline__ void fence() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(TUNER_CPU)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
  __threadfence();
#endif
}

// True for the last of the blocks that share a tile: then the others' sums are there.
__device__ bool is_last(unsigned* arrivals) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    fence();
    last = atomicAdd(arrivals + blockIdx.x, 1u) == gridDim.y - 1;
    if (last) arrivals[blockIdx.x] = 0;
    fence();
  }
  __syncthreads();
  return last;
}

// ---- through the shared memory of a cluster ----

#if TUNE_CLUSTER > 1
__device__ constexpr int power_of_two_up_to(int most) {
  int power = 1;
  while (2 * power <= most) power *= 2;
  return power;
}

__device__ __forceinline__ void add_block(Vector<4>& total, const Vector<4>* words, int block) {
  const float4 part = load_from_block(words, block);
  total.at[0] += part.x;
  total.at[1] += part.y;
  total.at[2] += part.z;
  total.at[3] += part.w;
}

// Calls use(total, vector) with the cluster's totals, for the vectors that are this block's share.
// `memory` holds as many vectors of each thread at a time as there is room for.
template <class Use>
__device__ __forceinline__ void add_up_in_cluster(const float (&sum)[TM][TN], float* memory,
                                                  Use use) {
  constexpr int kRoom = STAGES * kStage / (4 * kThreads);
  constexpr int kRound = power_of_two_up_to(kRoom < kVectors ? kRoom : kVectors);
  constexpr int kShare = kRound / CLUSTER;
  static_assert(kVectors % kRound == 0 && kRound % CLUSTER == 0, "all shares are alike");
  Vector<4>* const words = reinterpret_cast<Vector<4>*>(memory) + threadIdx.x;
  Vector<4>* const mine = words + block_in_cluster() * kThreads;
  wait_groups<0>();  // copies from beyond the end of K would still write to `memory`
  __syncthreads();
#pragma unroll
  for (int first = 0; first < kVectors; first += kRound) {
#pragma unroll
    for (int i = 0; i < kRound; ++i) words[i * kThreads] = vector_of(sum, first + i);
    sync_cluster();
    Vector<4> total[kShare] = {};
#pragma unroll
    for (int i = 0; i < kShare; ++i) {
#pragma unroll
      for (int block = 0; block < CLUSTER; ++block) {
        add_block(total[i], mine + i * CLUSTER * kThreads, block);
      }
    }
#pragma unroll
    for (int i = 0; i < kShare; ++i) use(total[i], first + i * CLUSTER + block_in_cluster());
    meet_cluster();  // only now may `memory` be written again, or its block end
  }
}
#endif

__device__ __forceinline__ void add_up_parts(const float (&sum)[TM][TN], float* memory,
                                             const Corner& corner, float* workspace,
                                             unsigned* arrivals) {
  // Laid out by thread rather than by row: neighbouring threads' vectors are neighbours.
  Vector<4>* const words =
      reinterpret_cast<Vector<4>*>(workspace) + size_t(blockIdx.x) * (BM * BN / 4) + threadIdx.x;
#if TUNE_CLUSTER > 1
  const bool done = gridDim.y == CLUSTER;  // there is one cluster for each tile
  add_up_in_cluster(sum, memory, [&](const Vector<4>& total, int vector) {
    done ? store(total, vector, corner) : add_to(words + vector * kThreads, total);
  });
  if (done) return;
#else
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    add_to(words + vector * kThreads, vector_of(sum, vector));
  }
#endif
  if (!is_last(arrivals)) return;
  Vector<4> total[kVectors];  // all loads come first: together they take little more than one
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    total[vector] = load_added(words + vector * kThreads);
  }
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    words[vector * kThreads] = {};
    store(total[vector], vector, corner);
  }
}
