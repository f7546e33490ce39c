// out[i] = in[i] * weights[0] + SCALE, by way of a tile in local memory that neighbours write.
#include "scale.h"

__kernel void turn(__global const int* in, __global int* out, __constant int* weights
#if TUNE_SHARED_IS_dynamic
                   , __local int* tile
#endif
                   , int n) {
#if !TUNE_SHARED_IS_dynamic
  __local int tile[TUNE_BLOCK];
#endif
  const int me = get_local_id(0), first = get_group_id(0) * TUNE_BLOCK;
  const int other = first + TUNE_BLOCK - 1 - me;
  tile[TUNE_BLOCK - 1 - me] = other < n ? in[other] * weights[0] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first + me < n) out[first + me] = tile[me] + SCALE;
}

__kernel void turn_reference(__global const int* in, __global int* out, __constant int* weights,
                             int n) {
  const int i = get_global_id(0);
  if (i < n) out[i] = in[i] * weights[0] + SCALE;
}
