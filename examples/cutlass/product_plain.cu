// The right answer of product.cu.
#include <cuda_bf16.h>

// A block computes 64 x 64 elements of d, each thread 4 x 4; extents are multiples of 64.
extern "C" __global__ void product_plain(const __nv_bfloat16* a, const __nv_bfloat16* b,
                                         __nv_bfloat16* d, int m, int n, int k) {
  __shared__ float rows[16][65], columns[16][65];
  const int first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int first = 0; first < k; first += 16) {
    for (int i = y; i < 64; i += 16) {
      rows[x][i] = __bfloat162float(a[(first_row + i) * static_cast<long long>(k) + first + x]);
      columns[x][i] =
          __bfloat162float(b[(first_column + i) * static_cast<long long>(k) + first + x]);
    }
    __syncthreads();
    for (int j = 0; j < 16; ++j) {
      for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) sums[r][c] += rows[j][y + 16 * r] * columns[j][x + 16 * c];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      const long long i = first_row + y + 16 * r;
      d[i * n + first_column + x + 16 * c] = __float2bfloat16(sums[r][c]);
    }
  }
}
