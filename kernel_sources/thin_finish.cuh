#pragma once
// The end of a segment: the warps that share K add up in shared memory, and the tile is stored. Of
// a tile that blocks share each writes what it has, and the last to arrive adds up all, always in
// the same order.

#include "last_block.cuh"
#include "thin_parts.cuh"

// BARRIER of THREADS threads: all that multiply.
template <int THREADS>
__device__ __forceinline__ void meet_multipliers() {
#ifdef TUNER_CPU
  __syncthreads();
#else
  asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
#endif
}

template <class Shape>
struct TileSums {
  static constexpr int kThreads = 32 * Shape::kWarps;
  // Neighbouring rows lie eight banks apart: what the lanes of a warp write is spread over all
  // banks.
  static constexpr int kPitch = Shape::kColumns / 32 * 32 + (Shape::kColumns % 32 ? 40 : 8);
  float sums[Shape::kWarpsK][Shape::kRows][kPitch];
  bool last;

  __device__ float total(int row, int column) const {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < Shape::kWarpsK; ++k) sum += sums[k][row][column];
    return sum;
  }
};

template <class Shape, class Parts>
__device__ __forceinline__ void finish_segment(TileSums<Shape>& tile_sums, const ThinProduct& p,
                                               const Parts& parts, const Segment& segment,
                                               int thread) {
  constexpr int kColumns = Shape::kColumns, kThreads = TileSums<Shape>::kThreads;
  constexpr int kSums = Shape::kRows * kColumns;
  const int first_column = segment.tile * kColumns;
  const int places = p.rows * kColumns;
  const auto store = [&](int place, float sum) {
    const int row = place / kColumns, column = first_column + place % kColumns;
    if (column >= p.columns) return;
    if constexpr (kScaled) sum *= p.scale[column];
    p.y[size_t(row) * p.columns + column] = narrow(sum);
  };
  meet_multipliers<kThreads>();
  if (Shape::kSplit == 1 || segment.whole) {
    for (int i = thread; i < places; i += kThreads) {
      store(i, tile_sums.total(i / kColumns, i % kColumns));
    }
    return;
  }
  // A block shares at most two tiles: the one it begins in, and the one it ends in.
  const int first_block = parts.first_block(segment.tile);
  const int last_block = parts.last_block(segment.tile);
  const auto sums_of = [&](int block) {
    return p.partial + size_t(2 * block + (block == first_block)) * kSums;
  };
  float* const mine = sums_of(blockIdx.x);
  for (int i = thread; i < places; i += kThreads) {
    mine[i] = tile_sums.total(i / kColumns, i % kColumns);
  }
  meet_multipliers<kThreads>();
  if (thread == 0) {
    tile_sums.last = completes(p.arrived + segment.tile, 1, last_block - first_block + 1);
  }
  meet_multipliers<kThreads>();
  if (!tile_sums.last) return;
  for (int i = thread; i < places; i += kThreads) {
    float sum = 0;
#pragma unroll 4
    for (int block = first_block; block <= last_block; ++block) sum += __ldcg(sums_of(block) + i);
    store(i, sum);
  }
}
