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
    const int row = row_of_eight(lane);
    const unsigned char* const w = stage[warp_k].w + (warp_n * Shape::kTile + row) * kBoxBytes;
    const unsigned char* const x = stage[warp_k].x + row * kBoxBytes;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int piece = ((half * 4 + lane % 4) ^ row) * 16;
      const auto eight = [&](const unsigned char* from, int i) {
        return *reinterpret_cast<const uint4*>(from + i * 8 * kBoxBytes + piece);
      };
      sums.multiply([&](int i) { return eight(w, i); }, [&](int j) { return eight(x, j); });
    }
  }
};
