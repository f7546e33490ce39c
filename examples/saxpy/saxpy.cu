// y = a * x + y. A block of TUNE_BLOCK threads takes TUNE_BLOCK * TUNE_VEC neighbours, TUNE_VEC of
// them a thread: the two macros come from the study beside this file, saxpy.yaml.
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int first = blockIdx.x * TUNE_BLOCK * TUNE_VEC + threadIdx.x;
  for (int k = 0; k < TUNE_VEC; ++k) {
    const int i = first + k * TUNE_BLOCK;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}

// The right answer, as simply as it can be said.
extern "C" __global__ void saxpy_reference(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
