// As Kernel Tuner's examples: names that its Python passes as definitions.
#define ITERATIONS 4

extern "C" __global__ void stencil(float* x_new, const float* x_old, int nx, int ny) {
  int x = blockIdx.x * block_size_x + threadIdx.x;
  int y = blockIdx.y * block_size_y + threadIdx.y;
  if (y > 0 && y < ny - 1 && x > 0 && x < nx - 1) {
    x_new[y * nx + x] = (x_old[y * nx + x] + x_old[y * nx + x - 1] + x_old[y * nx + x + 1] +
                         x_old[(y + 1) * nx + x] + x_old[(y - 1) * nx + x]) /
                        5.0f;
  }
}
