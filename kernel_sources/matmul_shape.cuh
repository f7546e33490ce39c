#pragma once
// The sizes of FORM warptile, and what follows from them. A block tile is cut into warp tiles, whose 32 lanes
// hold TM x TN each, in groups of 4 x 4:
//
//   BM x BN           WM x WN                         a lane: TM x TN
//   +----+----+       0 2 4 6 | 0 2 4 6 | ...         4 rows of 4 columns, then
//   |warp|warp|   ->  1 3 5 7 | 1 3 5 7 |         ->  the next 4 columns, one
//   +----+----+       8 ...                           warp tile's share further

template <class Tile>
struct WarptileShape : Tile {
  using Tile::BK, Tile::BM, Tile::BN, Tile::SLICES, Tile::TM, Tile::TN, Tile::VEC, Tile::WM,
      Tile::WN;

  static constexpr int kLanesN = WN / TN;
  static constexpr int kWarpsN = BN / WN;
  static constexpr int kSliceThreads = 32 * (BM / WM) * kWarpsN;
  static constexpr int kThreads = SLICES * kSliceThreads;
  static constexpr int kDepth = BK / SLICES;  // rows of a stage that a slice multiplies
  static constexpr int kStrideA = BM + Tile::PAD;
  static constexpr int kStage = BK * (kStrideA + BN);  // floats: a tile of A, turned, and one of B
  static constexpr int kVectors = TM * TN / 4;         // of a thread's sums

  static constexpr int kRowsA = kThreads / BK;        // rows of A that all threads copy at once
  static constexpr int kRowsB = kThreads * VEC / BN;  // rows of B
  static constexpr int kCopiesA = BM / kRowsA, kCopiesB = BK / kRowsB;
  static constexpr int kCopies = kCopiesA + kCopiesB;
  static constexpr int kCopySteps = Tile::kSpread ? kDepth / 2 : 1;

  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles divide the block tile");
  static_assert(TM % 4 == 0 && TN % 4 == 0, "thread tiles are made of vectors");
  static_assert((WM / TM) * (WN / TN) == 32 && WM / TM % 2 == 0, "32 lanes cover the warp tile");
  static_assert(Tile::PAD % 4 == 0 && kDepth % 2 == 0,
                "rows of tiles stay aligned, fragments alternate");
  static_assert(BK % 8 == 0 && kRowsA % 4 == 0 && BM % kRowsA == 0, "warps copy 4 x 8 of A");
  static_assert(kThreads * VEC % BN == 0 && BK % kRowsB == 0, "threads copy whole rows of B");
  static_assert(!Tile::kSteps || Tile::CLUSTER == 1, "blocks of a cluster share one tile");
};
