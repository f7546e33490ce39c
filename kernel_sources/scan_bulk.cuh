#pragma once
// FORM bulk (Hopper): one pass, by blocks that stay. STAGES tiles of a block lie in shared memory, to
// and from which the copy engine moves them. A block adds up its next tile before it looks back for
// this one: so what it looks for was published long ago, and nobody waits.
//
//   stage 0: | store tile 1 | load tile 4 ...
//   stage 1: | scan tile 2 in place: look back, store
//   stage 2: | add up tile 3, publish
//
// Who has which elements of a tile is another question, with two answers below: floats are faster
// where a warp's vectors lie side by side, doubles where a thread's elements do.

#include "bulk_copy.cuh"
#include "elements.cuh"
#include "scan_look_back.cuh"
#include "scan_warp.cuh"

template <class Tile>
struct BulkScan {
  static constexpr int kWarps = Tile::kThreads / 32;
  static constexpr int kStages = Tile::kStages;
  static constexpr bool kByThreads = sizeof(Element) == 8;

  // Of one block, in front of the tiles.
  struct Shared {
    Barrier full[kStages];
    int tile[kStages];     // that a stage holds, or is about to
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
#pragma unroll 1
    for (int i = whole; i < count; ++i) stage(s)[i] = from[i];
  }

  // By one thread.
  __device__ void write_back(int s) const {
    const int count = elements_of(shared->tile[s]), whole = in_stretches(count);
    Element* to = y + (long long)shared->tile[s] * Tile::kElements;
    if (whole > 0) store_stretch<Tile::kStoreOnce>(to, stage(s), whole * int(sizeof(Element)));
#pragma unroll 1
    for (int i = whole; i < count; ++i) to[i] = stage(s)[i];
  }

  // ---- A warp has vectors side by side, a thread every 32nd of them.

  using Share = WarpShare<Tile::kItems / Tile::kVector, Tile::kVector>;

  __device__ void load_share(Share& share, int s) const {
    const int first = warp() * Share::kElements;
    share.template load<false>(stage(s) + first, elements_of(shared->tile[s]) - first);
  }

  __device__ void add_up_by_warps(int s, int round) const {
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

  __device__ void scan_by_warps(int s) const {
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

  // ---- A thread has elements side by side, so that it adds them up by itself: one round of shuffles
  // scans them all. Of a tile that is added up it keeps one number: what lies before its elements.

  static constexpr int kVector = 16 / sizeof(Element);
  static constexpr int kVectors = Tile::kItems / kVector;
  using Vector = Elements<Element, kVector>;

  // What lies behind the end is not written back.
  struct Mine {
    Vector vectors[kVectors];
  };
  __device__ Element* mine_in(int s) const { return stage(s) + threadIdx.x * Tile::kItems; }
  __device__ __forceinline__ Mine load_mine(int s) const {
    Mine mine;
#pragma unroll
    for (int i = 0; i < kVectors; ++i)
      mine.vectors[i] = load_elements<kVector>(mine_in(s) + i * kVector);
    return mine;
  }

  // Returns what lies before this thread's elements in the tile.
  __device__ Element add_up_by_threads(int s, int round) const {
    // Else neighbours would read from the same banks of shared memory.
    static_assert(kVectors % 2 == 1 && Tile::kItems % kVector == 0);
    wait_for(&shared->full[s], round & 1);
    const Mine mine = load_mine(s);
    const int left = elements_of(shared->tile[s]) - threadIdx.x * Tile::kItems;
    Element total = nothing();
#pragma unroll
    for (int i = 0; i < Tile::kItems; ++i) {
      if (i < left) total = combine(total, mine.vectors[i / kVector].at[i % kVector]);
    }
    const Element up_to_lane = scan_lanes(total);
    const Element before_lane = __shfl_up_sync(kWholeWarp, up_to_lane, 1);
    const int lane = threadIdx.x % 32;
    if (lane == 31) shared->warps[warp()] = up_to_lane;
    __syncthreads();
    // The first warp, before which lies nothing, adds up all of them instead.
    const int wanted = warp() == 0 ? kWarps : warp();
    const Element warps = combine_lanes(lane < wanted ? shared->warps[lane] : nothing());
    if (threadIdx.x == 0) {
      publish(progress.status, shared->tile[s], Published::kOwn, warps);
      shared->own[s] = warps;
    }
    const Element before_warp = warp() == 0 ? nothing() : warps;
    return lane == 0 ? before_warp : combine(before_warp, before_lane);
  }

  // `before` is what add_up_by_threads() said of this tile.
  __device__ void scan_by_threads(int s, Element before) const {
    const int tile = shared->tile[s];
    const Mine mine = load_mine(s);
    if (warp() == 0) {
      const Element before_tile = look_back<Tile::kWindow, Tile::kDelay>(progress.status, tile);
      if (threadIdx.x == 0) {
        publish(progress.status, tile, Published::kAll, combine(before_tile, shared->own[s]));
        shared->before_tile = before_tile;
      }
    }
    __syncthreads();
    Element up_to = combine(shared->before_tile, before);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      Vector y;
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        const Element with = combine(up_to, mine.vectors[i].at[v]);
        y.at[v] = kExclusive ? up_to : with;
        up_to = with;
      }
      store_shared(mine_in(s) + i * kVector, y);
    }
    make_visible_to_copies();
  }

  // By all threads: the tile of a stage, as soon as it has arrived.
  __device__ Element add_up(int s, int round) const {
    if constexpr (kByThreads) return add_up_by_threads(s, round);
    if constexpr (!kByThreads) add_up_by_warps(s, round);
    return nothing();
  }
  // By all threads: scans in place.
  __device__ void scan(int s, Element before) const {
    if constexpr (kByThreads) scan_by_threads(s, before);
    if constexpr (!kByThreads) scan_by_warps(s);
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
    Element before = nothing();  // this thread's elements, in the tile whose turn it is
    if (shared->tile[0] < progress.tiles) before = add_up(0, 0);
    for (int n = 0; shared->tile[n % kStages] < progress.tiles; ++n) {
      const int s = n % kStages, next = (n + 1) % kStages;
      int ticket = 0;
      if (orders && n > 0) ticket = progress.take_ticket();
      Element before_next = nothing();
      if (shared->tile[next] < progress.tiles) before_next = add_up(next, (n + 1) / kStages);
      if (orders && n > 0) {
        wait_for_stores<0>();  // the tile before this one has left its stage, which is free again
        fetch((n + kStages - 1) % kStages, ticket);
      }
      scan(s, before);
      before = before_next;
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
  Scan{x,
       y,
       N,
       progress,
       reinterpret_cast<typename Scan::Shared*>(memory),
       reinterpret_cast<Element*>(memory + Scan::kHead)}
      .run();
}
