#pragma once
// FORM bulk (Hopper): blocks that stay and take row after row, with the weights in registers. The copy
// engine brings STAGES rows ahead into shared memory, so that memory is never idle while a row's threads
// wait for each other.

#include "bulk_copy.cuh"
#include "norm_row.cuh"

template <class Shape>
__device__ __forceinline__ void norm_in_bulk(const Matrices& m) {
  using Row = NormRow<Shape>;
  constexpr int kStages = Shape::kStages;
  __shared__ typename Row::Sum::Memory memory;
  __shared__ Barrier full[kStages];
  extern __shared__ __align__(128) char rows[];
  const int row_bytes = m.columns * int(sizeof(Element));
  const int stage_bytes = row_bytes * (Shape::kResidual ? 2 : 1);
  const bool orders = threadIdx.x == 0;

  const auto fetch = [&](int stage, long long row) {
    char* to = rows + stage * stage_bytes;
    arrive_expecting(&full[stage], stage_bytes);
    load_stretch<Shape::kLoadOnce>(to, m.x + row * m.columns, row_bytes, &full[stage]);
    if constexpr (Shape::kResidual) {
      load_stretch<Shape::kLoadOnce>(to + row_bytes, m.residual + row * m.columns, row_bytes, &full[stage]);
    }
  };
  if (orders) {
    for (int s = 0; s < kStages; ++s) init_barrier(&full[s], 1);
    publish_barriers();
    for (int s = 0; s < kStages; ++s) {
      const long long row = blockIdx.x + (long long)s * gridDim.x;
      if (row < m.rows) fetch(s, row);
    }
  }

  typename Row::Sum over_row(memory);
  Row row(m, threadIdx.x);
  typename Row::Vector weight[Shape::kItems], bias[Shape::kItems];
#pragma unroll
  for (int i = 0; i < Shape::kItems; ++i) {
    if (row.place(i) >= m.columns) continue;
    weight[i] = Row::template load<false>(m.weight + row.place(i));
    if constexpr (Shape::kLayer) bias[i] = Row::template load<false>(m.bias + row.place(i));
  }
  __syncthreads();

  int stage = 0, parity = 0;
  for (long long at = blockIdx.x; at < m.rows; at += gridDim.x) {
    wait_for(&full[stage], parity);
    const char* here = rows + stage * stage_bytes;
    row.template load_row<false>(reinterpret_cast<const Element*>(here),
                                 reinterpret_cast<const Element*>(here + row_bytes));
    const auto line = row.line(over_row);
    // All have read the stage: they met in line().
    const long long next = at + (long long)kStages * gridDim.x;
    if (orders && next < m.rows) fetch(stage, next);
    row.template store_row<Shape::kStoreOnce>(
        at, line, [&](int i) { return weight[i]; }, [&](int i) { return bias[i]; });
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
}
