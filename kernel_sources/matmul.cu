// C = A * B in float32: A is M x K, B is K x N, C is M x N, all row-major, any size.
//
// What each value of FORM changes:
//   naive      one thread per element of C; every operand comes from global memory
//   shared     a block copies BM x BK of A and BK x BN of B into shared memory, so that each element
//              is read from global memory once for BN (or BM) uses instead of once for each
//   registers  each thread computes TM x TN elements: TM + TN shared reads feed TM * TN products
//   warptile   the fast one: warp tiles, vector accesses, asynchronous copies in several stages,
//              split K, tiles visited in an order that suits the L2 cache
//
// Names: BM BN BK block tile, WM WN warp tile, TM TN thread tile. The rules that tie them are the
// constraints of search_spaces/matmul.yaml; the static_asserts only guard them.

#include "chosen.cuh"

struct Tile {
  static constexpr int BM = TUNE_BM, BN = TUNE_BN, BK = TUNE_BK;
  static constexpr int WM = TUNE_WM, WN = TUNE_WN;
  static constexpr int TM = TUNE_TM, TN = TUNE_TN;
  static constexpr int VEC = TUNE_VEC, PAD = TUNE_PAD;
  static constexpr int STAGES = TUNE_STAGES, SLICES = TUNE_SLICES, CLUSTER = TUNE_CLUSTER;
  static constexpr bool kTurned = CHOSEN(TUNE_FORM_IS_registers);
  static constexpr bool kDynamic = CHOSEN(TUNE_SHARED_IS_dynamic);
  static constexpr bool kSpread = TUNE_SPREAD;
  static constexpr bool kSteps = CHOSEN(TUNE_DIVIDE_IS_steps);
  static constexpr bool kSquares = CHOSEN(TUNE_WALK_IS_squares);
};

#if TUNE_FORM_IS_naive
#include "matmul_naive.cuh"
using Product = NaiveProduct<Tile>;
#elif TUNE_FORM_IS_shared || TUNE_FORM_IS_registers
#include "matmul_tile.cuh"
using Product = TileProduct<Tile>;
#else
#include "matmul_warptile.cuh"
using Product = WarptileProduct<Tile>;
#endif

#if TUNE_CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(1, TUNE_CLUSTER, 1)
#else
#define IN_CLUSTERS
#endif

// `group` is a knob of the form warptile; `workspace` and `arrivals` are used where several blocks
// share a tile of C (matmul_split.cuh).
extern "C" __global__ void __launch_bounds__(Product::kThreads,
                                             1) IN_CLUSTERS  // as many registers as help
    matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
           int N, int K, int group, float* workspace, unsigned* arrivals) {
#if TUNE_FORM_IS_warptile
  Product::multiply(A, B, C, M, N, K, group, workspace, arrivals);
#else
  Product::multiply(A, B, C, M, N, K);
#endif
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
