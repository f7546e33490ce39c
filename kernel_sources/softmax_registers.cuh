#pragma once
// FORM registers: CLUSTER blocks of BLOCK threads hold a row, or a block has ROWS of them. A longer row
// has no place there; what does not fit is read again.

#include "softmax_held.cuh"

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
  float sum = row.exponentiate(most);
  for (int i = rest; i < N; i += kThreads) sum += expf(x[i] - most);
  const Share all = over_row(Share{most, sum});
  row.template store<false>(y - before, aligned, expf(most - all.most) / all.sum);
  for (int i = rest; i < N; i += kThreads) y[i] = expf(x[i] - all.most) / all.sum;
}
