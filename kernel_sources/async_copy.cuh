#pragma once
// Copies from global to shared memory that run while the threads compute (sm_80 and later;
// elsewhere plain copies, with the same meaning).

#include "shared_floats.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(TUNER_CPU)
#define ASYNC_COPY 1
#endif

// Starts the copy of COUNT (1 or 4) floats; zeros are written where nothing is `wanted`.
template <int COUNT>
__device__ __forceinline__ void copy_async(SharedFloats to, const float* from, bool wanted) {
#ifdef ASYNC_COPY
  const int bytes = wanted ? 4 * COUNT : 0;
  if constexpr (COUNT == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to.address), "l"(from),
                 "r"(bytes));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to.address), "l"(from),
                 "r"(bytes));
  }
#else
  for (int i = 0; i < COUNT; ++i) to.pointer()[i] = wanted ? from[i] : 0.0f;
#endif
}

// Ends the group of copies that this thread started since the last call.
__device__ __forceinline__ void end_group() {
#ifdef ASYNC_COPY
  asm volatile("cp.async.commit_group;");
#endif
}

// Waits until at most PENDING of this thread's groups are still running.
template <int PENDING>
__device__ __forceinline__ void wait_groups() {
#ifdef ASYNC_COPY
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}
