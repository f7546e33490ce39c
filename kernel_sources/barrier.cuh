#pragma once
// Barriers in shared memory (sm_90): a phase ends when all arrivals of threads, and all bytes of copies
// that were announced, are there.

using Barrier = unsigned long long;

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

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
