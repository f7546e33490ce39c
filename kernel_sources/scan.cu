// Y = the scan of X[0], ..., X[N-1], any N: each result is what the elements up to it come to (KIND
// inclusive), or those before it (exclusive). What an element is, and how two are combined:
// scan_operation.cuh.
//
// What each value of FORM changes:
//   hillis_steele  three kernels; a block scans in log2(BLOCK) steps, all its threads at work
//   blelloch       three kernels; a block scans along a tree, with fewer additions
//   registers      one pass: a tile in registers, look-back for what lies before it
//   bulk           one pass by blocks that stay; the copy engine moves tiles (Hopper)
//
// Names: BLOCK threads with ITEMS elements each, in accesses of VEC; of the one-pass forms WINDOW and
// DELAY of the look-back; ORDER is how a block comes to its tile: by a ticket, or by its own number, which
// is right where the device begins blocks in their order, as all do; STREAM marks data as used once.

#include "chosen.cuh"
#include "scan_operation.cuh"

constexpr int BLOCK = TUNE_BLOCK;

#if TUNE_FORM_IS_registers || TUNE_FORM_IS_bulk

struct Tile {
  static constexpr int kThreads = BLOCK;
  static constexpr int kItems = TUNE_ITEMS;
  static constexpr int kElements = kThreads * kItems;
  static constexpr int kVector = TUNE_VEC;
  static constexpr int kStages = TUNE_STAGES;
  static constexpr int kWindow = TUNE_WINDOW;
  static constexpr int kDelay = TUNE_DELAY;
  static constexpr bool kTicket = CHOSEN(TUNE_ORDER_IS_ticket);
  static constexpr bool kBothOnce = CHOSEN(TUNE_STREAM_IS_both);
  static constexpr bool kLoadOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_loads);
  static constexpr bool kStoreOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_stores);
  static_assert(kThreads % 32 == 0 && kItems % kVector == 0, "whole warps take whole vectors");
};

#if TUNE_FORM_IS_registers
#include "scan_registers.cuh"
#else
#include "scan_bulk.cuh"
#endif

#else
#include "scan_steps.cuh"
#endif

// The forms of one pass use `status` and `counters`, which are zero before the launch and zero again
// after it; the others use `sums`, one for each of the `tiles` that the grid takes.
extern "C" __global__ void __launch_bounds__(BLOCK, TUNE_PER_SM)
    scan(const Element* __restrict__ X, Element* __restrict__ Y, unsigned long long* status,
         unsigned* counters, Element* sums, int tiles, long long N) {
#if TUNE_FORM_IS_registers
  scan_in_registers<Tile>(X, Y, N, Progress{status, counters, tiles});
#elif TUNE_FORM_IS_bulk
  scan_in_bulk<Tile>(X, Y, N, Progress{status, counters, tiles});
#elif TUNE_FORM_IS_blelloch
  scan_by_blelloch<BLOCK, TUNE_PAD>(X, Y, sums, N);
#else
  scan_by_hillis_steele<BLOCK>(X, Y, sums, N);
#endif
}

#if TUNE_FORM_IS_hillis_steele || TUNE_FORM_IS_blelloch

extern "C" __global__ void __launch_bounds__(BLOCK) scan_sums(Element* sums, int tiles) {
  scan_notes<BLOCK>(sums, tiles);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_add(Element* Y, const Element* sums, long long N) {
  add_notes<BLOCK * (CHOSEN(TUNE_FORM_IS_blelloch) ? 2 : 1)>(Y, sums, N);
}

#endif

// One block of 1024 threads with 16 elements each, in double, which holds whole numbers exactly.
extern "C" __global__ void scan_reference(const Element* __restrict__ X, Element* __restrict__ Y,
                                          long long N) {
  constexpr int kEach = 16;
  __shared__ double warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const double none = nothing();
  double before_all = none;
  for (long long first = 0; first < N; first += 1024 * kEach) {
    const long long begin = first + threadIdx.x * kEach;
    double mine = none;
    for (int k = 0; k < kEach; ++k) mine = combine(mine, begin + k < N ? double(X[begin + k]) : none);
    const double up_to_lane = scan_lanes(mine);
    double before = __shfl_up_sync(kWholeWarp, up_to_lane, 1);
    if (lane == 0) before = none;
    __syncthreads();
    if (lane == 31) warps[warp] = up_to_lane;
    __syncthreads();
    const double up_to_warp = scan_lanes(warps[lane]);
    if (warp > 0) before = combine(__shfl_sync(kWholeWarp, up_to_warp, warp - 1), before);
    before = combine(before_all, before);
    for (int k = 0; k < kEach && begin + k < N; ++k) {
      const double with = combine(before, double(X[begin + k]));
      Y[begin + k] = Element(kExclusive ? before : with);
      before = with;
    }
    before_all = combine(before_all, __shfl_sync(kWholeWarp, up_to_warp, 31));
  }
}
