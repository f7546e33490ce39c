#pragma once
// FORM wgmma (sm_90a): four warps multiply 64 rows of W with all rows of X by one instruction that
// reads both from shared memory. With many rows of X the form bulk reads more of X out of shared
// memory than of W.

#include "thin_bulk.cuh"
#include "wgmma.cuh"

template <class Shape>
struct GroupOfWarps {
  static constexpr bool kRunsOn = true;
  static constexpr int kSlices = Shape::kTile / 64;
  static_assert(Shape::kTile % 64 == 0 && !kScaled, "whole instructions of 16-bit numbers");
  const int thread = int(threadIdx.x) % 128;
  const int group_n = int(threadIdx.x) / 128 % Shape::kWarpsN;
  const int group_k = int(threadIdx.x) / 128 / Shape::kWarpsN;
  float sum[kSlices][Shape::kRows / 2];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (auto& slice : sum) {
#pragma unroll
      for (float& one : slice) one = 0;
    }
  }

  __device__ __forceinline__ void multiply(const ThinBoxes<Shape> (&stage)[Shape::kWarpsK]) {
    const ThinBoxes<Shape>& boxes = stage[group_k];
    constexpr int kEightRows = 8 * kBoxBytes;
    wgmma_begin();
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      const unsigned char* const w = boxes.w + (group_n * Shape::kTile + slice * 64) * kBoxBytes;
#pragma unroll
      for (int byte = 0; byte < kBoxBytes; byte += 32) {
        wgmma<Shape::kRows, false, false>(sum[slice], describe(w + byte, kEightRows, 0),
                                          describe(boxes.x[0] + byte, kEightRows, 0), true);
      }
    }
    wgmma_end_group();
    wgmma_wait<1>();  // this stage's products run on; the one before is done with
  }

  __device__ __forceinline__ void finish() {
    wgmma_wait<0>();
#pragma unroll
    for (auto& slice : sum) {
#pragma unroll
      for (float& one : slice) asm volatile("" : "+f"(one)::"memory");
    }
  }

  __device__ __forceinline__ void leave(TileSums<Shape>& to) const {
    const int column = group_n * Shape::kTile + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
#pragma unroll
      for (int i = 0; i < Shape::kRows / 2; ++i) {
        const int row = i / 4 * 8 + thread % 4 * 2 + i % 2;
        to.sums[group_k][row][column + slice * 64 + i % 4 / 2 * 8] = sum[slice][i];
      }
    }
  }
};
