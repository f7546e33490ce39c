#pragma once
// Hopper's copy engine (sm_90): a single thread orders whole boxes of a matrix, moved between
// global and shared memory while the others compute. A tensor map, made by the driver, describes
// the matrix and the box; what lies outside the matrix reads as zero and is not written.

#include "bulk_copy.cuh"
#include "cluster.cuh"
#include "tensor_types.cuh"

// The copy engine reads the map itself before the first box: one trip to memory less to wait for
// then.
__device__ __forceinline__ void fetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The box whose first element is in column `x` and row `y`, into shared memory; the barrier counts
// its bytes. ONCE: as in bulk_copy.cuh.
template <bool ONCE = false>
__device__ __forceinline__ void load_box(void* to, const TensorMap& map, Barrier* barrier, int x,
                                         int y) {
  if constexpr (ONCE) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "l"(leave_first())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y)
        : "memory");
  }
}

// The same into the same place of several blocks of a cluster, a bit each, whose barriers count the
// bytes.
__device__ __forceinline__ void load_shared_box(void* to, const TensorMap& map, Barrier* barrier,
                                                int x, int y, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(blocks)
      : "memory");
}

// The same in the other direction. What threads wrote must have been made visible before, and
// end_stores() makes one group of all stores since the last one.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
      "r"(shared_address(from)), "r"(x), "r"(y)
      : "memory");
}
__device__ __forceinline__ void end_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
