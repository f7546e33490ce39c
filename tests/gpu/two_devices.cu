// A kernel that two threads launch on two devices, and one that reads the other device's memory.
// Prints "right" where all answers are.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void scale(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}

__global__ void fetch(const float* other, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = other[i] + 1;
}

static void must(cudaError_t done) {
  if (done == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(done));
  std::exit(1);
}

struct Arrays {
  float *x, *y;
  bool is_right;
};

static void work(int device, int n, Arrays* arrays) {
  must(cudaSetDevice(device));
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = float(i % 1000 + device);
  must(cudaMalloc(&arrays->x, n * sizeof(float)));
  must(cudaMalloc(&arrays->y, n * sizeof(float)));
  must(cudaMemcpy(arrays->x, values.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  for (int i = 0; i < 20; ++i) {
    scale<<<(n + 31) / 32, 32, 0, stream>>>(arrays->x, arrays->y, 3.0f, n);
  }
  std::vector<float> found(n);
  must(cudaMemcpyAsync(found.data(), arrays->y, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));
  arrays->is_right = true;
  for (int i = 0; i < n; ++i) arrays->is_right &= found[i] == 3 * values[i];
}

int main() {
  Arrays arrays[2];
  std::thread first(work, 0, 3000001, &arrays[0]), second(work, 1, 1000003, &arrays[1]);
  first.join();
  second.join();
  bool is_right = arrays[0].is_right && arrays[1].is_right;
  must(cudaSetDevice(1));
  must(cudaDeviceEnablePeerAccess(0, 0));
  fetch<<<100, 256>>>(arrays[0].x, arrays[1].y, 25600);
  std::vector<float> found(25600);
  must(cudaMemcpy(found.data(), arrays[1].y, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 25600; ++i) is_right &= found[i] == float(i % 1000) + 1;
  std::puts(is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
