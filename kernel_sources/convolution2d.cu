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

struct Tile {
  static constexpr int kFilter = TUNE_FILTER;
  static constexpr int BM = TUNE_BM, BN = TUNE_BN;
  static constexpr int TM = TUNE_TM, TN = TUNE_TN;
  static constexpr int kPad = TUNE_PAD, kUnroll = TUNE_UNROLL;
  static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles divide the block tile");

  static constexpr int kThreadsX = BN / TN, kThreadsY = BM / TM;
  static constexpr int kRows = BM + kFilter - 1;  // of the image
  static constexpr int kColumns = BN + kFilter - 1;
};

// Aligned, so that they are read alike where a launcher puts those of several variants in a row.
alignas(256) __constant__ float weights[Tile::kFilter * Tile::kFilter];

struct Weight {
  __device__ float operator()(int r, int c) const { return weights[r * Tile::kFilter + c]; }
};

#if TUNE_FORM_IS_registers
#include "convolution2d_registers.cuh"
using Form = RegisterWindows<Tile>;
#else
#include "convolution2d_windows.cuh"
using Form = Windows<Tile>;
#endif

// Copies the block's part of the image. At the EDGE of the image zeros stand for what lies beyond;
// elsewhere nothing is asked, so that copies take few of the instructions.
template <bool EDGE>
__device__ __forceinline__ void load_tile(const float* __restrict__ corner, int height, int width,
                                          int stride, SharedFloats tile) {
  for (int r = threadIdx.y; r < Tile::kRows; r += Tile::kThreadsY) {
    const float* from = corner + size_t(r) * stride;
    const SharedFloats to = tile + r * Form::kStride;
#pragma unroll
    for (int step = 0; step < Tile::kColumns; step += Tile::kThreadsX) {
      const int c = step + threadIdx.x;
      if (step + Tile::kThreadsX > Tile::kColumns && c >= Tile::kColumns) break;
      store(to + c, !EDGE || (r < height && c < width) ? from[c] : 0.0f);
    }
  }
}

extern "C" __global__ void __launch_bounds__(Tile::kThreadsX* Tile::kThreadsY)
    convolution2d(const float* __restrict__ image, float* __restrict__ out, int H, int W) {
  const int row0 = blockIdx.y * Tile::BM, col0 = blockIdx.x * Tile::BN;
  const int width = W + Tile::kFilter - 1, height = H + Tile::kFilter - 1;
  float sum[Tile::TM][Tile::TN] = {};

#if TUNE_FORM_IS_global
  // Beyond the edge the last row and column stand in; what they give is not stored.
  Form::filter(
      [&](int r, int c) {
        return image[size_t(min(row0 + r, height - 1)) * width + min(col0 + c, width - 1)];
      },
      Weight{}, sum);
#else
  alignas(16) __shared__ float tile[Tile::kRows][Form::kStride];
  const float* corner = image + size_t(row0) * width + col0;
  const SharedFloats shared = shared_floats(&tile[0][0]);
  if (row0 + Tile::kRows <= height && col0 + Tile::kColumns <= width) {
    load_tile<false>(corner, height - row0, width - col0, width, shared);
  } else {
    load_tile<true>(corner, height - row0, width - col0, width, shared);
  }
  __syncthreads();
#if TUNE_FORM_IS_shared
  Form::filter([&](int r, int c) { return tile[r][c]; }, Weight{}, sum);
#else
  Form::filter(shared, Weight{}, sum);
#endif
#endif

#pragma unroll
  for (int i = 0; i < Tile::TM; ++i) {
    const int row = row0 + threadIdx.y * Tile::TM + i;
    if (row < H) Form::store_row(out + size_t(row) * W, col0, W, sum[i]);
  }
}

extern "C" __global__ void convolution2d_reference(const float* __restrict__ image,
                                                   float* __restrict__ out, int H, int W) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= H || col >= W) return;
  double sum = 0;
  for (int r = 0; r < Tile::kFilter; ++r) {
    for (int c = 0; c < Tile::kFilter; ++c) {
      sum += double(weights[r * Tile::kFilter + c]) *
             image[size_t(row + r) * (W + Tile::kFilter - 1) + col + c];
    }
  }
  out[size_t(row) * W + col] = float(sum);
}
