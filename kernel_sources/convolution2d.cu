// out = image filtered with a FILTER x FILTER window, float32. The image has a border of FILTER - 1
// more rows and columns, so that every window is complete; out is H x W. The weights are in
// constant memory: all threads of a warp want the same one at the same time.
//
// What each value of FORM changes:
//   global     every element of a window comes from global memory, through the caches
//   shared     a block copies its part of the image, with the halo around it, into shared memory
//              once
//   registers  from there a thread reads each row of its windows once, by vectors, into registers,
//              where it serves all of them
//
// Names: BM x BN tile of out for each block, TM x TN elements for each thread. PAD lengthens the
// rows of the tile in shared memory. UNROLL (registers) is how many rows one turn of the loop
// takes: the more, the fewer loads of weights for each product, and the more code.

#include "shared_floats.cuh"

constexpr int FILTER = TUNE_FILTER;
constexpr int BM = TUNE_BM;
constexpr int BN = TUNE_BN;
constexpr int TM = TUNE_TM;
constexpr int TN = TUNE_TN;
constexpr int PAD = TUNE_PAD;

static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles divide the block tile");

constexpr int kThreadsX = BN / TN;
constexpr int kThreadsY = BM / TM;
constexpr int kTileRows = BM + FILTER - 1;
constexpr int kTileColumns = BN + FILTER - 1;
constexpr int kWindowRows = TM + FILTER - 1;  // of the image, for all windows of a thread

// Aligned, so that they are read alike where a launcher puts those of several variants in a row.
alignas(256) __constant__ float weights[FILTER * FILTER];

#if TUNE_FORM_IS_registers
#include "convolution2d_registers.cuh"
#else

constexpr int kStride = kTileColumns + PAD;

// A thread's columns are kThreadsX apart, so that neighbouring threads read and write neighbouring
// elements; its rows are neighbours, so that one element of the image serves TM windows.
__device__ int column_of_thread(int j) { return threadIdx.x + j * kThreadsX; }

// Adds up the windows of this thread's elements.
template <class Image>
__device__ void filter(Image image, float (&sum)[TM][TN]) {
  for (int row = 0; row < kWindowRows; ++row) {
#pragma unroll
    for (int col = 0; col < FILTER; ++col) {
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        const float pixel = image(threadIdx.y * TM + row, column_of_thread(j) + col);
#pragma unroll
        for (int i = 0; i < TM; ++i) {
          const int r = row - i;
          if (0 <= r && r < FILTER) sum[i][j] += weights[r * FILTER + col] * pixel;
        }
      }
    }
  }
}

// One row of this thread's elements, to the row of out that begins at `row`.
__device__ void store_row(float* row, int col0, int W, const float (&sum)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int col = col0 + column_of_thread(j);
    if (col < W) row[col] = sum[j];
  }
}
#endif

// Copies the block's part of the image. At the EDGE of the image zeros stand for what lies beyond;
// elsewhere nothing is asked, so that copies take few of the instructions.
template <bool EDGE>
__device__ __forceinline__ void load_tile(const float* __restrict__ corner, int height, int width,
                                          int stride, SharedFloats tile) {
  for (int r = threadIdx.y; r < kTileRows; r += kThreadsY) {
    const float* from = corner + size_t(r) * stride;
    const SharedFloats to = tile + r * kStride;
#pragma unroll
    for (int step = 0; step < kTileColumns; step += kThreadsX) {
      const int c = step + threadIdx.x;
      if (step + kThreadsX > kTileColumns && c >= kTileColumns) break;
      store(to + c, !EDGE || (r < height && c < width) ? from[c] : 0.0f);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreadsX* kThreadsY)
    convolution2d(const float* __restrict__ image, float* __restrict__ out, int H, int W) {
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int width = W + FILTER - 1, height = H + FILTER - 1;
  float sum[TM][TN] = {};

#if TUNE_FORM_IS_global
  // Beyond the edge the last row and column stand in; what they give is not stored.
  filter(
      [&](int r, int c) {
        return image[size_t(min(row0 + r, height - 1)) * width + min(col0 + c, width - 1)];
      },
      sum);
#else
  alignas(16) __shared__ float tile[kTileRows][kStride];
  const float* corner = image + size_t(row0) * width + col0;
  const SharedFloats shared = shared_floats(&tile[0][0]);
  if (row0 + kTileRows <= height && col0 + kTileColumns <= width) {
    load_tile<false>(corner, height - row0, width - col0, width, shared);
  } else {
    load_tile<true>(corner, height - row0, width - col0, width, shared);
  }
  __syncthreads();
#if TUNE_FORM_IS_shared
  filter([&](int r, int c) { return tile[r][c]; }, sum);
#else
  filter(shared, sum);
#endif
#endif

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = row0 + threadIdx.y * TM + i;
    if (row < H) store_row(out + size_t(row) * W, col0, W, sum[i]);
  }
}

extern "C" __global__ void convolution2d_reference(const float* __restrict__ image,
                                                   float* __restrict__ out, int H, int W) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= H || col >= W) return;
  double sum = 0;
  for (int r = 0; r < FILTER; ++r) {
    for (int c = 0; c < FILTER; ++c) {
      sum += double(weights[r * FILTER + c]) * image[size_t(row + r) * (W + FILTER - 1) + col + c];
    }
  }
  out[size_t(row) * W + col] = float(sum);
}
