// C = A * B in float32 on Hopper's tensor cores, which do not multiply such numbers: each number is
// split into three bfloat16 parts, and the parts' products are added up ("emulation", "BF16x9").
// Errors are smaller than a float32 product's, since the parts keep all bits. A is M x K, B is K x N,
// C is M x N, all row-major, any size.
//
// TYPE: how many of the nine products of parts are added up.
//   bf16x6  all but the three smallest, which are below 2^-23 of the largest together
//   bf16x9  all
//
// Two kernels: one writes the parts (emulated_parts.cuh), one multiplies them (emulated_product.cuh).
// The first moves 10 bytes for each element of A and B, which is much of the time where M or N is
// small.
//
// All inputs give right answers. Parts of subnormal numbers are exact, too, and the sum of numbers of
// any size is as exact as another. What is infinite or NaN, or beyond 2^80, or has an operand from
// 2^104 on, is computed again in plain float32, by a thread for each element: where there are many of
// these, this is slow.

#include "chosen.cuh"

#ifdef TUNER_CPU
#error "matmul_emulated needs tensor cores: the cpu backend has none"
#endif

#include "emulated_product.cuh"

struct Sizes {
  static constexpr int BM = TUNE_BM, BN = TUNE_BN;
  static constexpr int STAGES = TUNE_STAGES, GROUP = TUNE_GROUP;
  static constexpr int BLOCKS_PER_SM = TUNE_BLOCKS_PER_SM, SPLIT_K = TUNE_SPLIT_K;
  static constexpr int CONSUMERS = TUNE_BM / 64, PARTS = kParts;
  static constexpr int CLUSTER = 1, CLUSTER_N = 1;  // no tiles are shared
  static constexpr int PRODUCTS = CHOSEN(TUNE_TYPE_IS_bf16x9) ? 9 : 6;
  static constexpr bool kOnce = false, kInTurns = false, kPersistent = false;
};
using Product = EmulatedProduct<Sizes>;

constexpr int kSplitThreads = 256;

extern "C" __global__ void __launch_bounds__(kSplitThreads)
    split_operands(const float* __restrict__ A, const float* __restrict__ B,
                   Element* __restrict__ A_parts, Element* __restrict__ B_parts, int M, int N,
                   int K) {
  const unsigned of_a = Parts<true>::vectors(M, K);
  const unsigned vector = blockIdx.x * kSplitThreads + threadIdx.x;
  if (vector < of_a) {
    Parts<true>::split(A, M, K, A_parts, vector);
  } else if (vector - of_a < Parts<false>::vectors(K, N)) {
    Parts<false>::split(B, K, N, B_parts, vector - of_a);
  }
}

extern "C" __global__ void __launch_bounds__(Product::kThreads, Sizes::BLOCKS_PER_SM)
#if TUNE_SPLIT_K > 1
    __cluster_dims__(TUNE_SPLIT_K, 1, 1)
#endif
        matmul_emulated(const float* __restrict__ A, const float* __restrict__ B, float* C,
                        const __grid_constant__ TensorMap A_map,
                        const __grid_constant__ TensorMap B_map, int M, int N, int K) {
  Product::multiply(A_map, B_map, {A, B, C, M, N, K});
}

// One thread per element, summed in double: the truth that every variant is compared with.
extern "C" __global__ void matmul_reference(const float* __restrict__ A,
                                            const float* __restrict__ B, float* __restrict__ C,
                                            int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  double sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += double(A[size_t(row) * K + k]) * double(B[size_t(k) * N + col]);
  }
  C[size_t(row) * N + col] = float(sum);
}
