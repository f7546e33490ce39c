// What kernels include and use, one habit for each value of CASE, beside the host code that would be in
// the same file. Those from 20 on are for devices only: the cpu backend refuses them.
#include <cuda_runtime.h>
#include <iostream>
#include <string>
#include <vector>

#if TUNE_CASE == 0
#include <math.h>
#include <cmath>
__device__ float used(float x) { return sqrtf(fabsf(x)) + std::fmin(x, float(M_PI)) + INFINITY; }
#endif
#if TUNE_CASE == 1
#include <stdint.h>
__device__ float used(float x) { return float(uint32_t(x) + INT32_MAX); }
#endif
#if TUNE_CASE == 2
#include <cstdint>
__device__ float used(float x) { return float(std::uint64_t(x) + sizeof(std::int16_t)); }
#endif
#if TUNE_CASE == 3
#include <stdio.h>
__device__ float used(float x) {
  if (threadIdx.x == 0) printf("%s: %d %f\n", "thread", int(threadIdx.x), x);
  return x;
}
#endif
#if TUNE_CASE == 4
#include <type_traits>
template <typename T>
__device__ std::enable_if_t<std::is_floating_point<T>::value, T> used(T x) {
  static_assert(std::is_same_v<std::decay_t<const T&>, T>);
  return x;
}
#endif
#if TUNE_CASE == 5
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
__device__ float used(float x) {
  std::array<float, 2> both{x, std::numeric_limits<float>::max()};
  std::swap(both[0], both[1]);
  return std::min(both[0], std::max(both[1], 1.0f));
}
#endif
#if TUNE_CASE == 6
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
__device__ float used(float x) {
  const clock_t now = clock();
  assert(x < FLT_MAX && now != INT_MIN);
  int bits;
  memcpy(&bits, &x, sizeof bits);
  return float(bits);
}
#endif
#if TUNE_CASE == 7
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ float used(float x) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  block.sync();
  return cg::reduce(tile, x, cg::plus<float>()) + tile.shfl_xor(x, 1) + tile.meta_group_rank();
}
#endif
#if TUNE_CASE == 20
#include <cuda_fp16.h>
__device__ float used(float x) { return __half2float(__hadd(__float2half(x), __float2half(1.0f))); }
#endif
#if TUNE_CASE == 21
#include <cuda_bf16.h>
__device__ float used(float x) { return __bfloat162float(__float2bfloat16(x)); }
#endif
#if TUNE_CASE == 22
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
__device__ float used(float x) {
  static_assert(cuda::std::is_same<cuda::std::decay_t<const float&>, float>::value, "");
  cuda::std::array<float, 2> both{x, cuda::std::numeric_limits<float>::epsilon()};
  return both[0] + both[1];
}
#endif
#if TUNE_CASE == 23
#include <cuda/atomic>
__device__ float used(float x) {
  __shared__ int counter;
  cuda::atomic_ref<int, cuda::thread_scope_block>(counter).fetch_add(1);
  return x;
}
#endif
#if TUNE_CASE == 24
#include <cuda_pipeline.h>
#include <mma.h>
__device__ float used(float x) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sums;
  nvcuda::wmma::fill_fragment(sums, x);
  return sums.x[0];
}
#endif

__global__ void habit(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = used(out[i]);
}

#define CHECK(call)                                                            \
  do {                                                                         \
    if ((call) != cudaSuccess) std::cerr << "failed: " << #call << std::endl; \
  } while (0)

int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  const int n = 256;
  float* out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  habit<<<(n + 127) / 128, 128>>>(out, n);
  std::cout << words.size() << std::endl;
  return 0;
}
