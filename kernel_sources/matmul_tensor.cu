// C = A * B on the tensor cores, summed in float32. A is M x K and C is M x N, both row-major.
//
// TYPE, and what B looks like:
//   bf16, f16  16-bit operands and result; B is K x N, row-major; where TURNED_B is 1, N x K, as
//              layers of neural networks keep their weights
//   tf32       float32 operands, of which the tensor cores read the upper 19 bits, and a float32
//              result; B is given turned, N x K: the instructions for 32-bit operands want both
//              with k running along the rows, and libraries are fastest so, too
//
// What each value of FORM changes:
//   mma        warp tiles of mma instructions (sm_80 and later), fed by asynchronous copies
//   wgmma      Hopper's warp-group instructions, fed by its copy engine
//
// SPLIT_K blocks of a cluster (sm_90) share a tile of C, each takes a part of K: for products of few
// tiles (tensor_split.cuh).
//
// Rows are copied 16 bytes at a time, so that N and K are multiples of 8 (tf32: of 4); M is any.
// The rules for the parameters are the constraints of search_spaces/matmul_bf16.yaml and its
// siblings.

#include "chosen.cuh"

#ifdef TUNER_CPU
#error "matmul_tensor needs tensor cores: the cpu backend has none"
#endif

#include "tensor_types.cuh"

struct Sizes {
  static constexpr int BM = TUNE_BM, BN = TUNE_BN;
  static constexpr int STAGES = TUNE_STAGES, GROUP = TUNE_GROUP;
  static constexpr int BLOCKS_PER_SM = TUNE_BLOCKS_PER_SM, SPLIT_K = TUNE_SPLIT_K;
  static constexpr int WM = TUNE_WM, WN = TUNE_WN;                          // mma
  static constexpr int CONSUMERS = TUNE_CONSUMERS;  // wgmma
  static constexpr int CLUSTER = TUNE_CLUSTER, CLUSTER_N = TUNE_CLUSTER_N;
  static constexpr int PARTS = 1;  // of an operand
  static constexpr bool kOnce = TUNE_STREAM;
  static constexpr bool kInTurns = CHOSEN(TUNE_SHARE_IS_tiles), kPersistent = TUNE_PERSISTENT;
};

#if TUNE_FORM_IS_wgmma
#include "matmul_wgmma.cuh"
using Product = WgmmaProduct<Sizes>;
#else
#include "matmul_mma.cuh"
using Product = MmaProduct<Sizes>;
#endif

// FORM mma reads the matrices, FORM wgmma their maps.
extern "C" __global__ void __launch_bounds__(Product::kThreads, Sizes::BLOCKS_PER_SM)
#if TUNE_CLUSTER * TUNE_CLUSTER_N * TUNE_SPLIT_K > 1
    __cluster_dims__(TUNE_CLUSTER* TUNE_CLUSTER_N* TUNE_SPLIT_K, 1, 1)
#endif
        matmul_tensor(const Element* __restrict__ A, const Element* __restrict__ B,
                      Result* __restrict__ C, const __grid_constant__ TensorMap A_map,
                      const __grid_constant__ TensorMap B_map,
                      const __grid_constant__ TensorMap C_map, int M, int N, int K) {
#if TUNE_FORM_IS_wgmma
  Product::multiply(A_map, B_map, C_map, C, M, N, Product::T::make_tiles(M, N, K));
#else
  Product::multiply(A, B, C, M, N, K);
#endif
}

// One thread per element, summed in double, of the operands as the tensor cores read them.
extern "C" __global__ void matmul_reference(const Element* __restrict__ A,
                                            const Element* __restrict__ B, Result* __restrict__ C,
                                            int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  double sum = 0;
  for (int k = 0; k < K; ++k) {
    const Element b = kTurnedB ? B[size_t(col) * K + k] : B[size_t(k) * N + col];
    sum += double(widen(A[size_t(row) * K + k])) * double(widen(b));
  }
  C[size_t(row) * N + col] = narrow(float(sum));
}
