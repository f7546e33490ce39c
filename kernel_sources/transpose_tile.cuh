#pragma once
// Which tile of A a block takes.
//
//   ORDER rows:  0 1 2 3      columns, CLUSTER 2:  0 1 8 9
//                4 5 6 7                           2 3 ...
//                ...                               4 5

#include "transpose_element.cuh"

// What follows from the sizes of a tile.
template <class Sizes>
struct TransposeTile : Sizes {
  using Sizes::BM, Sizes::BN, Sizes::TM, Sizes::VEC;
  using Element = typename ElementOf<Sizes::kBytes>::Type;
  using Vector = Elements<Element, VEC>;
  static constexpr int kAlign =
      Sizes::kAlignBytes / Sizes::kBytes;  // elements from boundary to boundary
  static constexpr int kThreads = BM * BN / (TM * VEC * VEC);

  static_assert(BM % VEC == 0 && BN % VEC == 0, "squares fill the tile");
  static_assert(BM * BN % (TM * VEC * VEC) == 0, "threads share the tile evenly");
  static_assert(Sizes::kFetch == 0 || Sizes::kFetch == 256,
                "0, or as many as memory is best read by");
};

struct Corner {
  int row, col;  // in A, of the block's tile
};

// Tiles that are moved back, by less than kAlign rows, take so many rows more.
template <class Tile>
__device__ Corner corner_of(int block, int M, int N) {
  if constexpr (Tile::kByRows) {
    const int tiles = (N + Tile::BN - 1) / Tile::BN;
    return {block / tiles * Tile::BM, block % tiles * Tile::BN};
  } else {
    const int tiles = (M + Tile::kAlign - 1 + Tile::BM - 1) / Tile::BM;
    const int cluster = block / Tile::CLUSTER;
    return {cluster % tiles * Tile::BM,
            (cluster / tiles * Tile::CLUSTER + block % Tile::CLUSTER) * Tile::BN};
  }
}

template <class Tile>
__device__ void fetch_ahead(const typename Tile::Element* A, int M, int N) {
  const Corner corner = corner_of<Tile>(blockIdx.x + Tile::AHEAD, M, N);
  constexpr int kLine = 128 / Tile::kBytes;  // elements in a line of the L2 cache
  constexpr int kLines = (Tile::BN + kLine - 1) / kLine;
  for (int i = threadIdx.x; i < Tile::BM * kLines; i += Tile::kThreads) {
    const int row = corner.row + i / kLines, col = corner.col + i % kLines * kLine;
    if (row < M && col < N) fetch_line(A + size_t(row) * N + col);
  }
}
