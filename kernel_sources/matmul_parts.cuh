#pragma once
// Which part of the product a block takes: tiles of C are numbered so that blocks that run together read few
// rows of A and few columns of B; steps of K are shared out among blocks that would else have nothing to do.
//
//   group = 2:   0 2 4 6        DIVIDE steps, 3 tiles of 4 steps for 2 blocks:
//                1 3 5 7        |0 0 0 0|0 0 1 1|1 1 1 1|

struct Part {
  int tile;            // of C
  int row0, col0;      // its corner
  int k_begin, k_end;  // of the sums
  int share, whole;    // how much of the tile that is
};

// Neighbouring tiles walk down `group` rows of tiles, then to the next column. A tile that would
// reach over the edge is moved back: what it shares with its neighbour is computed twice.
template <class S>
__device__ Part part_of_tile(int tile, int M, int N, int group) {
  const int tiles_m = (M + S::BM - 1) / S::BM, tiles_n = (N + S::BN - 1) / S::BN;
  const int first = tile / (group * tiles_n) * group;  // row of tiles
  const int height = min(group, tiles_m - first);
  const int in_group = tile - first * tiles_n;
  const int row0 = (first + in_group % height) * S::BM, col0 = in_group / height * S::BN;
  return {tile, min(row0, M - S::BM), min(col0, N - S::BN)};
}

// The steps through K of all tiles, one tile after another, are shared out evenly ("stream-K",
// Osama et al., PPoPP 2023). A block may begin and end in the middle of a tile.
struct Steps {
  long long next, end;
};

template <class S>
__device__ Steps steps_of_block(int M, int N, int K) {
  const long long tiles = (long long)((M + S::BM - 1) / S::BM) * ((N + S::BN - 1) / S::BN);
  const long long steps = tiles * ((K + S::BK - 1) / S::BK);
  return {steps * blockIdx.x / gridDim.x, steps * (blockIdx.x + 1) / gridDim.x};
}

// What comes next, at most to the end of a tile.
template <class S>
__device__ Part next_part(Steps& steps, int M, int N, int K, int group) {
  const int whole = (K + S::BK - 1) / S::BK, tile = int(steps.next / whole);
  const int from = int(steps.next - (long long)tile * whole);
  const int share = int(min((long long)(whole - from), steps.end - steps.next));
  steps.next += share;
  Part part = part_of_tile<S>(tile, M, N, group);
  part.k_begin = from * S::BK;
  part.k_end = min(K, (from + share) * S::BK);
  part.share = share;
  part.whole = whole;
  return part;
}

// Each block takes one tile, or one of the gridDim.y parts of its sums.
template <class S>
__device__ Part part_of_block(int M, int N, int K, int group) {
  const int parts = S::BK * int(gridDim.y);
  const int steps = (K + parts - 1) / parts;  // tiles of K for each block
  Part part = part_of_tile<S>(blockIdx.x, M, N, group);
  part.k_begin = blockIdx.y * steps * S::BK;
  part.k_end = min(K, part.k_begin + steps * S::BK);
  part.share = 1;
  part.whole = gridDim.y;
  return part;
}
