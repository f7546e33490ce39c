// C = A * B^T for groups of rows of A, each with a B of its own, summed in float32: the products of
// a mixture of experts, whose tokens lie sorted by expert. A is ROWS x K and C is ROWS x N,
// row-major; B has N x K for each of G groups, one after the other, as layers keep their weights.
// Group g has the rows from ends[g - 1] (the first: 0) to ends[g]. `ends` are read on the device,
// so that the host need not know them when it launches. They never decrease: groups may be empty.
// Rows behind the last end are not written.
//
// TYPE: bf16 or f16.
//
// What each value of FORM changes:
//   shared     one thread for each element, operands in shared memory: the textbook's
//   wgmma      the pipeline of matmul_wgmma.cuh, whose parameters it has, over the tiles of all
//              groups (grouped_tiles.cuh)
//
// Rows are copied 16 bytes at a time, so that N and K are multiples of 8. The rules for the
// parameters are the constraints of search_spaces/grouped_product.yaml.

#include "chosen.cuh"
#include "tensor_types.cuh"

#if TUNE_FORM_IS_wgmma

#include "grouped_tiles.cuh"
#include "matmul_wgmma.cuh"

struct Sizes {
  static constexpr int BM = TUNE_BM, BN = TUNE_BN;
  static constexpr int STAGES = TUNE_STAGES, GROUP = TUNE_GROUP, CONSUMERS = TUNE_CONSUMERS;
  static constexpr int BLOCKS_PER_SM = TUNE_BLOCKS_PER_SM, SPLIT_K = 1, PARTS = 1;
  static constexpr int CLUSTER = TUNE_CLUSTER, CLUSTER_N = TUNE_CLUSTER_N;
  static constexpr bool kOnce = TUNE_STREAM;
  static constexpr bool kInTurns = CHOSEN(TUNE_SHARE_IS_tiles), kPersistent = true;
};
static_assert(kTurnedB, "B is one matrix, whose rows are those of all groups' weights");
using Product = WgmmaProduct<Sizes, GroupedTile>;
constexpr int kThreads = Product::kThreads;

#else

#include "grouped_shared.cuh"
constexpr int kThreads = TUNE_BM * TUNE_BM;

#endif

extern "C" __global__ void __launch_bounds__(kThreads, TUNE_BLOCKS_PER_SM)
#if TUNE_CLUSTER * TUNE_CLUSTER_N > 1
    __cluster_dims__(TUNE_CLUSTER* TUNE_CLUSTER_N, 1, 1)
#endif
        grouped_product(const Element* __restrict__ A, const Element* __restrict__ B,
                        Result* __restrict__ C, const int* __restrict__ ends,
                        const __grid_constant__ TensorMap A_map,
                        const __grid_constant__ TensorMap B_map,
                        const __grid_constant__ TensorMap C_map, int G, int ROWS, int N, int K) {
#if TUNE_FORM_IS_wgmma
  using T = Product::T;
  auto* const begins = reinterpret_cast<GroupBegin*>(&Product::shared_memory() + 1);  // G + 1
  // Meanwhile the first warp prepares the barriers; all wait for both before the first tile.
  if (threadIdx.x / 32 == 1) T::count_tiles(begins, ends, G, ROWS);
  Product::multiply(A_map, B_map, C_map, C, ROWS, N, T::make_tiles(begins, G, N, K));
#else
  multiply_in_shared<TUNE_BM>(A, B, C, ends, G, N, K);
#endif
}

// One thread per element, summed in double.
extern "C" __global__ void grouped_reference(const Element* __restrict__ A,
                                             const Element* __restrict__ B, Result* __restrict__ C,
                                             const int* __restrict__ ends, int G, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= ends[G - 1] || col >= N) return;
  int group = 0;
  while (row >= ends[group]) ++group;
  const Element* const weights = B + (size_t(group) * N + col) * K;
  double sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += double(widen(A[size_t(row) * K + k])) * double(widen(weights[k]));
  }
  C[size_t(row) * N + col] = narrow(float(sum));
}
