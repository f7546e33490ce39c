#pragma once
// FORM shared: rows of A in, rows of B out. Each thread takes squares of VEC x VEC elements, turns
// them in registers and hands them on through shared memory, which holds the tile already turned:
// BN rows of BM / VEC vectors.
//
// Threads that store vectors of one row of A walk down a column of that tile, VEC rows a step, and
// would all meet in the same banks. PAD lengthens the rows by one vector, SWIZZLE moves each vector
// within its row by a pattern that differs from step to step.
//
// Rows of a length that VEC does not divide are not aligned for vectors: they go by single
// elements.
//
//   A: rows of vectors  ->  registers: VEC x VEC, turned  ->  shared: BN rows of BM  ->  B: rows of vectors

#include "transpose_tile.cuh"

template <class Tile>
struct SharedTranspose {
  using Element = typename Tile::Element;
  using Vector = typename Tile::Vector;
  static constexpr int BM = Tile::BM, BN = Tile::BN, TM = Tile::TM, VEC = Tile::VEC;
  static constexpr int kThreads = Tile::kThreads;
  static constexpr int kVectors = BM / VEC;  // in a row of the turned tile
  static constexpr int kStride = kVectors + Tile::kPad;
  static_assert((kVectors & (kVectors - 1)) == 0, "exclusive or stays within the row");

  __device__ static Vector& at(Vector* tile, int col, int row) {
    const int vector = row / VEC;
    const int place = Tile::kSwizzle ? vector ^ (col / VEC % kVectors) : vector;
    return tile[col * kStride + place];
  }

  // VEC elements of a row of `length`, from `col` on: those beyond its end read as zero and are not
  // written. `aligned` says whether whole vectors may be accessed at once.
  __device__ __forceinline__ static Vector load_part(const Element* row, int col, int length,
                                                     bool aligned) {
    if (aligned && col + VEC <= length) return load_part_of<Tile, VEC>(row + col);
    Vector value;
#pragma unroll
    for (int v = 0; v < VEC; ++v) value.at[v] = col + v < length ? row[col + v] : Element{};
    return value;
  }

  __device__ __forceinline__ static void store_part(Element* row, int col, int length, bool aligned,
                                                    const Vector& value) {
    if (aligned && col + VEC <= length) return store_elements<Tile::kStoreOnce>(row + col, value);
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      if (col + v < length) row[col + v] = value.at[v];
    }
  }

  __device__ static Vector* block_memory() {
    if constexpr (Tile::kDynamic) {
      extern __shared__ Vector memory[];
      return memory;
    } else {
      static_assert(Tile::kBytes * VEC * BN * kStride <= 48 * 1024,
                    "static shared memory ends at 48 KB");
      __shared__ Vector tile[BN * kStride];
      return tile;
    }
  }

  __device__ static void turn(const Element* __restrict__ A, Element* __restrict__ B, int M,
                              int N) {
    Vector* const tile = block_memory();
    const Corner corner = corner_of<Tile>(blockIdx.x, M, N);

    Vector square[TM][VEC];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int index = i * kThreads + threadIdx.x;
      const int row = corner.row + index / (BN / VEC) * VEC;
      const int col = corner.col + index % (BN / VEC) * VEC;
#pragma unroll
      for (int r = 0; r < VEC; ++r) {
        const int length = row + r < M ? N : 0;
        square[i][r] = load_part(A + size_t(row + r) * N, col, length, N % VEC == 0);
      }
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int index = i * kThreads + threadIdx.x;
      const int row = index / (BN / VEC) * VEC, col = index % (BN / VEC) * VEC;
#pragma unroll
      for (int c = 0; c < VEC; ++c) {
        Vector turned;
#pragma unroll
        for (int r = 0; r < VEC; ++r) turned.at[r] = square[i][r].at[c];
        at(tile, col + c, row) = turned;
      }
    }
    __syncthreads();

#pragma unroll
    for (int i = 0; i < TM * VEC; ++i) {
      const int index = i * kThreads + threadIdx.x;
      const int col = index / kVectors, row = index % kVectors * VEC;
      if (corner.col + col >= N) continue;
      store_part(B + size_t(corner.col + col) * M, corner.row + row, M, M % VEC == 0,
                 at(tile, col, row));
    }
  }
};
