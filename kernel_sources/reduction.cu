// sum = X[0] + ... + X[N-1] in float32, in one launch, any N.
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
//
// Names: BLOCK threads, UNROLL independent vectors of VEC elements for each thread and step. STREAM
// marks the input as used once.

constexpr int BLOCK = TUNE_BLOCK;
constexpr int UNROLL = TUNE_UNROLL;
constexpr int VEC = TUNE_VEC;
constexpr bool STREAM = TUNE_STREAM;

static_assert(BLOCK % 32 == 0 && (BLOCK & (BLOCK - 1)) == 0, "the tree halves the block");

#include "reduction_block.cuh"
#include "vector_access.cuh"

// The sum of this thread's elements. Threads take neighbouring vectors; all UNROLL loads of a step
// are issued before the first addition, so that they are in flight together.
__device__ float thread_sum(const float* __restrict__ X, long long N) {
  const long long threads = (long long)gridDim.x * BLOCK;
  const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
  const long long step = threads * VEC * UNROLL;

  float sum[UNROLL] = {};
  long long first = 0;
  for (; first + step <= N; first += step) {
    Vector<VEC> value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      value[u] = load_vector<VEC, STREAM>(X + first + (u * threads + thread) * VEC);
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (int v = 0; v < VEC; ++v) sum[u] += value[u].at[v];
    }
  }
  for (long long i = first + thread; i < N; i += threads) sum[0] += X[i];

  float total = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) total += sum[u];
  return total;
}

// `total` and `arrivals` are zero before the launch and zero again after it; `partials` holds one
// word for each block.
extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction(const float* __restrict__ X, float* __restrict__ sum, float* partials, float* total,
              unsigned* arrivals, long long N) {
#if TUNE_FORM_IS_global
  const long long threads = (long long)gridDim.x * BLOCK;
  for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < N; i += threads) {
    atomicAdd(total, X[i]);
  }
#else
  const float mine = block_sum(thread_sum(X, N));
#if TUNE_FINISH_IS_atomic
  if (threadIdx.x == 0) atomicAdd(total, mine);
#else
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
#endif
#endif

  if (!last_to_arrive(arrivals)) return;
#if TUNE_FINISH_IS_atomic
  if (threadIdx.x == 0) *sum = atomicExch(total, 0.0f);
#else
  float rest = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += BLOCK) rest += read_through(partials + i);
  const float all = block_sum(rest);
  if (threadIdx.x == 0) *sum = all;
#endif
}

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
