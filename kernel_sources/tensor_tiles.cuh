#pragma once
// What both forms of matmul_tensor share: the tiles in shared memory, and the order of the tiles of
// C.
//
// A stage holds a tile of A and a tile of B, both in rows of 128 bytes: of k, or, for B with k as
// its slow dimension, of 64 columns. The eight 16-byte pieces of a row are swapped around by the
// number of the row (the copy engine's 128-byte swizzle), so that eight rows' pieces for the same k
// lie in different banks.

#include "cluster.cuh"
#include "tensor_types.cuh"

constexpr int kRowBytes = 128;

__device__ constexpr unsigned place_in_tile(unsigned row, unsigned byte) {
  return row * kRowBytes + (byte ^ (row % 8 * 16));
}

struct Tiles {
  int rows, columns;  // how many
  int steps;          // of BK
  __device__ int count() const { return rows * columns; }
};

struct Tile {
  int row, column;
};

// Where a block's tile of C begins. Its rows end with the matrix, which the copy engine knows.
struct Corner {
  int row, column;
  __device__ int column_of_b() const { return column; }
  __device__ static constexpr int end() { return 0x7FFFFFFF; }
};

// Of a block in its cluster: of CLUSTER rows and CLUSTER_N columns of tiles, and of the parts of K.
struct Place {
  int row, column, part;
};

// Which steps of a tile this block takes: PARTS for each BK of k.
struct Steps {
  int first, count;
};

template <class Sizes>
struct TensorTile : Sizes {
  using Sizes::BM, Sizes::BN, Sizes::GROUP, Sizes::SPLIT_K, Sizes::CLUSTER, Sizes::CLUSTER_N;
  using Sizes::PARTS;
  using AllTiles = Tiles;
  using TileCorner = Corner;
  static constexpr bool kEndsEarly = false;  // a tile, in front of its last row

  static constexpr int BK = kRowBytes / sizeof(Element);
  static constexpr int kStepBytes = 32;  // of k, for one instruction
  static constexpr int kStepsOfK = kRowBytes / kStepBytes;
  static constexpr int kBoxRows = 64;
  static constexpr int kBox = kBoxRows * kRowBytes;  // bytes
  static constexpr int kTileA = BM * kRowBytes, kTileB = BN * kRowBytes;
  static constexpr int kStage = kTileA + kTileB;

  static constexpr int kTilesAtOnce = CLUSTER * CLUSTER_N;  // of a cluster

  // Those of a cluster count as one.
  __device__ __forceinline__ static Tiles make_tiles(int M, int N, int K) {
    constexpr int kHeight = BM * CLUSTER, kWidth = BN * CLUSTER_N;
    return {(M + kHeight - 1) / kHeight, (N + kWidth - 1) / kWidth, (K + BK - 1) / BK};
  }

  __device__ __forceinline__ static Place place_in_cluster() {
    if constexpr (kTilesAtOnce * SPLIT_K == 1) return {0, 0, 0};
    const int rank = block_in_cluster();
    return {rank % CLUSTER, rank / CLUSTER % CLUSTER_N, rank / kTilesAtOnce};
  }

  template <class AnyTiles>
  __device__ __forceinline__ static Steps steps_of_block(const AnyTiles& tiles) {
    if constexpr (SPLIT_K > 1) {
      const int part = place_in_cluster().part;
      const int first = tiles.steps * part / SPLIT_K;
      return {first * PARTS, (tiles.steps * (part + 1) / SPLIT_K - first) * PARTS};
    } else {
      return {0, tiles.steps * PARTS};
    }
  }

  // GROUP rows of tiles are walked together, column by column: tiles that are computed at the same
  // time then need few rows of A and few columns of B, which stay in the L2 cache.
  __device__ __forceinline__ static Tile tile_at(int number, const Tiles& tiles) {
    const int group = number / (GROUP * tiles.columns);
    const int height = min(GROUP, tiles.rows - group * GROUP);
    const int in_group = number - group * GROUP * tiles.columns;
    return {group * GROUP + in_group % height, in_group / height};
  }

  // Of this block's tile.
  __device__ __forceinline__ static Corner corner_of(int number, const Tiles& tiles, Place place) {
    const Tile tile = tile_at(number, tiles);
    return {(tile.row * CLUSTER + place.row) * BM, (tile.column * CLUSTER_N + place.column) * BN};
  }
};
