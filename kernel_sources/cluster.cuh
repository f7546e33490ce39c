#pragma once
// Clusters (sm_90 and later): blocks that run at the same time and see each other's shared memory.

__device__ __forceinline__ int block_in_cluster() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Waits for all blocks; what they wrote before is then seen by all.
__device__ __forceinline__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Waits for all blocks, where it is enough that they have read what they wanted: costs less.
__device__ __forceinline__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
}

// Says that this thread is here, and later waits until all are: in between it need not stand still.
// After that the other blocks' shared memory may be written to, since they have begun.
__device__ __forceinline__ void arrive_in_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait;" ::: "memory");
}

// Writes to the same place of another block's shared memory (or of this one's).
__device__ __forceinline__ void store_to_block(void* place, int block_in_cluster, float2 value) {
  const unsigned here = unsigned(__cvta_generic_to_shared(place));
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
      "  st.shared::cluster.v2.f32 [there], {%2, %3}; }" ::"r"(here),
      "r"(block_in_cluster), "f"(value.x), "f"(value.y)
      : "memory");
}

// What is at the same place of another block's shared memory (or of this one's).
__device__ __forceinline__ float4 load_from_block(const void* place, int block_in_cluster) {
  const unsigned here = unsigned(__cvta_generic_to_shared(place));
  float4 value;
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %4, %5;"
      "  ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there]; }"
      : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
      : "r"(here), "r"(block_in_cluster)
      : "memory");
  return value;
}
