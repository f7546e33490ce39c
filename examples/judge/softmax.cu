// The right answers: one thread a row, in double.
extern "C" __global__ void softmax_reference(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double largest = x[(long long)row * cols], sum = 0;
  for (int i = 0; i < cols; ++i) largest = fmax(largest, (double)x[(long long)row * cols + i]);
  for (int i = 0; i < cols; ++i) sum += exp(x[(long long)row * cols + i] - largest);
  for (int i = 0; i < cols; ++i) {
    y[(long long)row * cols + i] = exp(x[(long long)row * cols + i] - largest) / sum;
  }
}
