// A file with several kernels, a naive one among them, and helpers that a macro marks.
#include <assert.h>
#include <float.h>

#define HOST_DEVICE __host__ __device__
#ifndef THREADS
#define THREADS 128
#endif
#ifndef ITEMS_PER_THREAD
#define ITEMS_PER_THREAD 2
#endif

typedef float real;

HOST_DEVICE inline real squared(real x) { return x * x; }

__global__ void init_kernel(real* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 0;
}

__global__ void scale_kernel(const real* in, real* out, real factor, int n) {
  const int first = blockIdx.x * THREADS * ITEMS_PER_THREAD + threadIdx.x;
  assert(factor < FLT_MAX);
  for (int k = 0; k < ITEMS_PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    if (i < n) out[i] = factor * squared(in[i]);
  }
}

__global__ void scale_naive(const real* in, real* out, real factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i] * in[i];
}

static int divUp(int a, int b) { return (a + b - 1) / b; }

extern "C" void scale(const real* in, real* out, int count) {
  scale_kernel<<<divUp(count, THREADS * ITEMS_PER_THREAD), THREADS>>>(in, out, 3.0f, count);
}
