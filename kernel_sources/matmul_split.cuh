#pragma once
// How the blocks that share a tile of C (SPLIT_K > 1) put their parts together, in the same launch.
//
// Every block adds its sums to the tile's words of `workspace`; the last to arrive takes the total
// and leaves zeros behind. `workspace` and `arrivals` are thus zero before and after each launch.

__device__ __forceinline__ void add_to(Vector<4>* to, const Vector<4>& value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && !defined(TUNER_CPU)
  atomicAdd(reinterpret_cast<float4*>(to),
            make_float4(value.at[0], value.at[1], value.at[2], value.at[3]));
#else
  for (int v = 0; v < 4; ++v) atomicAdd(&to->at[v], value.at[v]);
#endif
}

__device__ __forceinline__ Vector<4> take(Vector<4>* from) {
  Vector<4> value;
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    // Volatile: past this multiprocessor's own cache, which does not see the others' additions.
    value.at[v] = *static_cast<volatile float*>(&from->at[v]);
    from->at[v] = 0;
  }
  return value;
}

// True for the block that has to store the tile; `sum` then holds the total.
__device__ __forceinline__ bool add_up_parts(float (&sum)[TM][TN], float* workspace,
                                             unsigned* arrivals) {
  if constexpr (SPLIT_K == 1) return true;
  // Laid out by thread rather than by row: neighbouring threads' vectors are neighbours.
  Vector<4>* const words =
      reinterpret_cast<Vector<4>*>(workspace) + size_t(blockIdx.x) * (BM * BN / 4) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const Vector<4> value = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
      add_to(words + (i * TN + j) / 4 * kThreads, value);
    }
  }

  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrivals + blockIdx.x, 1u) == SPLIT_K - 1;
    if (last) arrivals[blockIdx.x] = 0;
    __threadfence();
  }
  __syncthreads();
  if (!last) return false;

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const Vector<4> value = take(words + (i * TN + j) / 4 * kThreads);
#pragma unroll
      for (int v = 0; v < 4; ++v) sum[i][j + v] = value.at[v];
    }
  }
  return true;
}
