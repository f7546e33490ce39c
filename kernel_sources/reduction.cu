// The sum of X[0], ..., X[N-1] in float32, any N; or the largest, or where that is
// (reduction_operation.cuh): then read "compared" for "added".
//
// What each value of FORM changes:
//   global   every element is added to one word of global memory: nothing but atomics
//   shared   each thread sums its elements in a register, a tree in shared memory sums the block
//   shuffle  the tree runs in registers through warp shuffles; shared memory holds one word a warp
//
// All blocks' sums then have to meet. What each value of FINISH changes:
//   atomic      each block adds its sum to one word; the last block to arrive publishes it. The
//               order of the additions differs from run to run
//   last_block  each block stores its sum; the last block to arrive adds them up in a fixed order,
//               so that the same input gives the same bits
//   two_pass    each block stores its sum, and a second kernel of one block, reduction_finish, adds
//               them up in the same order: the same bits again, without atomics or fences
//
// Names: BLOCK threads, UNROLL independent vectors of VEC elements for each thread and step. STREAM
// marks the input as used once.

#include "chosen.cuh"
#include "last_block.cuh"
#include "reduction_block.cuh"
#include "reduction_grid.cuh"
#include "reduction_operation.cuh"

struct Shape {
  static constexpr int kThreads = TUNE_BLOCK;
  static constexpr int kUnroll = TUNE_UNROLL;
  static constexpr int kVector = TUNE_VEC;
  static constexpr bool kLoadOnce = TUNE_STREAM;
  static constexpr bool kDynamic = CHOSEN(TUNE_SHARED_IS_dynamic);
  static_assert(kThreads % 32 == 0 && (kThreads & (kThreads - 1)) == 0,
                "the tree halves the block");
};

// A study without OPERATION adds up.
#if TUNE_OPERATION_IS_max
using Operation = Largest;
#elif TUNE_OPERATION_IS_arg_max
using Operation = WhereLargest;
#else
using Operation = Sum;
#endif

#if TUNE_FORM_IS_shuffle
using Grid = GridReduction<Shape, Operation, BlockShuffles<Shape, Operation>>;
#else
using Grid = GridReduction<Shape, Operation, BlockTree<Shape, Operation>>;
#endif
using Value = Operation::Value;
using Result = Operation::Result;

// `total` and `arrivals` are zero before the launch and zero again after it; `partials` holds one
// word for each of the `blocks` of the grid.
extern "C" __global__ void __launch_bounds__(Shape::kThreads)
    reduction(const float* __restrict__ X, Result* __restrict__ result, Value* partials,
              Value* total, unsigned* arrivals, int blocks, long long N) {
#if TUNE_FORM_IS_global
  Grid::combine_all(X, N, total);
#else
  const Value mine = Grid::block_total(Grid::thread_total(X, N));
#if TUNE_FINISH_IS_atomic
  if (threadIdx.x == 0) Operation::combine_in(total, mine);
#else
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
#endif
#endif

#if TUNE_FINISH_IS_atomic
  if (block_completes(arrivals, 1, gridDim.x) && threadIdx.x == 0) {
    *result = Operation::result_of(atomicExch(total, Value(0)));
  }
#elif TUNE_FINISH_IS_last_block
  if (block_completes(arrivals, 1, gridDim.x)) Grid::finish(partials, blocks, result);
#endif
}

#if TUNE_FINISH_IS_two_pass
extern "C" __global__ void __launch_bounds__(Shape::kThreads)
    reduction_finish(const Value* partials, int blocks, Result* __restrict__ result) {
  Grid::finish(partials, blocks, result);
}
#endif

#if TUNE_OPERATION_IS_max || TUNE_OPERATION_IS_arg_max

// One block, comparing numbers as they are.
extern "C" __global__ void reduction_reference(const float* __restrict__ X,
                                               Result* __restrict__ result, long long N) {
  __shared__ float largest[1024];
  __shared__ long long place[1024];
  const int thread = threadIdx.x;
  place[thread] = thread < N ? thread : 0;
  largest[thread] = X[place[thread]];
  for (long long i = thread; i < N; i += blockDim.x) {
    if (X[i] <= largest[thread]) continue;
    largest[thread] = X[i];
    place[thread] = i;
  }
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    const int other = thread + half;
    if (thread >= half || largest[other] < largest[thread]) continue;
    if (largest[other] == largest[thread] && place[other] > place[thread]) continue;
    largest[thread] = largest[other];
    place[thread] = place[other];
  }
#if TUNE_OPERATION_IS_max
  if (thread == 0) *result = largest[0];
#else
  if (thread == 0) *result = place[0];
#endif
}

#else

// One block, summed in double.
extern "C" __global__ void reduction_reference(const float* __restrict__ X, float* __restrict__ sum,
                                               long long N) {
  __shared__ double partial[1024];
  double mine = 0;
  for (long long i = threadIdx.x; i < N; i += blockDim.x) mine += X[i];
  partial[threadIdx.x] = mine;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *sum = float(partial[0]);
}

#endif
