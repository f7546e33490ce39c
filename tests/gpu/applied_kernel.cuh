// A kernel with too small blocks, as a program has it where no macro says otherwise.
#ifndef TUNE_VEC
#define TUNE_VEC 1
#endif
__global__ void saxpy(const float* x, float* y, float a, int n) {
  for (int k = 0; k < TUNE_VEC; ++k) {
    const int i = (blockIdx.x * TUNE_VEC + k) * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
  }
}
