#pragma once
// One row: its elements wait in the registers of its threads, ITEMS vectors of VEC in each, as they came
// from memory, until the row's mean and deviation are known. So each is read once and written once.

#include "norm_element.cuh"
#include "row_total.cuh"

// Where the matrices lie. `residual`, `sum` (RESIDUAL) and `bias` (layer norm) are not looked at otherwise.
struct Matrices {
  const Element *x, *residual, *weight, *bias;
  Element *y, *sum;
  int rows, columns;
  float epsilon;
};

template <class Shape>
struct NormRow {
  static constexpr int kItems = Shape::kItems, kVector = Shape::kVector;
  static constexpr int kThreads = Shape::kCluster * Shape::kThreads;  // of a row
  static constexpr bool kLayer = Shape::kLayer, kResidual = Shape::kResidual;
  using Vector = Elements<Element, kVector>;
  using Sum = RowTotal<Shape::kThreads, Shape::kRows, Shape::kCluster>;

  const Matrices& m;
  int thread;  // of the row's
  Vector held[kItems];

  __device__ NormRow(const Matrices& matrices, int thread_of_row)
      : m(matrices), thread(thread_of_row) {}

  __device__ int place(int i) const { return (i * kThreads + thread) * kVector; }

  template <bool ONCE>
  __device__ __forceinline__ static Vector load(const Element* from) {
    return load_elements<kVector, ONCE>(from);
  }

  // Where `x` and `residual` are those of the row, in global or shared memory.
  template <bool ONCE>
  __device__ __forceinline__ void load_row(const Element* x, const Element* residual) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      held[i] = {};  // no matter what lies behind the end, it adds nothing to a sum
      if (place(i) < m.columns) held[i] = load<ONCE>(x + place(i));
    }
    if constexpr (kResidual) {
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        if (place(i) >= m.columns) continue;
        const Vector other = load<ONCE>(residual + place(i));
        float both[kVector];
#pragma unroll
        for (int v = 0; v < kVector; ++v) both[v] = widen(held[i].at[v]) + widen(other.at[v]);
        held[i] = narrow_all(both);
      }
    }
  }

  struct Line {
    float mean, scale;  // a result is (x - mean) * scale * weight + bias
  };

  // All threads of the row meet here, once or (layer norm) twice.
  __device__ __forceinline__ Line line(Sum& over_row) const {
    float mean = 0, squares = 0;
    if constexpr (kLayer) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) sum += widen(held[i].at[v]);
      }
      mean = over_row(sum) / m.columns;
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (place(i) >= m.columns) continue;
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        const float distance = widen(held[i].at[v]) - mean;
        squares += distance * distance;
      }
    }
    return {mean, rsqrtf(over_row(squares) / m.columns + m.epsilon)};
  }

  // `weight(i)` and `bias(i)` give the i-th vector of this thread.
  template <bool ONCE, class Weight, class Bias>
  __device__ __forceinline__ void store_row(long long row, Line line, Weight weight,
                                            Bias bias) const {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (place(i) >= m.columns) continue;
      const long long at = row * m.columns + place(i);
      const Vector w = weight(i);
      float y[kVector];
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        y[v] = (widen(held[i].at[v]) - line.mean) * line.scale * widen(w.at[v]);
      }
      if constexpr (kLayer) {
        const Vector b = bias(i);
#pragma unroll
        for (int v = 0; v < kVector; ++v) y[v] += widen(b.at[v]);
      }
      if constexpr (kResidual) store_elements<ONCE>(m.sum + at, held[i]);
      store_elements<ONCE>(m.y + at, narrow_all(y));
    }
  }
};

// FORM registers: BLOCK threads of CLUSTER blocks share a row, or ROWS rows share a block.
template <class Shape>
__device__ __forceinline__ void norm_in_registers(const Matrices& m) {
  using Row = NormRow<Shape>;
  __shared__ typename Row::Sum::Memory memory;
  typename Row::Sum over_row(memory);
  const int rank = int(blockIdx.x) % Shape::kCluster;
  Row row(m, rank * Shape::kThreads + int(threadIdx.x));
  // Rows beyond the end are computed again rather than left out: all threads meet at the barriers.
  const long long at = min(int(blockIdx.x) / Shape::kCluster * Shape::kRows + int(threadIdx.y),
                           m.rows - 1);
  row.template load_row<Shape::kLoadOnce>(m.x + at * m.columns, m.residual + at * m.columns);
  const auto line = row.line(over_row);
  row.template store_row<Shape::kStoreOnce>(
      at, line, [&](int i) { return Row::template load<false>(m.weight + row.place(i)); },
      [&](int i) { return Row::template load<false>(m.bias + row.place(i)); });
}
