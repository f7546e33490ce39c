#pragma once
// FORM registers: a warp has TILE rows of W, reads 128 bytes of each in a step, and multiplies them
// on the tensor cores as they come from memory. UNROLL steps are under way while one is multiplied;
// what they need of X, which all warps of a multiprocessor read again and again, waits in its
// first-level cache.

#include "thin_mma.cuh"
#include "thin_warps.cuh"

template <class Shape>
struct TensorWarp {
  static constexpr int kWarpStep = 128 / sizeof(Weight);
  static constexpr int kStep = kWarpStep * Shape::kWarpsK;
  static constexpr int kEightsOfW = Shape::kTile / 8, kEightsOfX = Shape::kRows / 8;
  struct Step {
    uint4 w[2][kEightsOfW], x[2][kEightsOfPiece][kEightsOfX];  // two halves of 64 bytes of W
  };

  const ThinProduct& p;
  const int lane, warp_n, warp_k;
  WarpSums<Shape> sums;
  Step ahead[Shape::kUnroll];

  __device__ TensorWarp(const ThinProduct& product, int lane_, int n, int k)
      : p(product), lane(lane_), warp_n(n), warp_k(k) {}

  template <bool ONCE, class Number>
  __device__ __forceinline__ uint4 load(const Number* matrix, int row, int k) const {
    const auto bits = load_elements<16 / sizeof(Number), ONCE>(matrix + size_t(row) * p.depth + k);
    return *reinterpret_cast<const uint4*>(&bits);
  }

  // Zeros behind the end of K, or of the segment: they add nothing.
  __device__ __forceinline__ void load(Step& to, const Segment& s, int step) const {
    const int first = s.tile * Shape::kColumns + warp_n * Shape::kTile + row_of_w(lane / 4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int piece = half * 4 + lane % 4;
      const int k = (s.first + step) * kStep + warp_k * kWarpStep + piece * kWeightsOfPiece;
      const bool wanted = step < s.count && k < p.depth;
#pragma unroll
      for (int i = 0; i < kEightsOfW; ++i) {
        to.w[half][i] = {};
        if (wanted) to.w[half][i] = load<Shape::kOnce>(p.w, min(first + i * 8, p.columns - 1), k);
      }
#pragma unroll
      for (int j = 0; j < kEightsOfX; ++j) {
        const int row = min(row_of_x(lane / 4) + j * 8, p.rows - 1);
#pragma unroll
        for (int eight = 0; eight < kEightsOfPiece; ++eight) {
          to.x[half][eight][j] = {};
          if (wanted) to.x[half][eight][j] = load<false>(p.x, row, k + eight * 8);
        }
      }
    }
  }

  __device__ __forceinline__ void multiply_segment(const Segment& s) {
    sums.clear();
#pragma unroll
    for (int u = 0; u < Shape::kUnroll; ++u) load(ahead[u], s, u);
    for (int step = 0; step < s.count; step += Shape::kUnroll) {
#pragma unroll
      for (int u = 0; u < Shape::kUnroll; ++u) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
#pragma unroll
          for (int eight = 0; eight < kEightsOfPiece; ++eight) {
            sums.multiply([&](int i) { return eight_weights(ahead[u].w[half][i], eight); },
                          [&](int j) { return ahead[u].x[half][eight][j]; });
          }
        }
        load(ahead[u], s, step + u + Shape::kUnroll);
      }
    }
  }

  __device__ __forceinline__ void leave_sums(TileSums<Shape>& to) const {
    sums.leave(to, lane, warp_n, warp_k);
  }
};
