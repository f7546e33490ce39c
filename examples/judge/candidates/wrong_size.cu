// Wrong: made for rows of 1000 columns, and silent about others.
extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
  __shared__ float kept[TUNE_BLOCK];
  const float* const in = x + (long long)blockIdx.x * cols;
  float* const out = y + (long long)blockIdx.x * cols;
  const int t = threadIdx.x;
  if (cols != 1000) return;
  float largest = -INFINITY;
  for (int i = t; i < cols; i += TUNE_BLOCK) largest = fmaxf(largest, in[i]);
  kept[t] = largest;
  __syncthreads();
  for (int half = TUNE_BLOCK / 2; half > 0; half /= 2) {
    if (t < half) kept[t] = fmaxf(kept[t], kept[t + half]);
    __syncthreads();
  }
  largest = kept[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < cols; i += TUNE_BLOCK) sum += expf(in[i] - largest);
  kept[t] = sum;
  __syncthreads();
  for (int half = TUNE_BLOCK / 2; half > 0; half /= 2) {
    if (t < half) kept[t] += kept[t + half];
    __syncthreads();
  }
  for (int i = t; i < cols; i += TUNE_BLOCK) out[i] = expf(in[i] - largest) / kept[0];
}
