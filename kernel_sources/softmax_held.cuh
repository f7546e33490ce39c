#pragma once
// A row, or a block's part of it, in registers: ITEMS vectors of VEC in each of THREADS threads, from the
// boundary of vectors before it on. Each thread takes the maximum of what it holds and sums up relative to
// that: so all tell each other both numbers at once, and wait for each other once.
//
//   boundary | before | vector of thread 0 | thread 1 | ...      vector i + 1 begins THREADS vectors later

#include "elements.cuh"
#include "softmax_row.cuh"

template <int THREADS, int ITEMS, int VEC>
struct HeldRow {
  using Vector = Elements<float, VEC>;
  static constexpr int kHeld = THREADS * ITEMS * VEC;

  Vector held[ITEMS];
  int thread;      // of those that share the elements
  int begin, end;  // of the elements, counted from the boundary

  __device__ HeldRow(int thread_of_row, int begins, int ends)
      : thread(thread_of_row), begin(begins), end(ends) {}

  __device__ int place(int i) const { return (i * THREADS + thread) * VEC; }
  __device__ bool whole(int at) const { return begin <= at && at + VEC <= end; }

  // From a boundary on: `vectors`, where all of them may be read at once. Returns the largest element.
  __device__ __forceinline__ float load(const float* from, bool vectors) {
    float most = kLowest;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = place(i);
      if (vectors && whole(at)) {
        held[i] = load_elements<VEC>(from + at);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          held[i].at[v] = begin <= at + v && at + v < end ? from[at + v] : kLowest;
        }
      }
#pragma unroll
      for (int v = 0; v < VEC; ++v) most = fmaxf(most, held[i].at[v]);
    }
    return most;
  }

  // Each element becomes exp(element - most). Returns what they come to.
  __device__ __forceinline__ float exponentiate(float most) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        held[i].at[v] = expf(held[i].at[v] - most);
        sum += held[i].at[v];
      }
    }
    return sum;
  }

  template <bool ONCE>
  __device__ __forceinline__ void store(float* to, bool vectors, float scale) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = place(i);
#pragma unroll
      for (int v = 0; v < VEC; ++v) held[i].at[v] *= scale;
      if (vectors && whole(at)) {
        store_elements<ONCE>(to + at, held[i]);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          if (begin <= at + v && at + v < end) to[at + v] = held[i].at[v];
        }
      }
    }
  }
};
