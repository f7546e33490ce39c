// A filter in constant memory.
#define RADIUS 3
#define WIDTH (2 * RADIUS + 1)
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif

__constant__ float d_filter[7 * 7];

__global__ void convolve(const float* input, float* output, int width, int height) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
    for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
      const int sx = min(max(x + dx, 0), width - 1);
      const int sy = min(max(y + dy, 0), height - 1);
      sum += input[sy * width + sx] * d_filter[(dy + RADIUS) * 7 + dx + RADIUS];
    }
  }
  output[y * width + x] = sum;
}
