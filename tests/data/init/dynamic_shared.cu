// Dynamic shared memory, a stream, cooperative style of a library.
namespace blas {
template <int BLOCK, bool SQUARE = false>
__global__ void __launch_bounds__(1024) row_sums(const float* __restrict__ x, float* __restrict__ sums, int rows, int cols) {
  extern __shared__ float partial[];
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) {
    const float v = x[row * cols + c];
    sum += SQUARE ? v * v : v;
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[row] = partial[0];
}
}  // namespace blas

void sums_of_rows(const float* x, float* sums, int rows, int cols, cudaStream_t stream) {
  constexpr int BLOCK_THREADS = 128;
  blas::row_sums<BLOCK_THREADS, false>
      <<<rows, BLOCK_THREADS, BLOCK_THREADS * sizeof(float), stream>>>(x, sums, rows, cols);
}
