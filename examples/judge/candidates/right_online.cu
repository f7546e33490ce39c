// Right: maximum and sum in one pass, rescaled as the maximum grows.
extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
  __shared__ float kept[TUNE_BLOCK];
  const float* const in = x + (long long)blockIdx.x * cols;
  float* const out = y + (long long)blockIdx.x * cols;
  const int t = threadIdx.x;
  float largest = -INFINITY, sum = 0;
  for (int i = t; i < cols; i += TUNE_BLOCK) {
    const float before = largest;
    largest = fmaxf(largest, in[i]);
    sum = sum * expf(before - largest) + expf(in[i] - largest);
  }
  __shared__ float sums[TUNE_BLOCK];
  kept[t] = largest, sums[t] = sum;
  __syncthreads();
  for (int half = TUNE_BLOCK / 2; half > 0; half /= 2) {
    if (t < half) {
      const float both = fmaxf(kept[t], kept[t + half]);
      const float mine = sums[t] > 0 ? sums[t] * expf(kept[t] - both) : 0;
      const float other = sums[t + half] > 0 ? sums[t + half] * expf(kept[t + half] - both) : 0;
      kept[t] = both, sums[t] = mine + other;
    }
    __syncthreads();
  }
  for (int i = t; i < cols; i += TUNE_BLOCK) out[i] = expf(in[i] - kept[0]) / sums[0];
}
