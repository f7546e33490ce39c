// A transpose as a template, launched by a function beside it.
#include <cstdint>
#include <type_traits>
#include <iostream>

template <typename T, int TILE_DIM, int BLOCK_ROWS>
__global__ void transpose(T* odata, const T* idata, int width, int height) {
  static_assert(std::is_floating_point<T>::value, "of numbers");
  __shared__ T tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

void run(float* out, const float* in) {
  const int nx = 256, ny = 192;
  constexpr int kTile = 32;
  constexpr int kRows = 8;
  dim3 grid((nx + kTile - 1) / kTile, (ny + kTile - 1) / kTile, 1);
  dim3 block(kTile, kRows, 1);
  transpose<float, kTile, kRows><<<grid, block>>>(out, in, nx, ny);
  std::cout << "launched" << std::endl;
}
