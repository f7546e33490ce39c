#pragma once
// FORM bulk (Hopper): CLUSTER blocks that stay take row after row, a part of it each. The copy engine brings
// STAGES rows ahead into shared memory, so that memory is never idle while a row's threads wait for each
// other. It moves whole 16 bytes: from the boundary before a row, to the one behind it.
//
//   block 0: | part 0 of row r | of row r + 1 | ...     block 1: | part 1 of row r | of row r + 1 | ...

#include "bulk_copy.cuh"
#include "softmax_held.cuh"

template <class Shape>
struct BulkSoftmax {
  static constexpr int kVector = Shape::kVector;
  static_assert(kVector == 4, "16 bytes");
  using Row = HeldRow<Shape::kThreads, Shape::kItems, kVector>;
  using Total = RowTotal<Shape::kThreads, 1, Shape::kCluster, Normalizing>;

  const float* X;
  float* Y;
  int M, N;
  Barrier* full;
  float* stages;
  int rank;  // of the block in its cluster

  // Elements of a part: of the longest row, three of which lie before a boundary.
  __device__ int part() const {
    constexpr int kUnit = Shape::kCluster * kVector;
    return (N + kVector - 1 + kUnit - 1) / kUnit * kVector;
  }
  __device__ int before(long long row) const { return int(row * N % kVector); }
  __device__ int elements(long long row) const {
    const int left = before(row) + N - rank * part();
    return left < part() ? left : part();
  }

  // By one thread. Behind the last row there is nothing that may be read.
  __device__ void fetch(int s, long long row) const {
    const int count = elements(row);
    const float* from = X + row * N - before(row) + rank * part();
    float* to = stages + s * part();
    const int whole = (row + 1 < M ? count + kVector - 1 : count) / kVector * kVector;
    for (int i = whole; i < count; ++i) to[i] = from[i];
    arrive_expecting(&full[s], whole * 4);
    if (whole > 0) load_stretch<Shape::kOnce>(to, from, whole * 4, &full[s]);
  }

  __device__ __forceinline__ void run() const {
    __shared__ typename Total::Memory memory;
    const long long first = blockIdx.x / Shape::kCluster, stride = gridDim.x / Shape::kCluster;
    const bool orders = threadIdx.x == 0;
    if (orders) {
      for (int s = 0; s < Shape::kStages; ++s) init_barrier(&full[s], 1);
      publish_barriers();
      for (int s = 0; s < Shape::kStages; ++s) {
        if (first + s * stride < M) fetch(s, first + s * stride);
      }
    }
    Total over_row(memory);
    __syncthreads();

    int stage = 0, parity = 0;
    for (long long at = first; at < M; at += stride) {
      const int ahead = rank == 0 ? before(at) : 0;
      Row row(threadIdx.x, ahead, elements(at));
      wait_for(&full[stage], parity);
      const float most = row.load(stages + stage * part(), true);
      const Share all = over_row(Share{most, row.exponentiate(most)});
      // All have read the stage: they met in over_row().
      const long long next = at + Shape::kStages * stride;
      if (orders && next < M) fetch(stage, next);
      row.template store<Shape::kOnce>(Y + at * N - before(at) + rank * part(), true,
                                       expf(most - all.most) / all.sum);
      if (++stage == Shape::kStages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
};

template <class Shape>
__device__ __forceinline__ void softmax_in_bulk(const float* X, float* Y, int M, int N) {
  extern __shared__ __align__(128) char memory[];
  BulkSoftmax<Shape>{X, Y, M, N, reinterpret_cast<Barrier*>(memory),
                     reinterpret_cast<float*>(memory + 128), int(blockIdx.x) % Shape::kCluster}
      .run();
}
