#pragma once
// FORM three_pass, online and shared: passes over a row, VEC elements at a time. What lies before the
// first boundary of vectors in memory and after the last goes by single elements.
//
//   | one by one | vector | vector | ... | vector | one by one |

#include "elements.cuh"
#include "softmax_row.cuh"

template <class Shape>
struct RowPasses {
  static constexpr int kThreads = Shape::kThreads, kVector = Shape::kVector;
  using Vector = Elements<float, kVector>;

  const float* x;
  float* y;
  int N;
  int begin = 0, end = 0;  // of the elements that go by vectors

  // Rows beyond the end are computed again rather than left out: all threads meet at the barriers.
  __device__ RowPasses(const float* X, float* Y, int M, int columns) : N(columns) {
    const size_t row = min(int(blockIdx.x) * Shape::kRows + int(threadIdx.y), M - 1);
    x = X + row * N;
    y = Y + row * N;
    if (!aligned_alike<kVector>(x, y)) return;
    begin = min((kVector - beyond_boundary<kVector>(x)) % kVector, N);
    end = begin + (N - begin) / kVector * kVector;
  }

  template <class Operation>
  __device__ static typename Operation::Value over_row(typename Operation::Value value) {
    using Total = RowTotal<kThreads, Shape::kRows, 1, Operation>;
    __shared__ typename Total::Memory memory;
    return Total(memory)(value);
  }

  // Calls use(element) for this thread's elements of the row.
  template <class Use>
  __device__ void for_each(Use use) const {
    const int thread = threadIdx.x;
    if (thread < begin) use(x[thread]);
    for (int i = begin + thread * kVector; i < end; i += kThreads * kVector) {
      const Vector value = load_elements<kVector>(x + i);
#pragma unroll
      for (int v = 0; v < kVector; ++v) use(value.at[v]);
    }
#pragma unroll 1
    for (int i = end + thread; i < N; i += kThreads) use(x[i]);
  }

  // Writes of(element) from one row to another for this thread's elements.
  template <class Of>
  __device__ void map(const float* from, float* to, Of of) const {
    const int thread = threadIdx.x;
    if (thread < begin) to[thread] = of(from[thread]);
    for (int i = begin + thread * kVector; i < end; i += kThreads * kVector) {
      Vector value = load_elements<kVector>(from + i);
#pragma unroll
      for (int v = 0; v < kVector; ++v) value.at[v] = of(value.at[v]);
      assign_elements(to + i, value);
    }
#pragma unroll 1
    for (int i = end + thread; i < N; i += kThreads) to[i] = of(from[i]);
  }
};

template <class Shape>
__device__ void softmax_in_three_passes(const float* X, float* Y, int M, int N) {
  const RowPasses<Shape> row(X, Y, M, N);
  float most = kLowest, sum = 0;
  row.for_each([&](float value) { most = fmaxf(most, value); });
  most = row.template over_row<Largest>(most);
  row.for_each([&](float value) { sum += expf(value - most); });
  const float scale = 1 / row.template over_row<Adding>(sum);
  row.map(row.x, row.y, [&](float value) { return expf(value - most) * scale; });
}

// Maximum and sum in one pass: each new maximum rescales the sum.
template <class Shape>
__device__ void softmax_online(const float* X, float* Y, int M, int N) {
  const RowPasses<Shape> row(X, Y, M, N);
  Share mine = {kLowest, 0};
  row.for_each([&](float value) {
    const float before = mine.most;
    mine.most = fmaxf(mine.most, value);
    if (mine.most > before) mine.sum *= expf(before - mine.most);
    mine.sum += expf(value - mine.most);
  });
  const Share all = row.template over_row<Normalizing>(mine);
  const float scale = 1 / all.sum;
  row.map(row.x, row.y, [&](float value) { return expf(value - all.most) * scale; });
}

// The row waits in shared memory. Each thread reads back only what it wrote itself, so that no barrier is
// needed. A row lies there as it does in global memory, up to VEC - 1 elements beyond a boundary.
template <class Shape>
__device__ void softmax_in_shared(const float* X, float* Y, int M, int N) {
  constexpr int kVector = Shape::kVector;
  const RowPasses<Shape> row(X, Y, M, N);
  extern __shared__ float4 rows[];
  float* kept = reinterpret_cast<float*>(rows) +
                size_t(threadIdx.y) * ((N + kVector - 1 + 3) / 4 * 4) +
                beyond_boundary<kVector>(row.x);
  float most = kLowest, sum = 0;
  row.map(row.x, kept, [&](float value) {
    most = fmaxf(most, value);
    return value;
  });
  most = row.template over_row<Largest>(most);
  row.map(kept, kept, [&](float value) {
    value = expf(value - most);
    sum += value;
    return value;
  });
  const float scale = 1 / row.template over_row<Adding>(sum);
  row.map(kept, row.y, [&](float value) { return value * scale; });
}
