#pragma once
// FORM warptile: BM x BN block tile, cut into WM x WN warp tiles, whose 32 lanes hold TM x TN each.
//
//   vectors  a lane's rows and columns come in groups of 4, read from shared memory as 16 bytes.
//            Groups of neighbouring lanes are neighbours, so that no two of them share a bank
//   VEC      floats that one copy of B, and one store of C, moves. (A is turned on its way into
//            shared memory, which only copies of single floats can do)
//   STAGES   tiles in shared memory: one is computed with while STAGES - 1 are on their way
//   SPLIT_K  blocks that share one tile of C, each taking its part of K
//   GROUP    rows of tiles that are walked together, column by column: blocks that run at the same
//            time then read few rows of A and few columns of B, which stay in the L2 cache

#include "async_copy.cuh"
#include "vector_access.cuh"

constexpr int BK = TUNE_BK;
constexpr int WM = TUNE_WM;
constexpr int WN = TUNE_WN;
constexpr int TM = TUNE_TM;
constexpr int TN = TUNE_TN;
constexpr int VEC = TUNE_VEC;
constexpr int PAD = TUNE_PAD;
constexpr int STAGES = TUNE_STAGES;
constexpr int SPLIT_K = TUNE_SPLIT_K;
constexpr int GROUP = TUNE_GROUP;

constexpr int kLanesN = WN / TN;
constexpr int kWarpsN = BN / WN;
constexpr int kThreads = 32 * (BM / WM) * kWarpsN;
constexpr int kMinBlocks = TUNE_MIN_BLOCKS;
constexpr int kStrideA = BM + PAD;
constexpr int kStage = BK * (kStrideA + BN);  // floats

static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles divide the block tile");
static_assert(TM % 4 == 0 && TN % 4 == 0, "thread tiles are made of vectors");
static_assert((WM / TM) * (WN / TN) == 32, "32 lanes cover the warp tile");
static_assert(kThreads % BK == 0 && BM * BK % kThreads == 0, "whole rows of A at once");
static_assert(kThreads * VEC % BN == 0 && BK * BN % (kThreads * VEC) == 0, "whole rows of B");
static_assert(PAD % 4 == 0 && BK % 2 == 0, "rows of tiles stay aligned, fragments alternate");

#include "matmul_split.cuh"

// What a block works on.
struct Part {
  int row0, col0;      // of its tile of C
  int k_begin, k_end;  // its part of K
};

__device__ Part part_of_block(int M, int N, int K) {
  const int tiles_m = (M + BM - 1) / BM, tiles_n = (N + BN - 1) / BN;
  const int group = blockIdx.x / (GROUP * tiles_n);
  const int height = min(GROUP, tiles_m - group * GROUP);
  const int in_group = blockIdx.x - group * GROUP * tiles_n;
  const int steps = (K + BK * SPLIT_K - 1) / (BK * SPLIT_K);  // tiles of K for each block
  const int k_begin = blockIdx.y * steps * BK;
  return {(group * GROUP + in_group % height) * BM, in_group / height * BN, k_begin,
          min(K, k_begin + steps * BK)};
}

// The copies of one thread: where its first elements of the next tiles are, and how far apart the
// others. Stepping pointers keeps the address arithmetic out of the loop over K.
struct Copier {
  const float* a;    // row tid / BK, column tid % BK of the tile of A
  const float* b;    // row tid / (BN / VEC), vector tid % (BN / VEC) of the tile of B
  int k, whole_end;  // start of the next tile; tiles that start below whole_end need no checks
};

constexpr int kRowsA = kThreads / BK;        // rows of A that all threads copy at once
constexpr int kRowsB = kThreads * VEC / BN;  // rows of B

__device__ __forceinline__ Copier make_copier(const float* A, const float* B, const Part& part,
                                              int M, int N, int K) {
  const int row = part.row0 + threadIdx.x / BK, k = part.k_begin + threadIdx.x % BK;
  const int row_b = part.k_begin + threadIdx.x / (BN / VEC);
  const int col_b = part.col0 + threadIdx.x % (BN / VEC) * VEC;
  const bool inside = part.row0 + BM <= M && part.col0 + BN <= N && N % VEC == 0;
  return {A + size_t(row) * K + k, B + size_t(row_b) * N + col_b, part.k_begin,
          inside ? part.k_end - BK + 1 : 0};
}

// Tiles that reach over an edge of a matrix, or over the end of this block's part of K, are filled
// up with zeros, float by float.
__device__ __forceinline__ void copy_edge(const Copier& from, float* As, float* Bs,
                                          const Part& part, int M, int N, int K) {
#pragma unroll 1
  for (int i = 0; i < BM / kRowsA; ++i) {
    const int row = part.row0 + threadIdx.x / BK + i * kRowsA;
    const bool wanted = row < M && from.k + int(threadIdx.x % BK) < part.k_end;
    copy_async<1>(As + i * kRowsA, wanted ? from.a + size_t(i * kRowsA) * K : from.a, wanted);
  }
#pragma unroll 1
  for (int i = 0; i < BK / kRowsB; ++i) {
    const int k = from.k + threadIdx.x / (BN / VEC) + i * kRowsB;
    const int col = part.col0 + threadIdx.x % (BN / VEC) * VEC;
    for (int v = 0; v < VEC; ++v) {
      const bool wanted = k < part.k_end && col + v < N;
      copy_async<1>(Bs + i * kRowsB * BN + v, from.b + (wanted ? size_t(i * kRowsB) * N + v : 0),
                    wanted);
    }
  }
}

