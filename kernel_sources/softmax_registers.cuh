#pragma once
// FORM registers: CLUSTER blocks of BLOCK threads hold the row, ITEMS vectors each, from the boundary
// of vectors before it on. A longer row has no place there; what does not fit is read again.
//
// Each warp takes the maximum of its own share and sums up relative to that. So warps, and blocks,
// tell each other both numbers at once and wait for each other once ("online normalizer", Milakov
// and Gimelshein, 2018).

#if TUNE_CLUSTER > 1
#include "cluster.cuh"
#endif

constexpr int ITEMS = TUNE_ITEMS;
constexpr int CLUSTER = TUNE_CLUSTER;
constexpr int kHeld = CLUSTER * BLOCK * VEC * ITEMS;
constexpr int kShares = CLUSTER * kWarps;  // of a row: one for each warp

static_assert(CLUSTER == 1 || ROWS == 1, "blocks of a cluster share one row");

// Of some elements: their maximum, and the sum of exp(element - most).
struct Share {
  float most, sum;
};

__device__ __forceinline__ Share over_warp(Share mine) {
  const float most = over_lanes(mine.most, Largest());
  return {most, over_lanes(mine.sum * expf(mine.most - most), Sum())};
}

// All warps' shares together, in all threads of the row.
__device__ __forceinline__ Share over_row(Share mine) {
  if constexpr (kShares == 1) return mine;
  __shared__ Share shares[ROWS][kShares];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#if TUNE_CLUSTER > 1
  wait_for_cluster();
  if (lane < CLUSTER) {
    store_to_block(&shares[0][block_in_cluster() * kWarps + warp], lane,
                   make_float2(mine.most, mine.sum));
  }
  sync_cluster();
#else
  if (lane == 0) shares[threadIdx.y][warp] = mine;
  __syncthreads();
#endif
  Share total = {kLowest, 0};
#pragma unroll
  for (int first = 0; first < kShares; first += 32) {
    if (first + lane >= kShares) continue;
    const Share one = shares[threadIdx.y][first + lane];
    const float most = fmaxf(total.most, one.most);
    total.sum = total.sum * expf(total.most - most) + one.sum * expf(one.most - most);
    total.most = most;
  }
  return over_warp(total);
}

__device__ __forceinline__ void softmax_row(const float* x, float* y, int N) {
#if TUNE_CLUSTER > 1
  arrive_in_cluster();
  const int thread = block_in_cluster() * BLOCK + int(threadIdx.x);
#else
  const int thread = threadIdx.x;
#endif
  constexpr int kThreads = CLUSTER * BLOCK;  // of the row
  const bool aligned = aligned_alike(x, y);
  const int before = beyond_boundary(x);
  const int rest = kHeld - before + thread;
  Vector<VEC> held[ITEMS];
  float most = kLowest;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * kThreads + thread) * VEC - before;
    if (aligned && 0 <= at && at + VEC <= N) {
      held[i] = load_vector<VEC>(x + at);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        held[i].at[v] = 0 <= at + v && at + v < N ? x[at + v] : kLowest;
      }
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) most = fmaxf(most, held[i].at[v]);
  }
  for (int i = rest; i < N; i += kThreads) most = fmaxf(most, x[i]);
  most = over_lanes(most, Largest());

  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      held[i].at[v] = expf(held[i].at[v] - most);
      sum += held[i].at[v];
    }
  }
  for (int i = rest; i < N; i += kThreads) sum += expf(x[i] - most);
  const Share row = over_row(Share{most, over_lanes(sum, Sum())});
  const float scale = expf(most - row.most) / row.sum;

#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * kThreads + thread) * VEC - before;
#pragma unroll
    for (int v = 0; v < VEC; ++v) held[i].at[v] *= scale;
    if (aligned && 0 <= at && at + VEC <= N) {
      store_vector<VEC>(y + at, held[i]);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        if (0 <= at + v && at + v < N) y[at + v] = held[i].at[v];
      }
    }
  }
  for (int i = rest; i < N; i += kThreads) y[i] = expf(x[i] - row.most) / row.sum;
}
