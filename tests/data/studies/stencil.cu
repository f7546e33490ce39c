// Heat that spreads along a rod: one launch advances the temperatures by TUNE_STEPS time steps. A
// block keeps its tile in shared memory, with as many cells on both sides as there are steps.
// Outside of the rod it is cold.

#ifndef TUNE_STEPS
#define TUNE_STEPS 1
#define TUNE_TILE 64
#endif

__device__ float next(float left, float here, float right) {
  return here + 0.25f * (left - 2 * here + right);
}

extern "C" __global__ void heat(const float* now, float* later, int n, int steps) {
  constexpr int kWidth = TUNE_TILE + 2 * TUNE_STEPS;
  __shared__ float cell[2][kWidth];
  const int begin = static_cast<int>(blockIdx.x) * TUNE_TILE - TUNE_STEPS;
  for (int i = threadIdx.x; i < kWidth; i += blockDim.x) {
    cell[0][i] = begin + i >= 0 && begin + i < n ? now[begin + i] : 0.0f;
  }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const float* from = cell[step % 2];
    float* to = cell[1 - step % 2];
    for (int i = threadIdx.x; i < kWidth; i += blockDim.x) {
      const bool inside = begin + i >= 0 && begin + i < n;
      // At the edges of the tile it is wrong, further in with each step; nobody needs that.
      const float left = i > 0 ? from[i - 1] : 0.0f;
      const float right = i + 1 < kWidth ? from[i + 1] : 0.0f;
      to[i] = inside ? next(left, from[i], right) : 0.0f;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < TUNE_TILE; i += blockDim.x) {
    const int at = begin + TUNE_STEPS + i;
    if (at < n) later[at] = cell[steps % 2][TUNE_STEPS + i];
  }
}

// Each thread follows all that its cell depends on.
extern "C" __global__ void heat_reference(const float* now, float* later, int n, int steps) {
  constexpr int kMost = 8;
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  float cell[2 * kMost + 3] = {};
  for (int k = -steps; k <= steps; ++k) {
    cell[k + kMost + 1] = at + k >= 0 && at + k < n ? now[at + k] : 0.0f;
  }
  for (int left = steps - 1; left >= 0; --left) {
    float before = cell[-left - 1 + kMost + 1];
    for (int k = -left; k <= left; ++k) {
      const float here = cell[k + kMost + 1];
      const bool inside = at + k >= 0 && at + k < n;
      cell[k + kMost + 1] = inside ? next(before, here, cell[k + 1 + kMost + 1]) : 0.0f;
      before = here;
    }
  }
  later[at] = cell[kMost + 1];
}
