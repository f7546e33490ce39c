// Wrong: an answer that looks like one, without a look at the input.
extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
  for (int i = threadIdx.x; i < cols; i += TUNE_BLOCK) {
    y[(long long)blockIdx.x * cols + i] = 1.0f / cols;
  }
}
