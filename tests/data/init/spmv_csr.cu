// A sparse matrix times a vector: rows by offsets, a warp for each row, a struct of settings by value.
#include <cstdint>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

using index_t = std::int32_t;
using value_t = double;

constexpr int kWarpSize = 32;
constexpr int kWarpsPerBlock = 4;
constexpr int kThreads = kWarpSize * kWarpsPerBlock;

__inline__ __device__ value_t warp_sum(value_t v) {
  for (int offset = kWarpSize / 2; offset > 0; offset >>= 1) v += __shfl_xor_sync(~0u, v, offset);
  return v;
}

template <int WARPS_PER_BLOCK = kWarpsPerBlock>
__global__ __launch_bounds__(WARPS_PER_BLOCK* kWarpSize) void csr_vector(
    index_t num_rows, const index_t* __restrict__ row_offsets, const index_t* __restrict__ columns,
    const value_t* __restrict__ values, const value_t* __restrict__ x, value_t* __restrict__ y) {
  const index_t row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  if (row >= num_rows) return;
  value_t sum = 0;
  for (index_t i = row_offsets[row] + lane; i < row_offsets[row + 1]; i += kWarpSize) {
    sum += values[i] * x[columns[i]];
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

struct CsrMatrix {
  index_t rows, cols, nonzeros;
  index_t *offsets, *columns;
  value_t* values;
};

void multiply(const CsrMatrix& a, const value_t* x, value_t* y, cudaStream_t s = nullptr) {
  const auto blocks = static_cast<unsigned>((a.rows + kWarpsPerBlock - 1) / kWarpsPerBlock);
  csr_vector<><<<blocks, kThreads, 0, s>>>(a.rows, a.offsets, a.columns, a.values, x, y);
  if (const auto error = cudaGetLastError(); error != cudaSuccess) {
    std::cerr << cudaGetErrorString(error) << '\n';
  }
}
