// y = a * x + y, by blocks of TUNE_BLOCK threads with TUNE_PER elements each.
extern "C" __global__ void axpy(const float* x, float* y, float a, int n) {
  const int first = blockIdx.x * TUNE_BLOCK * TUNE_PER + threadIdx.x;
  for (int k = 0; k < TUNE_PER; ++k) {
    const int i = first + k * TUNE_BLOCK;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}

extern "C" __global__ void axpy_reference(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
