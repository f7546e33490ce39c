#pragma once
// How the threads of a block, and the blocks of a grid, come together.

#include "reduction_operation.cuh"

// Memory of one block: BLOCK words for the tree, one word a warp for the shuffles.
__device__ Value* block_memory() {
#if TUNE_SHARED_IS_dynamic
  extern __shared__ Value words[];
#elif TUNE_FORM_IS_shared
  __shared__ Value words[BLOCK];
#else
  __shared__ Value words[32];
#endif
  return words;
}

__device__ Value warp_total(Value value) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    value = combine(value, __shfl_down_sync(0xffffffffu, value, half));
  }
  return value;
}

// The block's, in thread 0. May be called again: it begins with a barrier.
__device__ Value block_total(Value value) {
  Value* words = block_memory();
  __syncthreads();
#if TUNE_FORM_IS_shuffle
  value = warp_total(value);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) value = warp_total(threadIdx.x < BLOCK / 32 ? words[threadIdx.x] : 0);
  return value;
#else
  words[threadIdx.x] = value;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      words[threadIdx.x] = combine(words[threadIdx.x + half], words[threadIdx.x]);
    }
  }
  return threadIdx.x == 0 ? words[0] : 0;
#endif
}

// True in the one block that arrives last: what all others wrote before is then visible to it.
// `arrivals` counts from zero and is left at zero for the next launch.
__device__ bool last_to_arrive(unsigned* arrivals) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrivals, 1u) == gridDim.x - 1;
    if (last) *arrivals = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// A read that does not trust this multiprocessor's own cache.
__device__ Value read_through(const Value* from) {
  return *static_cast<const volatile Value*>(from);
}
