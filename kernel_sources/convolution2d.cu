// out = image filtered with a FILTER x FILTER window, float32. The image has a border of FILTER - 1
// more rows and columns, so that every window is complete; out is H x W. The weights are in
// constant memory: all threads of a warp want the same one at the same time.
//
// What each value of FORM changes:
//   global  every element of a window comes from global memory, through the caches
//   shared  a block copies its part of the image, with the halo around it, into shared memory once
//
// Names: BM x BN tile of out for each block, TM x TN elements for each thread. PAD lengthens the
// rows of the tile in shared memory.

constexpr int FILTER = TUNE_FILTER;
constexpr int BM = TUNE_BM;
constexpr int BN = TUNE_BN;
constexpr int TM = TUNE_TM;
constexpr int TN = TUNE_TN;

static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles divide the block tile");

constexpr int kThreadsX = BN / TN;
constexpr int kThreadsY = BM / TM;

__constant__ float weights[FILTER * FILTER];

// Adds up the windows of this thread's elements. A thread's columns are kThreadsX apart, so that
// neighbouring threads read neighbouring elements; its rows are neighbours, so that one element of
// the image serves TM windows.
template <class Image>
__device__ void filter(Image image, float (&sum)[TM][TN]) {
  for (int row = 0; row < TM + FILTER - 1; ++row) {
#pragma unroll
    for (int col = 0; col < FILTER; ++col) {
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        const float pixel = image(threadIdx.y * TM + row, threadIdx.x + j * kThreadsX + col);
#pragma unroll
        for (int i = 0; i < TM; ++i) {
          const int r = row - i;
          if (0 <= r && r < FILTER) sum[i][j] += weights[r * FILTER + col] * pixel;
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreadsX* kThreadsY)
    convolution2d(const float* __restrict__ image, float* __restrict__ out, int H, int W) {
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int width = W + FILTER - 1, height = H + FILTER - 1;
  float sum[TM][TN] = {};

#if TUNE_FORM_IS_shared
  constexpr int kStride = BN + FILTER - 1 + TUNE_PAD;
  __shared__ float tile[BM + FILTER - 1][kStride];
  for (int r = threadIdx.y; r < BM + FILTER - 1; r += kThreadsY) {
    for (int c = threadIdx.x; c < BN + FILTER - 1; c += kThreadsX) {
      const bool inside = row0 + r < height && col0 + c < width;
      tile[r][c] = inside ? image[size_t(row0 + r) * width + col0 + c] : 0.0f;
    }
  }
  __syncthreads();
  filter([&](int r, int c) { return tile[r][c]; }, sum);
#else
  // Beyond the edge the last row and column stand in; what they give is not stored.
  filter(
      [&](int r, int c) {
        return image[size_t(min(row0 + r, height - 1)) * width + min(col0 + c, width - 1)];
      },
      sum);
#endif

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = row0 + threadIdx.y * TM + i;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int col = col0 + threadIdx.x + j * kThreadsX;
      if (row < H && col < W) out[size_t(row) * W + col] = sum[i][j];
    }
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
