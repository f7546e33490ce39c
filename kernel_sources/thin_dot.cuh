#pragma once
// FORM dot: a warp has TILE rows of W. Its lanes walk along K, 16 bytes of W at a time, and each
// keeps a sum for every row of W and of X; at the end the lanes of the warp add up. UNROLL steps of
// W are under way while one is multiplied.
//
//     W rows    k --->   lane 0   lane 1   ...   lane 31  | next step
//        0               16 bytes 16 bytes       16 bytes |
//        1               ...

#include "thin_warps.cuh"

template <class Shape>
struct DotWarp {
  static constexpr int kWarpStep = 32 * kWeightsOfPiece;
  static constexpr int kStep = kWarpStep * Shape::kWarpsK;

  const ThinProduct& p;
  const int lane, warp_n, warp_k;
  float sum[Shape::kTile][Shape::kRows];
  Piece ahead[Shape::kUnroll][Shape::kTile];

  __device__ DotWarp(const ThinProduct& product, int lane_, int n, int k)
      : p(product), lane(lane_), warp_n(n), warp_k(k) {}

  __device__ int depth_at(int step) const {
    return step * kStep + warp_k * kWarpStep + lane * kWeightsOfPiece;
  }
  __device__ __forceinline__ void load(Piece (&to)[Shape::kTile], const Segment& s, int step) {
    const int k = depth_at(s.first + step);
    const bool wanted = step < s.count && k < p.depth;
#pragma unroll
    for (int i = 0; i < Shape::kTile; ++i) {
      const int row = min(s.tile * Shape::kColumns + warp_n * Shape::kTile + i, p.columns - 1);
      to[i] = {};
      if (wanted) to[i] = load_piece<Shape::kOnce>(p.w + size_t(row) * p.depth + k);
    }
  }
  __device__ __forceinline__ void multiply(const Piece (&w)[Shape::kTile], const Segment& s,
                                           int step) {
    const int k = depth_at(s.first + step);
    if (step >= s.count || k >= p.depth) return;
#pragma unroll
    for (int first = 0; first < kWeightsOfPiece; first += 8) {
#pragma unroll
      for (int row = 0; row < Shape::kRows; ++row) {
        const Element* const x = p.x + size_t(min(row, p.rows - 1)) * p.depth + k;
        const Elements<Element, 8> eight = load_elements<8>(x + first);
#pragma unroll
        for (int v = 0; v < 8; ++v) {
          const float factor = widen(eight.at[v]);
#pragma unroll
          for (int i = 0; i < Shape::kTile; ++i) sum[i][row] += factor * weight_at(w[i], first + v);
        }
      }
    }
  }

  __device__ __forceinline__ void multiply_segment(const Segment& s) {
#pragma unroll
    for (int i = 0; i < Shape::kTile; ++i) {
#pragma unroll
      for (int row = 0; row < Shape::kRows; ++row) sum[i][row] = 0;
    }
#pragma unroll
    for (int u = 0; u < Shape::kUnroll; ++u) load(ahead[u], s, u);
    for (int step = 0; step < s.count; step += Shape::kUnroll) {
#pragma unroll
      for (int u = 0; u < Shape::kUnroll; ++u) {
        multiply(ahead[u], s, step + u);
        load(ahead[u], s, step + u + Shape::kUnroll);
      }
    }
  }

  __device__ __forceinline__ void leave_sums(TileSums<Shape>& sums) {
#pragma unroll
    for (int i = 0; i < Shape::kTile; ++i) {
#pragma unroll
      for (int row = 0; row < Shape::kRows; ++row) {
        float value = sum[i][row];
#pragma unroll
        for (int half = 16; half > 0; half /= 2) {
          value += __shfl_xor_sync(0xffffffffu, value, half);
        }
        if (lane == 0) sums.sums[warp_k][row][warp_n * Shape::kTile + i] = value;
      }
    }
  }
};