// Starts the copies of the next tiles into `stage` and steps on.
__device__ __forceinline__ void copy_tiles(Copier& from, float* stage, const Part& part, int M,
                                           int N, int K) {
  float* As = stage + threadIdx.x % BK * kStrideA + threadIdx.x / BK;
  float* Bs = stage + BK * kStrideA + threadIdx.x * VEC;
  if (from.k < from.whole_end) {
#pragma unroll
    for (int i = 0; i < BM / kRowsA; ++i) {
      copy_async<1>(As + i * kRowsA, from.a + size_t(i * kRowsA) * K, true);
    }
#pragma unroll
    for (int i = 0; i < BK / kRowsB; ++i) {
      copy_async<VEC>(Bs + i * kRowsB * BN, from.b + size_t(i * kRowsB) * N, true);
    }
  } else if (from.k < part.k_end) {
    copy_edge(from, As, Bs, part, M, N, K);
  }
  end_group();
  from.a += BK;
  from.b += size_t(BK) * N;
  from.k += BK;
}

// This lane's elements of one row of the (turned) tile of A and one row of the tile of B.
struct Fragment {
  float a[TM], b[TN];
};

__device__ __forceinline__ void load_fragment(Fragment& fragment, const float* stage, int k,
                                              int row, int col) {
  const float* As = stage + k * kStrideA + row;
  const float* Bs = stage + BK * kStrideA + k * BN + col;
#pragma unroll
  for (int i = 0; i < TM; i += 4) {
    const Vector<4> value = load_vector<4>(As + i * (WM / TM));
#pragma unroll
    for (int v = 0; v < 4; ++v) fragment.a[i + v] = value.at[v];
  }
#pragma unroll
  for (int j = 0; j < TN; j += 4) {
    const Vector<4> value = load_vector<4>(Bs + j * (WN / TN));
#pragma unroll
    for (int v = 0; v < 4; ++v) fragment.b[j + v] = value.at[v];
  }
}

__device__ __forceinline__ void multiply_fragment(const Fragment& fragment, float (&sum)[TM][TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sum[i][j] += fragment.a[i] * fragment.b[j];
  }
}

__device__ float* block_memory() {
#if TUNE_SHARED_IS_dynamic
  extern __shared__ Vector<4> stages[];
#else
  static_assert(4 * STAGES * kStage <= 48 * 1024, "static shared memory ends at 48 KB");
  __shared__ Vector<4> stages[STAGES * kStage / 4];
#endif
  return stages[0].at;
}

__device__ void multiply(const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C, int M, int N, int K, float* workspace,
                         unsigned* arrivals) {
  float* stages = block_memory();
  const Part part = part_of_block(M, N, K);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / kWarpsN * WM + lane / kLanesN * 4;  // of the first group, in the tile
  const int col = warp % kWarpsN * WN + lane % kLanesN * 4;
  float sum[TM][TN] = {};

  Copier copier = make_copier(A, B, part, M, N, K);
  if constexpr (STAGES == 1) {
    for (int k0 = part.k_begin; k0 < part.k_end; k0 += BK) {
      copy_tiles(copier, stages, part, M, N, K);
      wait_groups<0>();
      __syncthreads();
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        Fragment fragment;
        load_fragment(fragment, stages, k, row, col);
        multiply_fragment(fragment, sum);
      }
      __syncthreads();
    }
  } else {
    // The copies run STAGES - 1 tiles ahead, the fragments one step of k.
    for (int s = 0; s < STAGES - 1; ++s) {
      copy_tiles(copier, stages + s * kStage, part, M, N, K);
    }
    wait_groups<STAGES - 2>();
    __syncthreads();
    Fragment fragment[2];
    load_fragment(fragment[0], stages, 0, row, col);
    int use = 0, fill = STAGES - 1;
    for (int k0 = part.k_begin; k0 < part.k_end; k0 += BK) {
      const float* now = stages + use * kStage;
      use = use + 1 == STAGES ? 0 : use + 1;
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k == BK - 1) {  // the next tile has to be there, for all threads
          wait_groups<STAGES - 2>();
          __syncthreads();
          now = stages + use * kStage;
        }
        load_fragment(fragment[(k + 1) % 2], now, (k + 1) % BK, row, col);
        if (k == 0) {  // nobody reads the oldest tile any more: refill it
          copy_tiles(copier, stages + fill * kStage, part, M, N, K);
          fill = fill + 1 == STAGES ? 0 : fill + 1;
        }
        multiply_fragment(fragment[k % 2], sum);
      }
    }
  }

  if (!add_up_parts(sum, workspace, arrivals)) return;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int r = part.row0 + row + i / 4 * 4 * (WM / TM) + i % 4;
    if (r >= M) continue;
#pragma unroll
    for (int j = 0; j < TN; j += VEC) {
      const int c = part.col0 + col + j / 4 * 4 * kLanesN + j % 4;
      Vector<VEC> value;
#pragma unroll
      for (int v = 0; v < VEC; ++v) value.at[v] = sum[i][j + v];
      store_part<VEC>(C + size_t(r) * N, c, N, N % VEC == 0, value);
    }
  }
}
