// Coefficients in constant memory, settings with the prefix that tuner itself gives; launched by a
// function of the runtime.
#include <cuda_runtime.h>
#include <cstdlib>
#include <string>

#ifndef TUNE_TILE
#  define TUNE_TILE 32
#endif
#if !defined(TUNE_STEPS)
#  define TUNE_STEPS 1
#endif
#define RADIUS 4

struct Grid {
  int nx, ny;
  float dt;
};

__constant__ float c_coeff[RADIUS + 1];

__device__ __forceinline__ float at(const float* __restrict__ u, const Grid g, int x, int y) {
  x = x < 0 ? 0 : (x >= g.nx ? g.nx - 1 : x);
  y = y < 0 ? 0 : (y >= g.ny ? g.ny - 1 : y);
  return u[(size_t)y * g.nx + x];
}

__global__ void __launch_bounds__(TUNE_TILE * 8, 2)
step_kernel(const float* __restrict__ u, float* __restrict__ u_next, int nx, int ny, float dt) {
  const Grid grid{nx, ny, dt};
  const int x = blockIdx.x * TUNE_TILE + threadIdx.x;
  for (int s = 0; s < TUNE_STEPS; ++s) {
    const int y = (blockIdx.y * TUNE_STEPS + s) * 8 + threadIdx.y;
    if (x >= grid.nx || y >= grid.ny) continue;
    float sum = c_coeff[0] * at(u, grid, x, y);
#pragma unroll
    for (int r = 1; r <= RADIUS; ++r) {
      sum += c_coeff[r] * (at(u, grid, x - r, y) + at(u, grid, x + r, y) + at(u, grid, x, y - r) +
                           at(u, grid, x, y + r));
    }
    u_next[(size_t)y * grid.nx + x] = at(u, grid, x, y) + grid.dt * sum;
  }
}

struct Options {
  std::string output;
  int steps = 100;
};

cudaError_t step(Grid grid, float* u, float* u_next) {
  void* args[] = {&u, &u_next, (void*)&grid.nx, (void*)&grid.ny, &grid.dt};
  const dim3 threads(TUNE_TILE, 8);
  const dim3 blocks((grid.nx + TUNE_TILE - 1) / TUNE_TILE,
                    (grid.ny + 8 * TUNE_STEPS - 1) / (8 * TUNE_STEPS));
  return cudaLaunchKernel((void*)step_kernel, blocks, threads, args, 0, nullptr);
}
