#pragma once
// A stage of the form rows: the copy engine is ordered a stretch of each row that is there, by the
// lanes of a warp. Rows lie 16 bytes further on than they are long: then every fourth is half of
// all banks further.

#include "bulk_copy.cuh"
#include "thin_mma.cuh"

template <class Shape>
struct ThinStage {
  static constexpr int kColumns = 64;
  static constexpr int kStep = kColumns * Shape::kWarpsK;
  static constexpr int kPitch = kStep * int(sizeof(Element)) + 16;
  static constexpr bool kZerosBehindTheEnd = false;
  unsigned char rows[Shape::kColumns + Shape::kRows][kPitch];

  // By all lanes of a warp.
  __device__ __forceinline__ void order(const ThinProduct& p, const TensorMap&, const TensorMap&,
                                        int tile, int step, Barrier* full) {
    const int k = step * kStep;
    const int bytes = min(kStep, p.depth - k) * int(sizeof(Element));
    const int first = tile * Shape::kColumns, count = min(Shape::kColumns, p.columns - first);
    const int lane = int(threadIdx.x) % 32;
    if (lane == 0) arrive_expecting(full, (count + p.rows) * bytes);
    __syncwarp();
    for (int i = lane; i < count; i += 32) {
      load_stretch<Shape::kOnce>(rows[i], p.w + size_t(first + i) * p.depth + k, bytes, full);
    }
    for (int i = lane; i < p.rows; i += 32) {
      load_stretch(rows[Shape::kColumns + i], p.x + size_t(i) * p.depth + k, bytes, full);
    }
  }

  // What a lane has of eight rows; behind the end of K there is nothing.
  __device__ __forceinline__ uint4 piece(int row, int part, int half, int lane, int first_k,
                                         const ThinProduct& p) const {
    if (first_k + lane % 4 * 8 >= p.depth) return {};
    const int byte = part * 128 + half * 64 + lane % 4 * 16;
    return *reinterpret_cast<const uint4*>(rows[row + row_of_eight(lane)] + byte);
  }
  __device__ __forceinline__ uint4 w(int row, int part, int half, int lane, int first_k,
                                     const ThinProduct& p) const {
    return piece(row, part, half, lane, first_k, p);
  }
  __device__ __forceinline__ uint4 x(int row, int part, int half, int lane, int first_k,
                                     const ThinProduct& p) const {
    return piece(Shape::kColumns + row, part, half, lane, first_k, p);
  }
};
