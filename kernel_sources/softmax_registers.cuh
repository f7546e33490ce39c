#pragma once
// FORM registers: CLUSTER blocks of BLOCK threads hold a row, or a block has ROWS of them: ITEMS
// vectors of VEC in each thread, from the boundary of vectors before the row on. Each warp takes the
// maximum of what it holds and sums up relative to that: so all tell each other both numbers at
// once, and wait for each other once.
//
//   boundary | before | vector of thread 0 | thread 1 | ...      vector i + 1 begins THREADS vectors later

#include "elements.cuh"
#include "softmax_row.cuh"

template <int THREADS, int ITEMS, int VEC>
struct HeldRow {
  using Vector = Elements<float, VEC>;
  static constexpr int kHeld = THREADS * ITEMS * VEC;

  Vector held[ITEMS];
  int thread;      // of the row's
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

  __device__ __forceinline__ void store(float* to, bool vectors, float scale) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = place(i);
#pragma unroll
      for (int v = 0; v < VEC; ++v) held[i].at[v] *= scale;
      if (vectors && whole(at)) {
        assign_elements(to + at, held[i]);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          if (begin <= at + v && at + v < end) to[at + v] = held[i].at[v];
        }
      }
    }
  }
};

// A longer row has no place there; what does not fit is read again.
template <class Shape>
__device__ __forceinline__ void softmax_in_registers(const float* X, float* Y, int M, int N) {
  constexpr int kThreads = Shape::kCluster * Shape::kThreads;  // of the row
  using Row = HeldRow<kThreads, Shape::kItems, Shape::kVector>;
  using Total = RowTotal<Shape::kThreads, Shape::kRows, Shape::kCluster, Normalizing>;
  __shared__ typename Total::Memory memory;
  Total over_row(memory);
  // Rows beyond the end are computed again rather than left out: all threads meet at the barriers.
  const int at = min(int(blockIdx.x) / Shape::kCluster * Shape::kRows + int(threadIdx.y), M - 1);
  const int thread = int(blockIdx.x) % Shape::kCluster * Shape::kThreads + int(threadIdx.x);
  const float* x = X + size_t(at) * N;
  float* y = Y + size_t(at) * N;
  const bool aligned = aligned_alike<Shape::kVector>(x, y);
  const int before = beyond_boundary<Shape::kVector>(x);
  const int rest = Row::kHeld - before + thread;

  Row row(thread, before, before + N);
  float most = row.load(x - before, aligned);
  for (int i = rest; i < N; i += kThreads) most = fmaxf(most, x[i]);
  most = Largest::over_lanes(most);
  float sum = row.exponentiate(most);
  for (int i = rest; i < N; i += kThreads) sum += expf(x[i] - most);
  const Share all = over_row.of_warps(Share{most, Adding::over_lanes(sum)});
  row.store(y - before, aligned, expf(most - all.most) / all.sum);
  for (int i = rest; i < N; i += kThreads) y[i] = expf(x[i] - all.most) / all.sum;
}
