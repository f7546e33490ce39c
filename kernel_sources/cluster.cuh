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
