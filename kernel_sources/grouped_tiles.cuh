#pragma once
// The tiles of a grouped product: those of the first group, then those of the second, ... How many
// rows a group has is known on the device only. Each block counts the tiles of all groups when it
// begins, and finds the group of a tile by bisection.
//
// A group's last tile may reach into the rows of the next one. These are multiplied, too, but not
// stored: each row of C comes from its own row of A. In the same way a tile of B may reach into the
// weights of the next group.

#include "tensor_tiles.cuh"

// Where a group begins: how many rows of tiles there are before it, and how many rows of A.
struct GroupBegin {
  int tiles, rows;
};

struct GroupedTiles {
  const GroupBegin* begins;  // of all groups, and of what follows the last
  int groups, columns, steps, N;
  __device__ int count() const { return begins[groups].tiles * columns; }
};

// B has a row for each column of C and each group. The rows of the tile that are C's end with the
// group.
struct GroupedCorner : Corner {
  int first_of_b, last;
  __device__ int column_of_b() const { return first_of_b; }
  __device__ int end() const { return last; }
  __device__ int rows() const { return last - row; }  // none, or fewer, where it lies behind
};

template <class Sizes>
struct GroupedTile : TensorTile<Sizes> {
  using Base = TensorTile<Sizes>;
  using Base::BM, Base::BN, Base::BK, Base::CLUSTER, Base::CLUSTER_N;
  using AllTiles = GroupedTiles;
  using TileCorner = GroupedCorner;
  static constexpr bool kEndsEarly = true;
  static constexpr int kHeight = BM * CLUSTER, kWidth = BN * CLUSTER_N;

  __device__ __forceinline__ static GroupedTiles make_tiles(const GroupBegin* begins, int groups,
                                                            int N, int K) {
    return {begins, groups, (N + kWidth - 1) / kWidth, (K + BK - 1) / BK, N};
  }

  // By the lanes of a warp, a group each. No row behind the `rows` of A is touched, whatever `ends`
  // say.
  __device__ __forceinline__ static void count_tiles(GroupBegin* begins,
                                                     const int* __restrict__ ends, int groups,
                                                     int rows) {
    const int lane = int(threadIdx.x % 32);
    if (lane == 0) begins[0] = {0, 0};
    int before = 0;
#pragma unroll 4
    for (int first = 0; first < groups; first += 32) {
      const int group = min(first + lane, groups - 1);
      const int begin = group > 0 ? min(ends[group - 1], rows) : 0, end = min(ends[group], rows);
      int tiles = first + lane < groups ? (end - begin + kHeight - 1) / kHeight : 0;
      for (int step = 1; step < 32; step *= 2) {
        const int left = __shfl_up_sync(0xFFFFFFFFu, tiles, step);
        if (lane >= step) tiles += left;
      }
      if (first + lane < groups) begins[group + 1] = {before + tiles, end};
      before += __shfl_sync(0xFFFFFFFFu, tiles, 31);
    }
  }

  __device__ __forceinline__ static GroupedCorner corner_of(int number, const GroupedTiles& tiles,
                                                            Place place) {
    const int row_of_tiles = number / tiles.columns;
    int group = 0, behind = tiles.groups;
    while (behind - group > 1) {
      const int middle = (group + behind) / 2;
      (tiles.begins[middle].tiles <= row_of_tiles ? group : behind) = middle;
    }
    const GroupBegin begin = tiles.begins[group], end = tiles.begins[group + 1];
    const Tiles own = {end.tiles - begin.tiles, tiles.columns, tiles.steps};
    const Tile tile = Base::tile_at(number - begin.tiles * tiles.columns, own);
    const int column = (tile.column * CLUSTER_N + place.column) * BN;
    return {{begin.rows + (tile.row * CLUSTER + place.row) * BM, column},
            group * tiles.N + column,
            end.rows};
  }
};
