#pragma once
// How the blocks of a thin product share out the weights. K of a tile is walked in steps, which
// fall into SPLIT parts. All parts, tile after tile, are dealt out in runs of equal length, so that
// each block reads as much as any other:
//
//     tile 0          tile 1          tile 2
//     |---:---:---:---|---:---:---:---|---:---:---:---|       SPLIT 4, four blocks
//      block 0     block 1     block 2     block 3
//
// Where a run ends inside a tile, the blocks that share it add up their sums (thin_finish.cuh).

#include "thin_element.cuh"

struct ThinProduct {
  const Element* x;
  const Weight* w;
  const float* scale;  // of each row of w, where they have one
  Result* y;
  float* partial;     // sums of tiles that blocks share
  unsigned* arrived;  // how many have written theirs, for each tile
  int rows, columns, depth;
};

// What one block does of one tile.
struct Segment {
  int tile;
  int first, count;  // steps
  bool whole;        // nobody else has a part of the tile
};

template <class Shape, int STEP>
struct Parts {
  static constexpr int parts = Shape::kSplit;
  int steps;  // of a tile
  long long all;
  __device__ explicit Parts(const ThinProduct& p)
      : steps((p.depth + STEP - 1) / STEP),
        all((long long)parts * ((p.columns + Shape::kColumns - 1) / Shape::kColumns)) {}

  __device__ int begin_of(int block) const { return int(all * block / int(gridDim.x)); }
  __device__ int block_of(int part) const {
    return int(((long long)(part + 1) * int(gridDim.x) - 1) / all);
  }
  __device__ int first_block(int tile) const { return block_of(tile * parts); }
  __device__ int last_block(int tile) const { return block_of(tile * parts + parts - 1); }

  // Calls visit(segment) for all that is this block's, in order.
  template <class Visit>
  __device__ __forceinline__ void for_each_segment(Visit visit) const {
    const int end = begin_of(int(blockIdx.x) + 1);
    for (int at = begin_of(int(blockIdx.x)); at < end;) {
      const int tile = at / parts;
      const int from = at - tile * parts, to = min(end - tile * parts, parts);
      const int first = steps * from / parts;
      visit(Segment{tile, first, steps * to / parts - first, to - from == parts});
      at = tile * parts + to;
    }
  }
};
