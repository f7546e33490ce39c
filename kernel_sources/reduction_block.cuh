#pragma once
// How the threads of a block come together: a tree halves what is left, in shared memory (BlockTree), or
// in registers by shuffles, with shared memory for one word a warp (BlockShuffles).
//
//   0 1 2 3 4 5 6 7  ->  0+4 1+5 2+6 3+7  ->  0+4+2+6 1+5+3+7  ->  all

// Both give the block's total in thread 0, and may be called again: they begin with a barrier.
template <class Shape, class Operation>
struct BlockTree {
  static constexpr int kWords = Shape::kThreads;
  using Value = typename Operation::Value;

  __device__ static Value total(Value value, Value* words) {
    __syncthreads();
    words[threadIdx.x] = value;
    for (int half = Shape::kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) {
        words[threadIdx.x] = Operation::both(words[threadIdx.x + half], words[threadIdx.x]);
      }
    }
    return threadIdx.x == 0 ? words[0] : 0;
  }
};

template <class Shape, class Operation>
struct BlockShuffles {
  static constexpr int kWords = 32;
  using Value = typename Operation::Value;

  __device__ static Value warp_total(Value value) {
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
      value = Operation::both(value, __shfl_down_sync(0xffffffffu, value, half));
    }
    return value;
  }

  __device__ static Value total(Value value, Value* words) {
    __syncthreads();
    value = warp_total(value);
    if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      value = warp_total(threadIdx.x < Shape::kThreads / 32 ? words[threadIdx.x] : 0);
    }
    return value;
  }
};
