#pragma once
// A stage of the form boxes: the copy engine is ordered whole boxes of 128-byte rows by a tensor
// map, and swaps their pieces around, so that rows do not lie in the same banks.

#include "tensor_copy.cuh"
#include "thin_mma.cuh"

template <class Shape>
struct ThinStage {
  static constexpr int kRowBytes = 128, kColumns = kRowBytes / sizeof(Element);
  static constexpr int kStep = kColumns * Shape::kWarpsK;
  static constexpr bool kZerosBehindTheEnd = true;  // the copy engine's
  struct Box {
    unsigned char w[Shape::kColumns * kRowBytes], x[Shape::kRows * kRowBytes];
  };
  Box boxes[Shape::kWarpsK];

  // By all lanes of a warp.
  __device__ __forceinline__ void order(const ThinProduct&, const TensorMap& x, const TensorMap& w,
                                        int tile, int step, Barrier* full) {
    if (threadIdx.x % 32 != 0) return;
    arrive_expecting(full, sizeof boxes);
#pragma unroll
    for (int part = 0; part < Shape::kWarpsK; ++part) {
      const int k = step * kStep + part * kColumns;
      load_box<false>(boxes[part].w, w, full, k, tile * Shape::kColumns, 0);
      load_box<false>(boxes[part].x, x, full, k, 0, 0);
    }
  }

  // What a lane has of eight rows.
  __device__ __forceinline__ static uint4 piece_of(const unsigned char* eight, int half, int lane) {
    const int row = row_of_eight(lane);
    const int piece = (half * 4 + lane % 4) ^ row;
    return *reinterpret_cast<const uint4*>(eight + row * kRowBytes + piece * 16);
  }
  __device__ __forceinline__ uint4 w(int row, int part, int half, int lane, int,
                                     const ThinProduct&) const {
    return piece_of(boxes[part].w + row * kRowBytes, half, lane);
  }
  __device__ __forceinline__ uint4 x(int row, int part, int half, int lane, int,
                                     const ThinProduct&) const {
    return piece_of(boxes[part].x + row * kRowBytes, half, lane);
  }
};
