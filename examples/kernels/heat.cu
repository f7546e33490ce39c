// A step of heat flowing in a plate: each point becomes the mean of itself and its neighbours. A
// thread computes TUNE_ROWS points, one below the other.

__device__ float mean(const float* t, int width, int height, int x, int y) {
  const int left = x > 0 ? x - 1 : x, right = x + 1 < width ? x + 1 : x;
  const int up = y > 0 ? y - 1 : y, down = y + 1 < height ? y + 1 : y;
  return 0.2f * (t[y * width + x] + t[y * width + left] + t[y * width + right] + t[up * width + x] +
                 t[down * width + x]);
}

__global__ void step(const float* now, float* next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * TUNE_ROWS;
  if (x >= width) return;
#pragma unroll
  for (int row = 0; row < TUNE_ROWS; ++row) {
    const int y = first + row;
    if (y < height) next[y * width + x] = mean(now, width, height, x, y);
  }
}

__global__ void plain_step(const float* now, float* next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) next[y * width + x] = mean(now, width, height, x, y);
}
