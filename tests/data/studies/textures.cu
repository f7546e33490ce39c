// Reads a vector and a matrix through textures: out[i] = x[i] + the mean of the matrix around i, whose values
// are in rows of `width`; the reference reads the buffers themselves.
extern "C" __global__ void blurred(float* out, cudaTextureObject_t x, cudaTextureObject_t image, int width,
                                   int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = blockIdx.y * TUNE_ROWS; row < (blockIdx.y + 1) * TUNE_ROWS; ++row) {
    if (column >= width || row >= height) return;
    const int i = row * width + column;
    // Between four elements, so that the filter gives their mean.
    const float mean = tex2D<float>(image, column + 1.0f, row + 1.0f);
    out[i] = tex1Dfetch<float>(x, i) + mean;
  }
}

extern "C" __global__ void plain(float* out, const float* x, const float* image, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  const int column = i % width, row = i / width;
  const int right = column + 1 < width ? column + 1 : column;
  const int below = row + 1 < height ? row + 1 : row;
  const float sum = image[row * width + column] + image[row * width + right] +
                    image[below * width + column] + image[below * width + right];
  out[i] = x[i] + sum / 4;
}

// The second time through a texture over what the launch before has written.
extern "C" __global__ void doubled(float* to, cudaTextureObject_t from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * tex1Dfetch<float>(from, i);
}

extern "C" __global__ void quadrupled(const float* a, float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  b[i] = 2 * a[i];
  c[i] = 4 * a[i];
}
