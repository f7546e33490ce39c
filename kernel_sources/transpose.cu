// B = transpose of A: A is M x N, B is N x M, both row-major, any size. Elements are float32, or
// as many bytes as the parameter BYTES says (transpose_element.cuh).
//
// What each value of FORM changes:
//   coalesced_read   neighbouring threads read neighbouring elements and write them M apart
//   coalesced_write  neighbouring threads write neighbouring elements and read them N apart
//   shared           both sides are coalesced: the block turns a BM x BN tile of A in shared memory
//   skewed           for rows of any length: each row of the turned tile is moved to a boundary of
//                    ALIGN bytes in memory, so that all that is written is aligned
//
// Names: BM x BN tile of A for each block, TM squares of VEC x VEC elements for each thread. ORDER
// says whether blocks that run together take neighbours in a row of A or in a row of B. CLUSTER
// neighbours in a row of A run close to each other on the chip, for the sake of what lies across
// the borders of their tiles. A block fetches the tile of the block that comes AHEAD later into the
// L2 cache. OCCUPANCY full leaves each thread so few registers that 2048 of them fit on a
// multiprocessor, free as many as the compiler likes. The rules that tie them are the constraints
// of search_spaces/transpose.yaml.

#include "chosen.cuh"
#include "transpose_tile.cuh"

// A study whose elements have not 4 bytes says so.
#ifndef TUNE_BYTES
#define TUNE_BYTES 4
#endif

struct Sizes {
  static constexpr int kBytes = TUNE_BYTES;
  static constexpr int BM = TUNE_BM, BN = TUNE_BN;
  static constexpr int TM = TUNE_TM, VEC = TUNE_VEC;
  static constexpr int AHEAD = TUNE_AHEAD, CLUSTER = TUNE_CLUSTER;
  static constexpr int kAlignBytes = TUNE_ALIGN, kFetch = TUNE_FETCH;
  static constexpr int kPad = TUNE_PAD;
  static constexpr bool kSwizzle = TUNE_SWIZZLE;
  static constexpr bool kByRows = CHOSEN(TUNE_ORDER_IS_rows);
  static constexpr bool kReadsRows = CHOSEN(TUNE_FORM_IS_coalesced_read);
  static constexpr bool kDynamic = CHOSEN(TUNE_SHARED_IS_dynamic);
  // Of data that is used once. (Loads that overlap other blocks' are better left alone.)
  static constexpr bool kBothOnce = CHOSEN(TUNE_STREAM_IS_both);
  static constexpr bool kLoadOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_loads);
  static constexpr bool kStoreOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_stores);
};

using Tile = TransposeTile<Sizes>;
using Element = Tile::Element;

#if TUNE_FORM_IS_shared
#include "transpose_shared.cuh"
using Form = SharedTranspose<Tile>;
#elif TUNE_FORM_IS_skewed
#include "transpose_skewed.cuh"
using Form = SkewedTranspose<Tile>;
#else
#include "transpose_plain.cuh"
using Form = PlainTranspose<Tile>;
#endif

#if TUNE_CLUSTER > 1 && __CUDA_ARCH__ >= 900
#define IN_CLUSTERS __cluster_dims__(TUNE_CLUSTER, 1, 1)
#else
#define IN_CLUSTERS  // elsewhere it is an order of the blocks
#endif

#if TUNE_OCCUPANCY_IS_full
#define BOUNDS __launch_bounds__(Tile::kThreads, 2048 / Tile::kThreads)
#else
#define BOUNDS __launch_bounds__(Tile::kThreads)
#endif

extern "C" __global__ void BOUNDS IN_CLUSTERS transpose(const Element* __restrict__ A,
                                                        Element* __restrict__ B, int M, int N) {
  if constexpr (Tile::AHEAD > 0) fetch_ahead<Tile>(A, M, N);
  Form::turn(A, B, M, N);
}

extern "C" __global__ void transpose_reference(const Element* __restrict__ A,
                                               Element* __restrict__ B, int M, int N) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
}
