// Right, and slow: the first thread of a block does all of it.
extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
  if (threadIdx.x != 0) return;
  const float* const in = x + (long long)blockIdx.x * cols;
  float* const out = y + (long long)blockIdx.x * cols;
  float largest = in[0], sum = 0;
  for (int i = 1; i < cols; ++i) largest = fmaxf(largest, in[i]);
  for (int i = 0; i < cols; ++i) sum += out[i] = expf(in[i] - largest);
  for (int i = 0; i < cols; ++i) out[i] /= sum;
}
