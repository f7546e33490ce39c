#pragma once
// What a warp multiplies with tensor cores (sm_80): 16 rows of W and 8 rows of X, 16 numbers of K
// at once. The weights are the instruction's first, larger operand, so that few rows of X leave
// little of it unused.
//
// The instruction wants of each lane pairs of numbers that lie apart. But k may come in any order,
// if W and X have the same: so a lane takes 16 neighbouring bytes, which are its pairs for two
// instructions.
//
//     k of a row      0..7    8..15   16..23  24..31   32..     64 bytes are read by four lanes
//     lane of four    0       1       2       3        0 ...
//
// The first and second word of a lane are for one instruction, the third and fourth for the next.
// Of weights with 8 bits, 16 bytes are two times eight numbers, and twice as much of X goes with
// them.
//
// Rows may come in any order, too: of eight rows lane / 4 takes 0, 4, 1, 5, ..., so that eight
// lanes that read shared memory together find their pieces in different banks (the copy engine's
// swizzle). Where a lane reads every second piece of X, rows of X that follow each other do that.

#include "thin_finish.cuh"

constexpr int kEightsOfPiece = kWeightsOfPiece / 8;

__device__ __forceinline__ constexpr int spread(int row) { return row / 2 | (row & 1) << 2; }
// The rows of W and of X that are the n-th of the eight in an instruction.
__device__ __forceinline__ int row_of_w(int n) { return spread(n); }
__device__ __forceinline__ int row_of_x(int n) { return kEightsOfPiece == 1 ? spread(n) : n; }

// The eight numbers of W that come first or second in 16 bytes, as the instruction wants them.
__device__ __forceinline__ uint4 eight_weights(uint4 piece, int which) {
#if TUNE_WEIGHT_IS_e4m3
  // Sign and magnitude move to their places in 16 bits. The exponents then lack 120 or 8, for which
  // a factor makes up. sm_80 multiplies and adds in one instruction only: x + -0 is x for every x.
#if TUNE_TYPE_IS_bf16
  constexpr int kDown = 4;
  constexpr unsigned kMagnitude = 0x07F007F0u, kFactor = 0x7B807B80u;
#else
  constexpr int kDown = 1;
  constexpr unsigned kMagnitude = 0x3F803F80u, kFactor = 0x5C005C00u;
#endif
  const auto pair = [](unsigned word, unsigned bytes) {
    const unsigned apart = __byte_perm(word, 0, bytes);
    const unsigned bits = (apart & 0x80008000u) | (apart >> kDown & kMagnitude);
    unsigned numbers;
    asm("fma.rn." TENSOR_TYPE "x2 %0, %1, %2, %3;"
        : "=r"(numbers)
        : "r"(bits), "r"(kFactor), "r"(0x80008000u));
    return numbers;
  };
  const unsigned first = which == 0 ? piece.x : piece.z, second = which == 0 ? piece.y : piece.w;
  return {pair(first, 0x1404), pair(first, 0x3424), pair(second, 0x1404), pair(second, 0x3424)};
#else
  return piece;
#endif
}

__device__ __forceinline__ void multiply_add(float (&sum)[4], unsigned w0, unsigned w1, unsigned w2,
                                             unsigned w3, unsigned x0, unsigned x1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32." TENSOR_TYPE "." TENSOR_TYPE
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(w0), "r"(w1), "r"(w2), "r"(w3), "r"(x0), "r"(x1));
}

// 32 numbers of K: `upper` and `lower` are eight rows of W each.
__device__ __forceinline__ void multiply_add(float (&sum)[4], uint4 upper, uint4 lower, uint4 x) {
  multiply_add(sum, upper.x, lower.x, upper.y, lower.y, x.x, x.y);
  multiply_add(sum, upper.z, lower.z, upper.w, lower.w, x.z, x.w);
}

// A warp's sums: TILE rows of W, BM rows of X.
template <class Shape>
struct WarpSums {
  static constexpr int kSixteens = Shape::kTile / 16, kEights = Shape::kRows / 8;
  static_assert(Shape::kTile % 16 == 0 && Shape::kRows % 8 == 0, "whole instructions");
  float sum[kSixteens][kEights][4];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kSixteens; ++i) {
#pragma unroll
      for (int j = 0; j < kEights; ++j) {
#pragma unroll
        for (float& one : sum[i][j]) one = 0;
      }
    }
  }

  // `w(i)` and `x(j)` give what this lane has of the i-th and j-th eight rows.
  template <class LoadW, class LoadX>
  __device__ __forceinline__ void multiply(LoadW w, LoadX x) {
    uint4 wide[kSixteens][2];
#pragma unroll
    for (int i = 0; i < 2 * kSixteens; ++i) wide[i / 2][i % 2] = w(i);
#pragma unroll
    for (int j = 0; j < kEights; ++j) {
      const uint4 few = x(j);
#pragma unroll
      for (int i = 0; i < kSixteens; ++i) multiply_add(sum[i][j], wide[i][0], wide[i][1], few);
    }
  }

  __device__ __forceinline__ void leave(TileSums<Shape>& to, int lane, int warp_n,
                                        int warp_k) const {
    const int column = warp_n * Shape::kTile + row_of_w(lane / 4);
    const int row = row_of_x(lane % 4 * 2), next = row_of_x(lane % 4 * 2 + 1);
#pragma unroll
    for (int i = 0; i < kSixteens; ++i) {
#pragma unroll
      for (int j = 0; j < kEights; ++j) {
        float(*const at)[TileSums<Shape>::kPitch] = &to.sums[warp_k][j * 8];
        at[row][column + i * 16] = sum[i][j][0];
        at[next][column + i * 16] = sum[i][j][1];
        at[row][column + i * 16 + 8] = sum[i][j][2];
        at[next][column + i * 16 + 8] = sum[i][j][3];
      }
    }
  }
};
