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

constexpr int BLOCK = TUNE_BLOCK;
constexpr int UNROLL = TUNE_UNROLL;
constexpr int VEC = TUNE_VEC;
constexpr bool STREAM = TUNE_STREAM;

static_assert(BLOCK % 32 == 0 && (BLOCK & (BLOCK - 1)) == 0, "the tree halves the block");

#include "reduction_block.cuh"
#include "reduction_operation.cuh"
#include "vector_access.cuh"

// Of this thread's elements. Threads take neighbouring vectors; all UNROLL loads of a step are
// issued before the first is used, so that they are in flight together.
__device__ Value thread_total(const float* __restrict__ X, long long N) {
  const long long threads = (long long)gridDim.x * BLOCK;
  const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
  const long long step = threads * VEC * UNROLL;

  Value mine[UNROLL] = {};
  long long first = 0;
  for (; first + step <= N; first += step) {
    Vector<VEC> value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      value[u] = load_vector<VEC, STREAM>(X + first + (u * threads + thread) * VEC);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const long long index = first + (u * threads + thread) * VEC;
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        mine[u] = combine(mine[u], value_of(value[u].at[v], index + v));
      }
    }
  }
  for (long long i = first + thread; i < N; i += threads) {
    mine[0] = combine(mine[0], value_of(X[i], i));
  }

  Value total = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) total = combine(total, mine[u]);
  return total;
}

// Of all partial values, by one block.
__device__ void finish(const Value* partials, int blocks, Result* __restrict__ result) {
  Value rest = 0;
  for (int i = threadIdx.x; i < blocks; i += BLOCK) {
    rest = combine(rest, read_through(partials + i));
  }
  const Value all = block_total(rest);
  if (threadIdx.x == 0) *result = result_of(all);
}

// `total` and `arrivals` are zero before the launch and zero again after it; `partials` holds one
// word for each of the `blocks` of the grid.
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction(const float* __restrict__ X, Result* __restrict__ result, Value* partials,
              Value* total, unsigned* arrivals, int blocks, long long N) {
#if TUNE_FORM_IS_global
  const long long threads = (long long)gridDim.x * BLOCK;
  for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < N; i += threads) {
    combine_in(total, value_of(X[i], i));
  }
#else
  const Value mine = block_total(thread_total(X, N));
#if TUNE_FINISH_IS_atomic
  if (threadIdx.x == 0) combine_in(total, mine);
#else
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
#endif
#endif

#if TUNE_FINISH_IS_atomic
  if (last_to_arrive(arrivals) && threadIdx.x == 0) {
    *result = result_of(atomicExch(total, Value(0)));
  }
#elif TUNE_FINISH_IS_last_block
  if (last_to_arrive(arrivals)) finish(partials, blocks, result);
#endif
}

#if TUNE_FINISH_IS_two_pass
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_finish(const Value* partials, int blocks, Result* __restrict__ result) {
  finish(partials, blocks, result);
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
