#pragma once
// FORM global and shared: each element of a window is read where it is wanted. A thread's columns are as many
// apart as a block is wide, so that neighbouring threads read and write neighbouring elements; its rows are
// neighbours, so that one element of the image serves TM windows.
//
//   columns:  thread 0 | 1 | 2 | ... | 0 | 1 | 2 | ...      rows:  thread 0: 0 1 ... TM-1 | thread 1: TM ...

template <class Tile>
struct Windows {
  static constexpr int TM = Tile::TM, TN = Tile::TN, kFilter = Tile::kFilter;
  static constexpr int kStride = Tile::kColumns + Tile::kPad;

  __device__ static int column_of_thread(int j) { return threadIdx.x + j * Tile::kThreadsX; }

  // Adds up the windows of this thread's elements: `image` and `weight` are asked for row and column.
  template <class Image, class Weight>
  __device__ static void filter(Image image, Weight weight, float (&sum)[TM][TN]) {
    for (int row = 0; row < TM + kFilter - 1; ++row) {
#pragma unroll
      for (int col = 0; col < kFilter; ++col) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          const float pixel = image(threadIdx.y * TM + row, column_of_thread(j) + col);
#pragma unroll
          for (int i = 0; i < TM; ++i) {
            const int r = row - i;
            if (0 <= r && r < kFilter) sum[i][j] += weight(r, col) * pixel;
          }
        }
      }
    }
  }

  // One row of this thread's elements, to the row of out that begins at `row`.
  __device__ static void store_row(float* row, int col0, int W, const float (&sum)[TN]) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int col = col0 + column_of_thread(j);
      if (col < W) row[col] = sum[j];
    }
  }
};
