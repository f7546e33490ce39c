#pragma once
// FORM bulk: each warp reads its part of a stage from shared memory and multiplies it by itself.

#include "thin_bulk.cuh"
#include "thin_mma.cuh"

template <class Shape>
struct WarpOfBoxes {
  static constexpr bool kRunsOn = false;
  const int lane = int(threadIdx.x) % 32;
  const int warp_n = int(threadIdx.x) / 32 % Shape::kWarpsN;
  const int warp_k = int(threadIdx.x) / 32 / Shape::kWarpsN;
  WarpSums<Shape> sums;

  __device__ __forceinline__ void clear() { sums.clear(); }
  __device__ __forceinline__ void finish() {}
  __device__ __forceinline__ void leave(TileSums<Shape>& to) const {
    sums.leave(to, lane, warp_n, warp_k);
  }

  __device__ __forceinline__ void multiply(const ThinBoxes<Shape> (&stage)[Shape::kWarpsK]) {
    const ThinBoxes<Shape>& boxes = stage[warp_k];
    // The piece of the first eight rows of a box, as the copy engine has swizzled them.
    const auto first = [](const unsigned char* box, int row, int piece) {
      return reinterpret_cast<const uint4*>(box + row * kBoxBytes + (piece ^ row) * 16);
    };
    constexpr int kEightRows = 8 * kBoxBytes / sizeof(uint4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int piece = half * 4 + lane % 4;
      const uint4* const w =
          first(boxes.w + warp_n * Shape::kTile * kBoxBytes, row_of_w(lane / 4), piece);
#pragma unroll
      for (int eight = 0; eight < kEightsOfPiece; ++eight) {
        const int of_x = piece * kEightsOfPiece + eight;
        const uint4* const x = first(boxes.x[of_x / 8], row_of_x(lane / 4), of_x % 8);
        sums.multiply([&](int i) { return eight_weights(w[i * kEightRows], eight); },
                      [&](int j) { return x[j * kEightRows]; });
      }
    }
  }
};
