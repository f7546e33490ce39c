#pragma once
// FORM bulk (Hopper): one pass, by blocks that stay. STAGES tiles of a block lie in shared memory, to
// and from which the copy engine moves them. A block adds up its next tile before it looks back for this
// one: so what it looks for was published long ago, and nobody waits.
//
//   stage 0: | store tile 1 | load tile 4 ...
//   stage 1: | scan tile 2 in place: look back, store
//   stage 2: | add up tile 3, publish

#include "bulk_copy.cuh"
#include "scan_look_back.cuh"
#include "scan_warp.cuh"

template <class Tile>
struct BulkScan {
  static constexpr int kWarps = Tile::kThreads / 32;
  static constexpr int kStages = Tile::kStages;
  using Share = WarpShare<Tile::kItems / Tile::kVector, Tile::kVector>;

  // Of one block, in front of the tiles.
  struct Shared {
    Barrier full[kStages];
    int tile[kStages];    // that a stage holds, or is about to
    Element own[kStages];  // what it comes to
    Element warps[kWarps];
    Element before_tile;
    bool last;
  };
  static constexpr int kHead = 512;
  static_assert(sizeof(Shared) <= kHead);

  const Element* x;
  Element* y;
  long long N;
  Progress progress;
  Shared* shared;
  Element* tiles;  // in shared memory

  __device__ Element* stage(int s) const { return tiles + s * Tile::kElements; }
  __device__ int warp() const { return threadIdx.x / 32; }

  __device__ int elements_of(int tile) const {
    const long long left = N - (long long)tile * Tile::kElements;
    return left < Tile::kElements ? int(left) : Tile::kElements;
  }
  // Copies move whole 16 bytes; the few elements behind them go one by one.
  __device__ static int in_stretches(int elements) {
    return elements / (16 / int(sizeof(Element))) * (16 / int(sizeof(Element)));
  }

  // By one thread.
  __device__ void fetch(int s, int tile) const {
    shared->tile[s] = tile;
    if (tile >= progress.tiles) return;
    const int count = elements_of(tile), whole = in_stretches(count);
    const Element* from = x + (long long)tile * Tile::kElements;
    arrive_expecting(&shared->full[s], whole * int(sizeof(Element)));
    if (whole > 0) {
      load_stretch<Tile::kLoadOnce>(stage(s), from, whole * int(sizeof(Element)), &shared->full[s]);
    }
    for (int i = whole; i < count; ++i) stage(s)[i] = from[i];
  }

  // By one thread.
  __device__ void write_back(int s) const {
    const int count = elements_of(shared->tile[s]), whole = in_stretches(count);
    Element* to = y + (long long)shared->tile[s] * Tile::kElements;
    if (whole > 0) store_stretch<Tile::kStoreOnce>(to, stage(s), whole * int(sizeof(Element)));
    for (int i = whole; i < count; ++i) to[i] = stage(s)[i];
  }

  __device__ void load_share(Share& share, int s) const {
    const int first = warp() * Share::kElements;
    share.template load<false>(stage(s) + first, elements_of(shared->tile[s]) - first);
  }

  // By all threads: the tile of a stage, as soon as it has arrived.
  __device__ void add_up(int s, int round) const {
    wait_for(&shared->full[s], round & 1);
    Share share;
    load_share(share, s);
    const Element mine = share.total();
    if (threadIdx.x % 32 == 0) shared->warps[warp()] = mine;
    __syncthreads();
    if (warp() == 0) {
      const int lane = threadIdx.x;
      const Element own = combine_lanes(lane < kWarps ? shared->warps[lane] : nothing());
      if (lane == 0) {
        publish(progress.status, shared->tile[s], Published::kOwn, own);
        shared->own[s] = own;
      }
    }
    __syncthreads();
  }

  // By all threads: scans in place.
  __device__ void scan(int s) const {
    const int lane = threadIdx.x % 32;
    const int tile = shared->tile[s];
    Share share;
    load_share(share, s);
    const Element mine = share.scan();
    if (lane == 0) shared->warps[warp()] = mine;
    if (warp() == 0) {
      const Element before = look_back<Tile::kWindow, Tile::kDelay>(progress.status, tile);
      if (lane == 0) {
        publish(progress.status, tile, Published::kAll, combine(before, shared->own[s]));
        shared->before_tile = before;
      }
    }
    __syncthreads();
    const Element before_warp = combine_lanes(lane < warp() ? shared->warps[lane] : nothing());
    const int first = warp() * Share::kElements;
    const int left = elements_of(tile) - first;
    const Element earlier = combine(shared->before_tile, before_warp);
#pragma unroll
    for (int i = 0; i < Tile::kItems / Tile::kVector; ++i) {
      if (Share::place(i) >= left) continue;  // what lies behind the end is not written back
      *reinterpret_cast<Elements<Element, Tile::kVector>*>(stage(s) + first + Share::place(i)) =
          share.result(i, earlier);
    }
    make_visible_to_copies();
  }

  __device__ void run() const {
    const bool orders = threadIdx.x == Tile::kThreads - 1;  // the first warp looks back
    if (orders) {
      int ticket[kStages];  // all at once: each is a way to memory and back
#pragma unroll
      for (int s = 0; s < kStages; ++s) ticket[s] = progress.take_ticket();
      for (int s = 0; s < kStages; ++s) init_barrier(&shared->full[s], 1);
      publish_barriers();
#pragma unroll
      for (int s = 0; s < kStages; ++s) fetch(s, ticket[s]);
    }
    __syncthreads();
    if (shared->tile[0] < progress.tiles) add_up(0, 0);
    for (int n = 0; shared->tile[n % kStages] < progress.tiles; ++n) {
      const int s = n % kStages, next = (n + 1) % kStages;
      int ticket = 0;
      if (orders && n > 0) ticket = progress.take_ticket();
      if (shared->tile[next] < progress.tiles) add_up(next, (n + 1) / kStages);
      if (orders && n > 0) {
        wait_for_stores<0>();  // the tile before this one has left its stage, which is free again
        fetch((n + kStages - 1) % kStages, ticket);
      }
      scan(s);
      __syncthreads();
      if (orders) write_back(s);
    }
    if (orders) {
      wait_for_stores<0>();
      shared->last = progress.last_to_arrive(gridDim.x);
    }
    __syncthreads();
    if (shared->last) progress.clear();
  }
};

template <class Tile>
__device__ __forceinline__ void scan_in_bulk(const Element* x, Element* y, long long N,
                                             Progress progress) {
  using Scan = BulkScan<Tile>;
  extern __shared__ __align__(128) char memory[];
  Scan{x, y, N, progress, reinterpret_cast<typename Scan::Shared*>(memory),
       reinterpret_cast<Element*>(memory + Scan::kHead)}
      .run();
}
