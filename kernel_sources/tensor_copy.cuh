#pragma once
// Hopper's copy engine (sm_90): a single thread orders whole boxes of a matrix, moved between
// global and shared memory while the others compute. A tensor map, made by the driver, describes
// the matrix and the box; what lies outside the matrix reads as zero and is not written. Barriers
// in shared memory count arrivals of threads and bytes of copies.

#include "cluster.cuh"
#include "tensor_types.cuh"

using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

// ---- barriers: a phase ends when all arrivals and all announced bytes are there ----

__device__ __forceinline__ void init_barrier(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals));
}

// After the initialisation: the copy engine and the other blocks of the cluster see it.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// One arrival that also announces `bytes` of copies.
__device__ __forceinline__ void arrive_expecting(Barrier* barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// One arrival at the same barrier of another block of the cluster (or of this one).
__device__ __forceinline__ void arrive_at(Barrier* barrier, int block_in_cluster) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
      "  mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(barrier)),
      "r"(block_in_cluster)
      : "memory");
}

// Waits for the end of the phase with this parity: of the first phase 0, of the second 1, ...
__device__ __forceinline__ void wait_for(Barrier* barrier, int parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "  again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "  @done bra ready;\n"
      "  bra again;\n"
      "  ready: }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// ---- copies ----

// The copy engine reads the map itself before the first box: one trip to memory less to wait for
// then.
__device__ __forceinline__ void fetch_map(const TensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The box whose first element is in column `x` and row `y`, into shared memory at the same place of
// each block in `blocks` (a bit mask); their barriers count the bytes.
template <bool MULTICAST>
__device__ __forceinline__ void load_box(void* to, const TensorMap& map, Barrier* barrier, int x,
                                         int y, unsigned short blocks) {
  if constexpr (MULTICAST) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y), "h"(blocks)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
        "l"(&map), "r"(shared_address(barrier)), "r"(x), "r"(y)
        : "memory");
  }
}

// The same in the other direction. What threads wrote must have been made visible before.
__device__ __forceinline__ void store_box(const TensorMap& map, const void* from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(shared_address(from)), "r"(x), "r"(y)
      : "memory");
}

__device__ __forceinline__ void make_visible_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Until at most PENDING of this thread's stores still have to read their shared memory.
template <int PENDING>
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
