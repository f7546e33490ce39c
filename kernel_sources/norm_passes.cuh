#pragma once
// FORM passes: the textbook's. A block of BLOCK threads reads its row once for each sum and once more for
// the result; what it reads again comes from a cache, as long as the row fits there.

#include "norm_row.cuh"

template <class Shape>
__device__ void norm_in_passes(const Matrices& m) {
  using Sum = RowTotal<Shape::kThreads, 1, 1>;
  __shared__ typename Sum::Memory memory;
  Sum over_row(memory);
  const long long row = (long long)blockIdx.x * m.columns;
  const auto element = [&](int i) {
    if constexpr (!Shape::kResidual) return widen(m.x[row + i]);
    return widen(narrow(widen(m.x[row + i]) + widen(m.residual[row + i])));
  };
  float mean = 0;
  if constexpr (Shape::kLayer) {
    float sum = 0;
    for (int i = threadIdx.x; i < m.columns; i += Shape::kThreads) sum += element(i);
    mean = over_row(sum) / m.columns;
  }
  float squares = 0;
  for (int i = threadIdx.x; i < m.columns; i += Shape::kThreads) {
    const float distance = element(i) - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(over_row(squares) / m.columns + m.epsilon);
  for (int i = threadIdx.x; i < m.columns; i += Shape::kThreads) {
    const float x = element(i);
    if constexpr (Shape::kResidual) m.sum[row + i] = narrow(x);
    float y = (x - mean) * scale * widen(m.weight[i]);
    if constexpr (Shape::kLayer) y += widen(m.bias[i]);
    m.y[row + i] = narrow(y);
  }
}
