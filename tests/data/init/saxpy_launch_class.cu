// y = a x + y behind a class, with strings and smart pointers about it.
#include <cuda_runtime.h>
#include <memory>
#include <string>
#include "cublas_v2.h"

#if !defined(BLOCK_SIZE)
#define BLOCK_SIZE 256
#endif
#ifndef VECTOR_WIDTH
#define VECTOR_WIDTH 1
#endif

static std::string message = "saxpy";

__global__ void saxpy(float a, const float *x, float *y, size_t n) {
  size_t first = (blockIdx.x * BLOCK_SIZE + threadIdx.x) * VECTOR_WIDTH;
  for (size_t i = first; i < first + VECTOR_WIDTH && i < n; ++i) y[i] = a * x[i] + y[i];
}

void saxpy_on(cudaStream_t stream, float a, const float *x, float *y, size_t n) {
  const unsigned per_block = BLOCK_SIZE * VECTOR_WIDTH;
  saxpy<<<(unsigned)((n + per_block - 1) / per_block), BLOCK_SIZE, 0, stream>>>(a, x, y, n);
}
