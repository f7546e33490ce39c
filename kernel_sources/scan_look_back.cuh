#pragma once
// Decoupled look-back (Merrill and Garland, 2016): a tile learns what lies before it from what the
// tiles before it have published, without waiting for them to end. First each tile publishes what its
// own elements come to; once it knows what lies before, it publishes what all come to up to its end.
//
//   tile       ...  t-4   t-3   t-2   t-1    t
//   published  ...  all   own   own   own         what lies before t: all(t-4) own(t-3) own(t-2) own(t-1)

#include "last_block.cuh"
#include "scan_operation.cuh"

enum class Published : unsigned { kNothing = 0, kOwn = 1, kAll = 2 };

// The state and 4 bytes of the value travel in one word of 64 bits, so that nobody sees one without
// the other. A value of 8 bytes takes two words, and counts where their states agree.
using StatusWord = unsigned long long;
constexpr int kStatusWords = sizeof(Element) / 4;

struct Status {
  Published state;
  Element value;
};

union Halves {
  Element value;
  unsigned half[kStatusWords];
};

__device__ __forceinline__ void publish(StatusWord* status, int tile, Published state,
                                        Element value) {
  Halves halves;
  halves.value = value;
#pragma unroll
  for (int w = 0; w < kStatusWords; ++w) {
    static_cast<volatile StatusWord*>(status)[tile * kStatusWords + w] =
        StatusWord(halves.half[w]) << 32 | unsigned(state);
  }
}

// Before the first tile lies nothing, and all know it.
__device__ __forceinline__ Status published(const StatusWord* status, int tile) {
  if (tile < 0) return {Published::kAll, nothing()};
  StatusWord word[kStatusWords];
#pragma unroll
  for (int w = 0; w < kStatusWords; ++w) {
    word[w] = static_cast<const volatile StatusWord*>(status)[tile * kStatusWords + w];
  }
  Halves halves;
  unsigned state = unsigned(word[0]);
#pragma unroll
  for (int w = 0; w < kStatusWords; ++w) {
    halves.half[w] = unsigned(word[w] >> 32);
    if (unsigned(word[w]) != state) state = 0;
  }
  return {Published(state), halves.value};
}

// What lies before the tile, in all lanes of the warp that calls it. Each lane looks at WINDOW tiles at
// once, the warp at 32 * WINDOW; what is not there yet is looked at again after DELAY nanoseconds.
template <int WINDOW, int DELAY>
__device__ __forceinline__ Element look_back(const StatusWord* status, int tile) {
  const int lane = threadIdx.x % 32;
  Element mine = nothing();
  for (int nearest = tile - 1 - lane;; nearest -= 32 * WINDOW) {
    Status seen[WINDOW];
#pragma unroll
    for (int w = 0; w < WINDOW; ++w) seen[w] = published(status, nearest - 32 * w);
#pragma unroll
    for (int w = 0; w < WINDOW; ++w) {
      unsigned all, missing, wanted;  // one bit a lane
      while (true) {
        all = __ballot_sync(kWholeWarp, seen[w].state == Published::kAll);
        missing = __ballot_sync(kWholeWarp, seen[w].state == Published::kNothing);
        wanted = all ^ (all - 1);  // up to the nearest that knows all: those are enough
        if ((missing & wanted) == 0) break;
#ifndef TUNER_CPU
        if constexpr (DELAY > 0) __nanosleep(DELAY);
#endif
        if (seen[w].state == Published::kNothing) seen[w] = published(status, nearest - 32 * w);
      }
      if (wanted >> lane & 1) mine = combine(seen[w].value, mine);
      if (all != 0) return combine_lanes(mine);
    }
  }
}

// Tiles are taken in order, whichever block begins first, so that each waits only for tiles that
// somebody has. `counters` and `status` are zero before the launch and zero again after it.
struct Progress {
  StatusWord* status;
  unsigned* counters;
  int tiles;

  // In one thread: the number of the next tile.
  __device__ int take_ticket() const { return int(atomicAdd(counters, 1u)); }

  // In one thread, after the barrier behind the last look-back of its block: are all `blocks` here?
  __device__ bool last_to_arrive(unsigned blocks) const {
    return completes(counters + 1, 1, blocks);
  }

  // By all threads of the block that arrived last: nobody looks back any more.
  __device__ void clear() const {
    for (int i = threadIdx.x; i < tiles * kStatusWords; i += blockDim.x) status[i] = 0;
    if (threadIdx.x == 0) counters[0] = 0;
  }
};
