// A program that does nothing but launch, to see what it costs to be watched.
#include <chrono>
#include <cstdio>

__global__ void tiny(float* p) { p[threadIdx.x] += 1; }

int main() {
  float* p = nullptr;
  cudaMalloc(&p, 4096);
  tiny<<<1, 256>>>(p);
  cudaDeviceSynchronize();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 400000; ++i) tiny<<<1, 256>>>(p);
  cudaDeviceSynchronize();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  std::printf("%.3f s\n", taken.count());
}
