#pragma once
// FORM registers: a thread's windows are neighbours in both directions. It walks down the rows of
// the image that they cover. The TN + FILTER - 1 elements of one row come in by vectors and serve
// TM x TN windows: FILTER x TM x TN products for five or six loads.

constexpr int kSpan = (TN + FILTER - 1 + 3) / 4 * 4;  // elements of a row, in whole vectors
constexpr int kStride = (kTileColumns + 3) / 4 * 4;

constexpr int UNROLL = TUNE_UNROLL;

static_assert(TN % 4 == 0 && PAD == 0, "rows of windows begin at vectors");
static_assert(TM <= FILTER, "some rows belong to all windows");

// What row `row` of the image, counted from the first that this thread's windows cover, adds to the
// windows `first` to `last` - 1 of each column.
__device__ __forceinline__ void filter_row(SharedFloats from, int row, int first, int last,
                                           float (&sum)[TM][TN]) {
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
    for (int col = 0; col < FILTER; ++col) {
#pragma unroll
      for (int j = 0; j < TN; ++j) sum[i][j] += weights[(row - i) * FILTER + col] * pixel[j + col];
    }
  }
}

// The rows in the middle belong to all windows, the first and the last to some.
__device__ __forceinline__ void filter(SharedFloats tile, float (&sum)[TM][TN]) {
  const SharedFloats from = tile + (threadIdx.y * TM * kStride + threadIdx.x * TN);
#pragma unroll
  for (int row = 0; row < TM - 1; ++row) filter_row(from + row * kStride, row, 0, row + 1, sum);
#pragma unroll UNROLL
  for (int row = TM - 1; row < FILTER; ++row) filter_row(from + row * kStride, row, 0, TM, sum);
#pragma unroll
  for (int row = FILTER; row < kWindowRows; ++row) {
    filter_row(from + row * kStride, row, row - FILTER + 1, TM, sum);
  }
}

// One row of this thread's elements, to the row of out that begins at `row`: by vectors where rows
// are aligned to them.
__device__ void store_row(float* row, int col0, int W, const float (&sum)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
    const int col = col0 + threadIdx.x * TN + j;
    if (W % 4 == 0 && col < W) {
      store_global<4>(row + col, {sum[j], sum[j + 1], sum[j + 2], sum[j + 3]});
    } else {
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        if (col + v < W) row[col + v] = sum[j + v];
      }
    }
  }
}
