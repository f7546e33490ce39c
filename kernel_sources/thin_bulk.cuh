#pragma once
// FORMS bulk and wgmma (Hopper): one more warp orders copies, STAGES steps ahead and on into the
// next tile, so that memory is busy while the others multiply and add up. A stage has 128 bytes of
// each row of the tile, and the numbers of X that go with them, for each of the WARPS_K that share
// K, as boxes that the copy engine swizzles.
//
//     ring of stages   | W W X X | W W X X | W W X X | ...
//                        multiply   arrived   under way
//
// `full`: the copies of a stage have arrived; `empty`: all warps have read it.
//
// What multiplies is Warp: see thin_bulk_mma.cuh and thin_wgmma.cuh.

#include "tensor_copy.cuh"
#include "thin_finish.cuh"

constexpr int kBoxBytes = 128;                           // of a row
constexpr int kBoxOfX = kBoxBytes / sizeof(Element);     // numbers of K
constexpr int kBoxOfW = kBoxBytes / sizeof(Weight);
constexpr int kBoxesOfX = kBoxOfW / kBoxOfX;             // to one of W

// For one of the WARPS_K.
template <class Shape>
struct ThinBoxes {
  unsigned char w[Shape::kColumns * kBoxBytes], x[kBoxesOfX][Shape::kRows * kBoxBytes];
};

template <class Shape, class Warp>
struct BulkBlock {
  static constexpr int kStages = Shape::kStages;
  static constexpr int kStep = kBoxOfW * Shape::kWarpsK;
  using BlockParts = Parts<Shape, kStep>;
  using Stage = ThinBoxes<Shape>[Shape::kWarpsK];

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

  // By one thread.
  __device__ __forceinline__ void order(const BlockParts& parts, const TensorMap& x,
                                        const TensorMap& w) {
    parts.for_each_segment([&](const Segment& segment) {
      for (int step = segment.first; step < segment.first + segment.count; ++step) {
        wait_for(&shared.empty[stage], parity ^ 1);
        Barrier* const full = &shared.full[stage];
        arrive_expecting(full, sizeof(Stage));
#pragma unroll
        for (int part = 0; part < Shape::kWarpsK; ++part) {
          ThinBoxes<Shape>& to = shared.stages[stage][part];
          const int k = step * kStep + part * kBoxOfW;
          load_box<Shape::kOnce>(to.w, w, full, k, segment.tile * Shape::kColumns);
#pragma unroll
          for (int box = 0; box < kBoxesOfX; ++box) {
            load_box(to.x[box], x, full, k + box * kBoxOfX, 0);
          }
        }
        next();
      }
    });
  }

  __device__ __forceinline__ void release(int which) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&shared.empty[which]);
  }

  // Warp::multiply() may leave the last stage's products running: that stage is released later.
  __device__ __forceinline__ void multiply(const BlockParts& parts, const ThinProduct& p) {
    Warp warp;
    parts.for_each_segment([&](const Segment& segment) {
      warp.clear();
      for (int step = 0; step < segment.count; ++step) {
        wait_for(&shared.full[stage], parity);
        warp.multiply(shared.stages[stage]);
        const int before = stage > 0 ? stage - 1 : kStages - 1;
        if (!Warp::kRunsOn) release(stage);
        if (Warp::kRunsOn && step > 0) release(before);
        next();
      }
      warp.finish();
      if (Warp::kRunsOn) release(stage > 0 ? stage - 1 : kStages - 1);
      meet_multipliers<TileSums<Shape>::kThreads>();  // nobody reads the sums of the segment before
      warp.leave(shared.sums);
      finish_segment(shared.sums, p, parts, segment, int(threadIdx.x));
    });
  }
};

template <class Shape, class Warp>
__device__ __forceinline__ void multiply_in_bulk(const ThinProduct& p, const TensorMap& x,
                                                 const TensorMap& w) {
  using Block = BulkBlock<Shape, Warp>;
  extern __shared__ __align__(1024) unsigned char memory[];
  auto& shared = *reinterpret_cast<typename Block::Shared*>(memory);
  const bool orders = threadIdx.x == 32 * Shape::kWarps;
  if (orders) {
    fetch_map(w);
    fetch_map(x);
    for (int i = 0; i < Block::kStages; ++i) {
      init_barrier(&shared.full[i], 1);
      init_barrier(&shared.empty[i], Shape::kWarps);
    }
    publish_barriers();
  }
  __syncthreads();
  Block block(shared);
  const typename Block::BlockParts parts(p);
  if (orders) block.order(parts, x, w);
  if (threadIdx.x < 32 * Shape::kWarps) block.multiply(parts, p);
}
