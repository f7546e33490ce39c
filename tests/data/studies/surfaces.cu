// The largest byte of each channel around every element of an image: first along its rows, through surfaces, then along
// its columns, through a texture over what the first launch wrote to a surface. The reference has the memory itself.
inline __device__ uchar4 largest(uchar4 a, uchar4 b) {
  return make_uchar4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w));
}

extern "C" __global__ void along_rows(cudaSurfaceObject_t image, cudaSurfaceObject_t middle, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y * TUNE_ROWS; y < (blockIdx.y + 1) * TUNE_ROWS; ++y) {
    if (x >= width || y >= height) return;
    uchar4 most = surf2Dread<uchar4>(image, x * sizeof(uchar4), y);
    most = largest(most, surf2Dread<uchar4>(image, (x - 1) * (int)sizeof(uchar4), y, cudaBoundaryModeZero));
    most = largest(most, surf2Dread<uchar4>(image, (x + 1) * (int)sizeof(uchar4), y, cudaBoundaryModeClamp));
    surf2Dwrite(most, middle, x * sizeof(uchar4), y);
  }
}

extern "C" __global__ void along_columns(cudaTextureObject_t middle, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width) return;  // rows that the image has not are not written
  uchar4 most = tex2D<uchar4>(middle, x, y);
  most = largest(most, tex2D<uchar4>(middle, x, y - 1));
  most = largest(most, tex2D<uchar4>(middle, x, y + 1));
  surf2Dwrite(most, out, x * sizeof(uchar4), y, cudaBoundaryModeZero);
}

extern "C" __global__ void plain(const uchar4* image, uchar4* out, int width, int height) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  uchar4 most = make_uchar4(0, 0, 0, 0);
  for (int y = i / width - 1; y <= i / width + 1; ++y) {
    for (int x = i % width - 1; x <= i % width + 1; ++x) {
      if (x >= 0 && x < width && y >= 0 && y < height) most = largest(most, image[y * width + x]);
    }
  }
  out[i] = most;
}
