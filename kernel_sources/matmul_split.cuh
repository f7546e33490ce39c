#pragma once
// How sums get to C, also where several slices of a block, or several blocks, share a tile, in the
// same launch.
//
// What can meet on the chip does so (matmul_on_chip.cuh). Parts that then remain are added in the
// tile's words of `workspace`; the last block to arrive stores the total and leaves zeros behind.
// `workspace` and `arrivals` are thus zero before and after each launch.

#include "last_block.cuh"
#include "matmul_on_chip.cuh"
#include "matmul_parts.cuh"

struct Corner {
  float* first;  // this lane's first element of C
  int stride;    // of its rows
};

template <class S>
__device__ __forceinline__ void store(const Vector<4>& value, int vector, const Corner& corner) {
  const int i = vector / (S::TN / 4), j = vector % (S::TN / 4);
  float* const to = corner.first + size_t(i / 4 * 4 * (S::WM / S::TM) + i % 4) * corner.stride +
                    j * 4 * S::kLanesN;
  if constexpr (S::VEC == 4) {
    store_elements(to, value);
  } else {
#pragma unroll
    for (int v = 0; v < 4; ++v) to[v] = value.at[v];
  }
}

template <class S>
__device__ __forceinline__ void store(const float (&sum)[S::TM][S::TN], const Corner& corner) {
#pragma unroll
  for (int vector = 0; vector < S::kVectors; ++vector)
    store<S>(vector_of<S>(sum, vector), vector, corner);
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

template <class S>
__device__ __forceinline__ void add_up_parts(const float (&sum)[S::TM][S::TN], float* memory,
                                             const Corner& corner, const Part& part,
                                             float* workspace, unsigned* arrivals) {
  // Laid out by thread rather than by row: neighbouring threads' vectors are neighbours.
  Vector<4>* const words = reinterpret_cast<Vector<4>*>(workspace) +
                           size_t(part.tile) * (S::BM * S::BN / 4) + threadIdx.x % S::kSliceThreads;
  if constexpr (S::SLICES > 1 || S::CLUSTER > 1) {
    const bool done = part.share * S::CLUSTER == part.whole;  // no other block has a part
    add_up_on_chip<S>(sum, memory, [&](const Vector<4>& total, int vector) {
      done ? store<S>(total, vector, corner) : add_to(words + vector * S::kSliceThreads, total);
    });
    if (done) return;
  } else {
#pragma unroll
    for (int vector = 0; vector < S::kVectors; ++vector) {
      add_to(words + vector * S::kSliceThreads, vector_of<S>(sum, vector));
    }
  }
  if (!block_completes(arrivals + part.tile, part.share, part.whole)) return;
  const int first = threadIdx.x / S::kSliceThreads;  // slices take turns
  // All loads come first: together they take little more than one.
  Vector<4> total[S::kVectors / S::SLICES];
#pragma unroll
  for (int i = 0; i < S::kVectors / S::SLICES; ++i) {
    total[i] = load_added(words + (i * S::SLICES + first) * S::kSliceThreads);
  }
#pragma unroll
  for (int i = 0; i < S::kVectors / S::SLICES; ++i) {
    words[(i * S::SLICES + first) * S::kSliceThreads] = {};
    store<S>(total[i], i * S::SLICES + first, corner);
  }
}
