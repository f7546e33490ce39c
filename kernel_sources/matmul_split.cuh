#pragma once
// How sums get to C, also where several slices of a block, or several blocks, share a tile, in the
// same launch.
//
// What can meet on the chip does so (matmul_on_chip.cuh). Parts that then remain are added in the
// tile's words of `workspace`; the last block to arrive stores the total and leaves zeros behind.
// `workspace` and `arrivals` are thus zero before and after each launch. Sums move as vectors of 4
// columns, `kVectors` a thread.

constexpr int kVectors = TM * TN / 4;

struct Corner {
  float* first;  // this lane's first element of C
  int stride;    // of its rows
};

__device__ __forceinline__ void store(const Vector<4>& value, int vector, const Corner& corner) {
  const int i = vector / (TN / 4), j = vector % (TN / 4);
  float* const to =
      corner.first + size_t(i / 4 * 4 * (WM / TM) + i % 4) * corner.stride + j * 4 * kLanesN;
  if constexpr (VEC == 4) {
    store_elements(to, value);
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
__device__ bool is_last(unsigned* arrivals, const Part& part) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    fence();
    const unsigned share = part.share, whole = part.whole;
    last = atomicAdd(arrivals + part.tile, share) + share == whole;
    if (last) arrivals[part.tile] = 0;
    fence();
  }
  __syncthreads();
  return last;
}

#if TUNE_SLICES > 1 || TUNE_CLUSTER > 1
#include "matmul_on_chip.cuh"
#endif

__device__ __forceinline__ void add_up_parts(const float (&sum)[TM][TN], float* memory,
                                             const Corner& corner, const Part& part,
                                             float* workspace, unsigned* arrivals) {
  // Laid out by thread rather than by row: neighbouring threads' vectors are neighbours.
  Vector<4>* const words = reinterpret_cast<Vector<4>*>(workspace) +
                           size_t(part.tile) * (BM * BN / 4) + threadIdx.x % kSliceThreads;
#if TUNE_SLICES > 1 || TUNE_CLUSTER > 1
  const bool done = part.share * CLUSTER == part.whole;  // no other block has a part
  add_up_on_chip(sum, memory, [&](const Vector<4>& total, int vector) {
    done ? store(total, vector, corner) : add_to(words + vector * kSliceThreads, total);
  });
  if (done) return;
#else
#pragma unroll
  for (int vector = 0; vector < kVectors; ++vector) {
    add_to(words + vector * kSliceThreads, vector_of(sum, vector));
  }
#endif
  if (!is_last(arrivals, part)) return;
  const int first = threadIdx.x / kSliceThreads;  // slices take turns
  // All loads come first: together they take little more than one.
  Vector<4> total[kVectors / SLICES];
#pragma unroll
  for (int i = 0; i < kVectors / SLICES; ++i) {
    total[i] = load_added(words + (i * SLICES + first) * kSliceThreads);
  }
#pragma unroll
  for (int i = 0; i < kVectors / SLICES; ++i) {
    words[(i * SLICES + first) * kSliceThreads] = {};
    store(total[i], i * SLICES + first, corner);
  }
}
