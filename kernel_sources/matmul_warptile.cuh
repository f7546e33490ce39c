#pragma once
// FORM warptile: BM x BN block tile, cut into WM x WN warp tiles, whose 32 lanes hold TM x TN each.
//
//   vectors  a lane's rows and columns come in groups of 4, read from shared memory as 16 bytes.
//            Groups of neighbouring lanes are neighbours, so that no two of them share a bank
//   VEC      floats that one copy of B, and one store of C, moves. (A is turned on its way into
//            shared memory, which only copies of single floats can do)
//   STAGES   tiles in shared memory: one is computed with while STAGES - 1 are on their way
//   SLICES   parts of a block, each with warps for the whole tile, that share the rows of a stage:
//            more warps without smaller thread tiles
//   CLUSTER  of the blocks that share a tile of C: how many add up their parts through each other's
//            shared memory (sm_90), before any go through global memory
//   SPREAD   a stage's copies start in half of its steps, not all in the first
//   DIVIDE   tiles: each block has a tile, or a part of one. steps: as many blocks as run at once
//            share out all steps evenly, so that all end together
//
// Three knobs say how it is launched, so that variants that differ in nothing else are one program:
//
//   SPLIT_K  blocks that share one tile of C, each taking its part of K: gridDim.y
//   WORKERS  blocks for each multiprocessor, where steps are divided: gridDim.x
//   GROUP    rows of tiles that are walked together, column by column: blocks that run at the same
//            time then read few rows of A and few columns of B, which stay in the L2 cache

#include "matmul_copy.cuh"
#include "matmul_shape.cuh"
#include "matmul_split.cuh"

// Where a lane's first row and column are in the block tile. Even and odd lanes hold different
// rows, pairs of lanes different columns: then a load of A or B has the same address in lanes that
// differ in one of the two lowest bits, and the hardware serves half a warp at once instead of a
// quarter.
struct Place {
  int row, col;
  int a, b;  // offsets in a stage, in the first row that its slice multiplies
};

template <class S>
__device__ Place place_of_lane() {
  const int slice = threadIdx.x / S::kSliceThreads;
  const int warp = threadIdx.x % S::kSliceThreads / 32, lane = threadIdx.x % 32;
  const int lane_m = lane / (2 * S::kLanesN) * 2 + lane % 2, lane_n = lane / 2 % S::kLanesN;
  const int row = warp / S::kWarpsN * S::WM + lane_m * 4,
            col = warp % S::kWarpsN * S::WN + lane_n * 4;
  const int k = slice * S::kDepth;
  return {row, col, k * S::kStrideA + row, S::BK * S::kStrideA + k * S::BN + col};
}

// This lane's elements of one row of the (turned) tile of A and one row of the tile of B.
template <class S>
struct Fragment {
  float a[S::TM], b[S::TN];
};

template <class S>
__device__ __forceinline__ void load_fragment(Fragment<S>& fragment, SharedFloats stage, int k,
                                              Place at) {
  const SharedFloats As = stage + k * S::kStrideA + at.a;
  const SharedFloats Bs = stage + k * S::BN + at.b;
#pragma unroll
  for (int i = 0; i < S::TM; i += 4) {
    const Vector<4> value = load_vector(As + i * (S::WM / S::TM));
#pragma unroll
    for (int v = 0; v < 4; ++v) fragment.a[i + v] = value.at[v];
  }
#pragma unroll
  for (int j = 0; j < S::TN; j += 4) {
    const Vector<4> value = load_vector(Bs + j * (S::WN / S::TN));
#pragma unroll
    for (int v = 0; v < 4; ++v) fragment.b[j + v] = value.at[v];
  }
}

// The order of the products: two in a row that share a factor read it once (the operand cache of
// the register file). bricks goes along two rows at once, in turns; squares goes round 2 x 2
// blocks, so that each product shares a factor with the last.
template <class S>
__device__ __forceinline__ void multiply_fragment(const Fragment<S>& f,
                                                  float (&sum)[S::TM][S::TN]) {
  if constexpr (S::kSquares) {
#pragma unroll
    for (int i = 0; i < S::TM; i += 2) {
#pragma unroll
      for (int step = 0; step < S::TN; step += 2) {
        const int j = i % 4 == 0 ? step : S::TN - 2 - step;
        sum[i][j] += f.a[i] * f.b[j];
        sum[i + 1][j] += f.a[i + 1] * f.b[j];
        sum[i + 1][j + 1] += f.a[i + 1] * f.b[j + 1];
        sum[i][j + 1] += f.a[i] * f.b[j + 1];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < S::TM; i += 2) {
#pragma unroll
      for (int step = 0; step < S::TN; ++step) {
        const int j = i % 4 == 0 ? step : S::TN - 1 - step;
        const int odd = step % 2;
        sum[i + odd][j] += f.a[i + odd] * f.b[j];
        sum[i + 1 - odd][j] += f.a[i + 1 - odd] * f.b[j];
      }
    }
  }
}

template <class S>
__device__ float* block_memory() {
  if constexpr (S::kDynamic) {
    extern __shared__ Vector<4> memory[];
    return memory[0].at;
  } else {
    static_assert(4 * S::STAGES * S::kStage + 16 <= 48 * 1024,
                  "static shared memory ends at 48 KB");
    __shared__ Vector<4> stages[S::STAGES * S::kStage / 4];
    return stages[0].at;
  }
}

// All of a block's sums, with one tile in shared memory: copy, wait, compute, wait.
template <class S>
__device__ void sum_step_by_step(Copier& copier, SharedFloats stage, Place at, const Part& part,
                                 int N, int K, float (&sum)[S::TM][S::TN]) {
  for (int k0 = part.k_begin; k0 < part.k_end; k0 += S::BK) {
    copy_tiles<S>(copier, stage, N, K);
    wait_groups<0>();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < S::kDepth; ++k) {
      Fragment<S> fragment;
      load_fragment<S>(fragment, stage, k, at);
      multiply_fragment<S>(fragment, sum);
    }
    __syncthreads();
  }
}

