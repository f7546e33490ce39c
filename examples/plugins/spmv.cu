// y = A x for a sparse A in CSR form: LANES threads share a row, so that long rows do not take one
// thread's time and short ones do not waste many.

extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values,
                                const float* x, float* y, int rows) {
  __shared__ float partial[TUNE_BLOCK];
  const int lane = threadIdx.x % TUNE_LANES;
  const int row = (blockIdx.x * TUNE_BLOCK + threadIdx.x) / TUNE_LANES;
  float sum = 0;
  if (row < rows) {
    for (int i = starts[row] + lane; i < starts[row + 1]; i += TUNE_LANES) {
      sum += values[i] * x[columns[i]];
    }
  }
  partial[threadIdx.x] = sum;
  for (int half = TUNE_LANES / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (lane == 0 && row < rows) y[row] = partial[threadIdx.x];
}
