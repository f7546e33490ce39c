// B = transpose of A: A is M x N, B is N x M, both row-major, any size. Elements are float32, or
// have the parameter BYTES (transpose_element.cuh).
//
// What each value of FORM changes:
//   coalesced_read   neighbouring threads read neighbouring elements and write them M apart
//   coalesced_write  neighbouring threads write neighbouring elements and read them N apart
//   shared           both sides are coalesced: the block turns a BM x BN tile of A in shared memory
//   skewed           for rows of any length: each row of the turned tile is moved to a boundary of
//                    ALIGN bytes in memory, so that all that is written is aligned
//
// Names: BM x BN tile of A for each block, TM squares of VEC x VEC elements for each thread. ORDER
// says whether blocks that run together take neighbours in a row of A or in a row of B. CLUSTER
// neighbours in a row of A run close to each other on the chip, for the sake of what lies across
// the borders of their tiles. A block fetches the tile of the block that comes AHEAD later into the
// L2 cache. OCCUPANCY full leaves each thread so few registers that 2048 of them fit on a
// multiprocessor, free as many as the compiler likes. The rules that tie them are the constraints
// of search_spaces/transpose.yaml.

constexpr int BM = TUNE_BM;
constexpr int BN = TUNE_BN;
constexpr int TM = TUNE_TM;
constexpr int VEC = TUNE_VEC;
constexpr int AHEAD = TUNE_AHEAD;
constexpr int CLUSTER = TUNE_CLUSTER;

#include "transpose_element.cuh"

constexpr int kAlign = TUNE_ALIGN / BYTES;  // elements from boundary to boundary

static_assert(BM % VEC == 0 && BN % VEC == 0, "squares fill the tile");
static_assert(BM * BN % (TM * VEC * VEC) == 0, "threads share the tile evenly");

constexpr int kThreads = BM * BN / (TM * VEC * VEC);

struct Corner {
  int row, col;  // in A, of the block's tile
};

// Tiles that are moved back, by less than kAlign rows, take so many rows more.
__device__ Corner corner_of(int block, int M, int N) {
#if TUNE_ORDER_IS_rows
  const int tiles = (N + BN - 1) / BN;
  return {block / tiles * BM, block % tiles * BN};
#else
  const int tiles = (M + kAlign - 1 + BM - 1) / BM;
  const int cluster = block / CLUSTER;
  return {cluster % tiles * BM, (cluster / tiles * CLUSTER + block % CLUSTER) * BN};
#endif
}

__device__ void fetch_ahead(const Element* A, int M, int N) {
  const Corner corner = corner_of(blockIdx.x + AHEAD, M, N);
  constexpr int kLine = 128 / BYTES;  // elements in a line of the L2 cache
  constexpr int kLines = (BN + kLine - 1) / kLine;
  for (int i = threadIdx.x; i < BM * kLines; i += kThreads) {
    const int row = corner.row + i / kLines, col = corner.col + i % kLines * kLine;
    if (row < M && col < N) fetch_line(A + size_t(row) * N + col);
  }
}

#if TUNE_FORM_IS_shared
#include "transpose_shared.cuh"
#elif TUNE_FORM_IS_skewed
#include "transpose_skewed.cuh"
#else

// Each thread moves TM elements straight from global to global memory.
__device__ void turn(const Element* __restrict__ A, Element* __restrict__ B, int M, int N) {
  const Corner corner = corner_of(blockIdx.x, M, N);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int element = i * kThreads + threadIdx.x;
#if TUNE_FORM_IS_coalesced_read
    const int row = corner.row + element / BN, col = corner.col + element % BN;
#else
    const int row = corner.row + element % BM, col = corner.col + element / BM;
#endif
    if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
  }
}
#endif

#if TUNE_CLUSTER > 1 && __CUDA_ARCH__ >= 900
#define IN_CLUSTERS __cluster_dims__(TUNE_CLUSTER, 1, 1)
#else
#define IN_CLUSTERS  // elsewhere it is an order of the blocks
#endif

#if TUNE_OCCUPANCY_IS_full
#define BOUNDS __launch_bounds__(kThreads, 2048 / kThreads)
#else
#define BOUNDS __launch_bounds__(kThreads)
#endif

extern "C" __global__ void BOUNDS IN_CLUSTERS transpose(const Element* __restrict__ A,
                                                        Element* __restrict__ B, int M, int N) {
  if constexpr (AHEAD > 0) fetch_ahead(A, M, N);
  turn(A, B, M, N);
}

extern "C" __global__ void transpose_reference(const Element* __restrict__ A,
                                               Element* __restrict__ B, int M, int N) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
}