// The same in a pipeline: copies run STAGES - 1 tiles ahead, fragments one step of k.
template <class S>
__device__ void sum_in_pipeline(Copier& copier, SharedFloats stages, Place at, const Part& part,
                                int N, int K, float (&sum)[S::TM][S::TN]) {
  for (int s = 0; s < S::STAGES - 1; ++s) copy_tiles<S>(copier, stages + s * S::kStage, N, K);
  wait_groups<S::STAGES - 2>();
  __syncthreads();
  Fragment<S> fragment[2];
  load_fragment<S>(fragment[0], stages, 0, at);

  int use = 0, fill = S::STAGES - 1;
  for (int k0 = part.k_begin; k0 < part.k_end; k0 += S::BK) {
    SharedFloats now = stages + use * S::kStage;
    use = use + 1 == S::STAGES ? 0 : use + 1;
#pragma unroll
    for (int k = 0; k < S::kDepth; ++k) {
      if (k == S::kDepth - 1) {  // the next tile has to be there, for all threads
        wait_groups<S::STAGES - 2>();
        __syncthreads();
        now = stages + use * S::kStage;
      }
      load_fragment<S>(fragment[(k + 1) % 2], now, (k + 1) % S::kDepth, at);
      // Nobody reads the oldest tile any more: refill it.
      if (k < S::kCopySteps)
        copy_part<S>(copier, stages + fill * S::kStage, N, K, k, S::kCopySteps);
      if (k == S::kCopySteps - 1) {
        end_tiles<S>(copier, N);
        fill = fill + 1 == S::STAGES ? 0 : fill + 1;
      }
      multiply_fragment<S>(fragment[k % 2], sum);
    }
  }
}

// Matrices smaller than a tile, or with rows that vectors do not fit, still get the right answer.
template <class S>
__device__ void multiply_plainly(const float* A, const float* B, float* C, int M, int N, int K) {
  if (blockIdx.y > 0) return;
  const size_t threads = size_t(gridDim.x) * S::kThreads;
  for (size_t i = size_t(blockIdx.x) * S::kThreads + threadIdx.x; i < size_t(M) * N; i += threads) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[size_t(k) * N + i % N];
    C[i] = sum;
  }
}

template <class S>
__device__ __forceinline__ void multiply_part(const float* __restrict__ A,
                                              const float* __restrict__ B, float* __restrict__ C,
                                              int N, int K, const Part& part, float* stages,
                                              Place at, float* workspace, unsigned* arrivals) {
  Copier copier = make_copier<S>(A, B, part, N, K);
  float sum[S::TM][S::TN] = {};
  if constexpr (S::STAGES == 1) {
    sum_step_by_step<S>(copier, shared_floats(stages), at, part, N, K, sum);
  } else {
    sum_in_pipeline<S>(copier, shared_floats(stages), at, part, N, K, sum);
  }
  const Corner corner = {C + size_t(part.row0 + at.row) * N + part.col0 + at.col, N};
  if (S::SLICES == 1 && part.share == part.whole) return store<S>(sum, corner);
  add_up_parts<S>(sum, stages, corner, part, workspace, arrivals);
}

template <class Tile>
struct WarptileProduct {
  using S = WarptileShape<Tile>;
  static constexpr int kThreads = S::kThreads;

  __device__ static void multiply(const float* __restrict__ A, const float* __restrict__ B,
                                  float* __restrict__ C, int M, int N, int K, int group,
                                  float* workspace, unsigned* arrivals) {
    if (M < S::BM || N < S::BN || N % S::VEC != 0) return multiply_plainly<S>(A, B, C, M, N, K);

    float* stages = block_memory<S>();
    const Place at = place_of_lane<S>();
    if constexpr (S::kSteps) {
      for (Steps steps = steps_of_block<S>(M, N, K); steps.next < steps.end;) {
        const Part part = next_part<S>(steps, M, N, K, group);
        multiply_part<S>(A, B, C, N, K, part, stages, at, workspace, arrivals);
        wait_groups<0>();
        __syncthreads();  // nobody reads the stages any more
      }
    } else {
      const Part part = part_of_block<S>(M, N, K, group);
      multiply_part<S>(A, B, C, N, K, part, stages, at, workspace, arrivals);
    }
  }
};
