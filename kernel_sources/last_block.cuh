#pragma once
// Which of the blocks that work together arrives last: what all others wrote before is then visible to it.
// A counter says how much has arrived; it is zero before the launch and zero again after it.
//
//   block 0: write, fence, +1      block 1: write, fence, +1      the last: +1, fence, read all

// Orders this thread's accesses, and what barriers put before them, for all of the device.
// (__threadfence is more, sequentially consistent, and costs more.)
__device__ __forceinline__ void fence() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 && !defined(TUNER_CPU)
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
  __threadfence();
#endif
}

// In one thread, after a barrier of its block: is `whole` complete with this `share`?
__device__ __forceinline__ bool completes(unsigned* arrived, unsigned share, unsigned whole) {
  fence();
  const bool last = atomicAdd(arrived, share) + share == whole;
  if (last) *arrived = 0;
  fence();
  return last;
}

// The same in all threads of a block.
__device__ inline bool block_completes(unsigned* arrived, unsigned share, unsigned whole) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = completes(arrived, share, whole);
  __syncthreads();
  return last;
}
