// Y = softmax of each row of X: exp(x - max) / sum of exp(x - max). Float32, M x N row-major.
//
// What each value of FORM changes is how often a row comes from global memory:
//   three_pass  three times: for the maximum, for the sum, for the result
//   online      twice: maximum and sum in one pass, each new maximum rescales the sum
//   shared      once: the row waits in shared memory between the passes
//   registers   once: the row waits in its threads' registers, ITEMS vectors in each
//
// Names: BLOCK threads share a row, ROWS rows share a block (which hides the latency of short rows), or
// CLUSTER blocks share a row (registers; few or long rows); accesses are VEC elements wide.

struct Shape {
  static constexpr int kThreads = TUNE_BLOCK;
  static constexpr int kRows = TUNE_ROWS;
  static constexpr int kCluster = TUNE_CLUSTER;
  static constexpr int kVector = TUNE_VEC;
  static constexpr int kItems = TUNE_ITEMS;
};

#if TUNE_FORM_IS_registers
#include "softmax_registers.cuh"
#else
#include "softmax_passes.cuh"
#endif

#if TUNE_CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(TUNE_CLUSTER, 1, 1)
#else
#define IN_CLUSTERS
#endif

extern "C" __global__ void __launch_bounds__(TUNE_BLOCK* TUNE_ROWS) IN_CLUSTERS
    softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
#if TUNE_FORM_IS_registers
  softmax_in_registers<Shape>(X, Y, M, N);
#elif TUNE_FORM_IS_shared
  softmax_in_shared<Shape>(X, Y, M, N);
#elif TUNE_FORM_IS_online
  softmax_online<Shape>(X, Y, M, N);
#else
  softmax_in_three_passes<Shape>(X, Y, M, N);
#endif
}

// One warp-sized block for each row, summed in double.
extern "C" __global__ void softmax_reference(const float* __restrict__ X, float* __restrict__ Y,
                                             int M, int N) {
  const float* x = X + size_t(blockIdx.x) * N;
  float most = kLowest;
  for (int i = threadIdx.x; i < N; i += 32) most = fmaxf(most, x[i]);
  for (int half = 16; half > 0; half /= 2) {
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, half));
  }
  double sum = 0;
  for (int i = threadIdx.x; i < N; i += 32) sum += exp(double(x[i]) - most);
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, half);
  for (int i = threadIdx.x; i < N; i += 32) {
    Y[size_t(blockIdx.x) * N + i] = float(exp(double(x[i]) - most) / sum);
  }
}
