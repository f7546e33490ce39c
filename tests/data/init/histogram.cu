// Counters with atomics, grid-stride loop, unsigned integers.
#include <stdint.h>

#define BINS 256

__global__ void histogram(const unsigned char* __restrict__ data, unsigned int* bins, uint32_t count) {
  __shared__ unsigned int local[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

void launch(const unsigned char* data, unsigned int* bins, uint32_t count) {
  histogram<<<64, 256>>>(data, bins, count);
}
