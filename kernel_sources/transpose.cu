// B = transpose of A: A is M x N, B is N x M, both row-major, any size.
//
// What each value of FORM changes:
//   coalesced_read   neighbouring threads read neighbouring elements and write them M apart
//   coalesced_write  neighbouring threads write neighbouring elements and read them N apart
//   shared           both sides are coalesced: the block turns a BM x BN tile of A in shared
//   memory.
//                    A warp then reads a column of the tile; without PAD all of it is in one bank
//
// Names: BM x BN tile of A for each block, TM vectors of VEC elements for each thread. The rules
// that tie them are the constraints of search_spaces/transpose.yaml.

constexpr int BM = TUNE_BM;
constexpr int BN = TUNE_BN;
constexpr int TM = TUNE_TM;
constexpr int VEC = TUNE_VEC;

static_assert(BM % VEC == 0 && BN % VEC == 0, "vectors divide the rows of both tiles");
static_assert(BM * BN % (TM * VEC) == 0, "threads share the tile evenly");

constexpr int kThreads = BM * BN / (TM * VEC);

#if TUNE_FORM_IS_shared
#include "transpose_shared.cuh"
#else

// Each thread moves TM elements straight from global to global memory.
__device__ void turn(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int element = i * kThreads + threadIdx.x;
#if TUNE_FORM_IS_coalesced_read
    const int row = blockIdx.y * BM + element / BN;
    const int col = blockIdx.x * BN + element % BN;
#else
    const int row = blockIdx.y * BM + element % BM;
    const int col = blockIdx.x * BN + element / BM;
#endif
    if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
  }
}
#endif

extern "C" __global__ void __launch_bounds__(kThreads)
    transpose(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  turn(A, B, M, N);
}

extern "C" __global__ void transpose_reference(const float* __restrict__ A, float* __restrict__ B,
                                               int M, int N) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
}
