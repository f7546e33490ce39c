#pragma once
// FORM registers: a thread's windows are neighbours in both directions. It walks down the rows of
// the image that they cover. The TN + FILTER - 1 elements of one row come in by vectors and serve
// TM x TN windows: FILTER x TM x TN products for five or six loads.
//
//   row of the image:  [ v v v v | v v v v | ... ]  ->  TN windows, in each of up to TM rows of out

#include "elements.cuh"
#include "shared_floats.cuh"

template <class Tile>
struct RegisterWindows {
  static constexpr int TM = Tile::TM, TN = Tile::TN, kFilter = Tile::kFilter;
  static constexpr int kSpan =
      (TN + kFilter - 1 + 3) / 4 * 4;  // elements of a row, in whole vectors
  static constexpr int kStride = (Tile::kColumns + 3) / 4 * 4;
  static constexpr int kWindowRows = TM + kFilter - 1;
  static constexpr int kUnroll = Tile::kUnroll;

  static_assert(TN % 4 == 0 && Tile::kPad == 0, "rows of windows begin at vectors");
  static_assert(TM <= kFilter, "some rows belong to all windows");

  // What row `row` of the image, counted from the first that this thread's windows cover, adds to the
  // windows `first` to `last` - 1 of each column.
  template <class Weight>
  __device__ __forceinline__ static void filter_row(SharedFloats from, Weight weight, int row,
                                                    int first, int last, float (&sum)[TM][TN]) {
    float pixel[kSpan];
#pragma unroll
    for (int c = 0; c < kSpan; c += 4) {
      const Vector<4> part = load_vector(from + c);
#pragma unroll
      for (int v = 0; v < 4; ++v) pixel[c + v] = part.at[v];
    }
#pragma unroll
    for (int i = first; i < last; ++i) {
#pragma unroll
      for (int col = 0; col < kFilter; ++col) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += weight(row - i, col) * pixel[j + col];
      }
    }
  }

  // The rows in the middle belong to all windows, the first and the last to some.
  template <class Weight>
  __device__ __forceinline__ static void filter(SharedFloats tile, Weight weight,
                                                float (&sum)[TM][TN]) {
    const SharedFloats from = tile + (threadIdx.y * TM * kStride + threadIdx.x * TN);
#pragma unroll
    for (int row = 0; row < TM - 1; ++row) {
      filter_row(from + row * kStride, weight, row, 0, row + 1, sum);
    }
#pragma unroll kUnroll
    for (int row = TM - 1; row < kFilter; ++row) {
      filter_row(from + row * kStride, weight, row, 0, TM, sum);
    }
#pragma unroll
    for (int row = kFilter; row < kWindowRows; ++row) {
      filter_row(from + row * kStride, weight, row, row - kFilter + 1, TM, sum);
    }
  }

  // One row of this thread's elements, to the row of out that begins at `row`: by vectors where rows
  // are aligned to them.
  __device__ static void store_row(float* row, int col0, int W, const float (&sum)[TN]) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int col = col0 + threadIdx.x * TN + j;
      if (W % 4 == 0 && col < W) {
        store_elements(row + col, Vector<4>{sum[j], sum[j + 1], sum[j + 2], sum[j + 3]});
      } else {
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          if (col + v < W) row[col + v] = sum[j + v];
        }
      }
    }
  }
};
