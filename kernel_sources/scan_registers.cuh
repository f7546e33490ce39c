#pragma once
// FORM registers: one pass. A block takes one tile from global memory into registers, scans it there,
// looks back for what lies before it, and writes the result: each element is read once and written once.

#include "scan_look_back.cuh"
#include "scan_warp.cuh"

template <class Tile>
__device__ __forceinline__ void scan_in_registers(const Element* x, Element* y, long long N,
                                                  Progress progress) {
  constexpr int kWarps = Tile::kThreads / 32;
  __shared__ Element warps[kWarps];
  __shared__ Element before_tile;
  __shared__ int taken;
  __shared__ bool last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) taken = Tile::kTicket ? progress.take_ticket() : int(blockIdx.x);
  if constexpr (Tile::kTicket) __syncthreads();
  const int tile = Tile::kTicket ? taken : int(blockIdx.x);

  using Share = WarpShare<Tile::kItems / Tile::kVector, Tile::kVector>;
  const long long first = (long long)tile * Tile::kElements + warp * Share::kElements;
  Share share;
  share.template load<Tile::kLoadOnce>(x + first, N - first);
  const Element mine = share.scan();
  if (lane == 0) warps[warp] = mine;
  __syncthreads();

  const Element up_to_warp = scan_lanes(lane < kWarps ? warps[lane] : nothing());
  const Element up_to_previous = __shfl_up_sync(kWholeWarp, up_to_warp, 1);
  const Element before_warp =
      __shfl_sync(kWholeWarp, lane == 0 ? nothing() : up_to_previous, warp);
  if (warp == 0) {
    const Element own = __shfl_sync(kWholeWarp, up_to_warp, kWarps - 1);
    if (lane == 0) publish(progress.status, tile, Published::kOwn, own);
    const Element before = look_back<Tile::kWindow, Tile::kDelay>(progress.status, tile);
    if (lane == 0) {
      publish(progress.status, tile, Published::kAll, combine(before, own));
      before_tile = before;
    }
  }
  __syncthreads();

  // The last thread counts the block as done, so that the first, which looked back, need not.
  if (threadIdx.x == Tile::kThreads - 1) last = progress.last_to_arrive(gridDim.x);
  share.template store<Tile::kStoreOnce>(y + first, N - first, combine(before_tile, before_warp));
  __syncthreads();
  if (last) progress.clear();
}
