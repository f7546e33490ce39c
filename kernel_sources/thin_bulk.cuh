#pragma once
// FORMS boxes and rows (Hopper): one more warp orders copies, STAGES steps ahead and on into the
// next tile, so that memory is busy while the others multiply and add up. A stage has 128 bytes of
// each row of the tile, and of X, for each of the WARPS_K warps that share K.
//
//     ring of stages   | W W X X | W W X X | W W X X | ...      `full`: the copies of a stage have
//     arrived
//                        multiply   arrived   under way          `empty`: all warps have read it

#if TUNE_FORM_IS_boxes
#include "thin_boxes.cuh"
#else
#include "thin_stretches.cuh"
#endif

template <class Shape>
struct BulkBlock {
  using Stage = ThinStage<Shape>;
  static constexpr int kStages = Shape::kStages;
  using BlockParts = Parts<Shape, Stage::kStep>;

  struct Shared {
    Stage stages[kStages];
    TileSums<Shape> sums;
    Barrier full[kStages], empty[kStages];
  };
  Shared& shared;
  int stage = 0, parity = 0;

  __device__ explicit BulkBlock(Shared& memory) : shared(memory) {}

  __device__ __forceinline__ void next() {
    if (++stage < kStages) return;
    stage = 0;
    parity ^= 1;
  }

  __device__ __forceinline__ void order(const BlockParts& parts, const ThinProduct& p,
                                        const TensorMap& x, const TensorMap& w) {
    parts.for_each_segment([&](const Segment& segment) {
      for (int step = segment.first; step < segment.first + segment.count; ++step) {
        wait_for(&shared.empty[stage], parity ^ 1);
        shared.stages[stage].order(p, x, w, segment.tile, step, &shared.full[stage]);
        next();
      }
    });
  }

  __device__ __forceinline__ void multiply(const BlockParts& parts, const ThinProduct& p) {
    const int lane = int(threadIdx.x) % 32, number = int(threadIdx.x) / 32;
    const int warp_n = number % Shape::kWarpsN, warp_k = number / Shape::kWarpsN;
    WarpSums<Shape> sums;
    parts.for_each_segment([&](const Segment& segment) {
      sums.clear();
      for (int step = 0; step < segment.count; ++step) {
        wait_for(&shared.full[stage], parity);
        const Stage& here = shared.stages[stage];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int first_k = (segment.first + step) * Stage::kStep + warp_k * 64 + half * 32;
          if (!Stage::kZerosBehindTheEnd && first_k >= p.depth) continue;
          sums.multiply(
              [&](int i) {
                return here.w(warp_n * Shape::kTile + i * 8, warp_k, half, lane, first_k, p);
              },
              [&](int j) { return here.x(j * 8, warp_k, half, lane, first_k, p); });
        }
        __syncwarp();
        if (lane == 0) arrive(&shared.empty[stage]);
        next();
      }
      meet_multipliers<TileSums<Shape>::kThreads>();  // nobody reads the sums of the segment before
      sums.leave(shared.sums, lane, warp_n, warp_k);
      finish_segment(shared.sums, p, parts, segment, int(threadIdx.x));
    });
  }
};

template <class Shape>
__device__ __forceinline__ void multiply_in_bulk(const ThinProduct& p, const TensorMap& x,
                                                 const TensorMap& w) {
  using Block = BulkBlock<Shape>;
  extern __shared__ __align__(1024) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Block::Shared*>(memory);
  if (threadIdx.x == 32 * Shape::kWarps) {
    for (int i = 0; i < Block::kStages; ++i) {
      init_barrier(&shared.full[i], 1);
      init_barrier(&shared.empty[i], Shape::kWarps);
    }
    publish_barriers();
  }
  __syncthreads();
  Block block(shared);
  const typename Block::BlockParts parts(p);
  if (threadIdx.x >= 32 * Shape::kWarps) {
    block.order(parts, p, x, w);
  } else {
    block.multiply(parts, p);
  }
}
