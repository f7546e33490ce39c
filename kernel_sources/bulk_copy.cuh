#pragma once
// Hopper's copy engine for stretches of memory (sm_90): one thread orders a copy between global and
// shared memory, and goes on. Addresses and sizes are multiples of 16 bytes. Barriers count the
// bytes that arrive. On the CPU these are plain copies, made at once, and all
// threads of the block have to wait for them.

#ifndef TUNER_CPU

#include "barrier.cuh"

// For what is used ONCE: its lines are the first to leave the L2 cache.
__device__ __forceinline__ unsigned long long leave_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// To shared memory; the barrier counts the bytes, which must have been announced to it.
template <bool ONCE = false>
__device__ __forceinline__ void load_stretch(void* to, const void* from, int bytes,
                                             Barrier* barrier) {
  if constexpr (ONCE) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
        " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(leave_first())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
  }
}

// To global memory. What threads wrote to shared memory must have been made visible before.
template <bool ONCE = false>
__device__ __forceinline__ void store_stretch(void* to, const void* from, int bytes) {
  if constexpr (ONCE) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;\n"
        "cp.async.bulk.commit_group;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes), "l"(leave_first())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
        "cp.async.bulk.commit_group;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
  }
}

__device__ __forceinline__ void make_visible_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Until at most PENDING of this thread's stores still have to read their shared memory.
template <int PENDING>
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

#else

using Barrier = unsigned long long;

inline void init_barrier(Barrier*, int) {}
inline void publish_barriers() {}
inline void arrive_expecting(Barrier*, int) {}
inline void wait_for(Barrier*, int) { __syncthreads(); }
inline void make_visible_to_copies() {}
template <int PENDING>
inline void wait_for_stores() {}

template <bool ONCE = false>
inline void load_stretch(void* to, const void* from, int bytes, Barrier*) {
  __builtin_memcpy(to, from, bytes);
}
template <bool ONCE = false>
inline void store_stretch(void* to, const void* from, int bytes) {
  __builtin_memcpy(to, from, bytes);
}

#endif
