#pragma once
// What one block adds to the result: its threads take neighbouring vectors, step by step over all of X; the
// block's total is then handed on, or added up with those of the others.
//
//   step 0: block 0 | block 1 | ... | block 0, vector 1 | ...     step 1: block 0 | ...

#include "elements.cuh"

template <class Shape, class Operation, class Block>
struct GridReduction {
  using Value = typename Operation::Value;
  using Result = typename Operation::Result;
  static constexpr int kUnroll = Shape::kUnroll, kVector = Shape::kVector;

  // Of this thread's elements. All UNROLL loads of a step are issued before the first is used, so that
  // they are in flight together.
  __device__ static Value thread_total(const float* __restrict__ X, long long N) {
    const long long threads = (long long)gridDim.x * Shape::kThreads;
    const long long thread = (long long)blockIdx.x * Shape::kThreads + threadIdx.x;
    const long long step = threads * kVector * kUnroll;

    Value mine[kUnroll] = {};
    long long first = 0;
    for (; first + step <= N; first += step) {
      Elements<float, kVector> value[kUnroll];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const float* from = X + first + (u * threads + thread) * kVector;
        value[u] = load_elements<kVector, Shape::kLoadOnce>(from);
      }
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        const long long index = first + (u * threads + thread) * kVector;
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          mine[u] = Operation::both(mine[u], Operation::value_of(value[u].at[v], index + v));
        }
      }
    }
    for (long long i = first + thread; i < N; i += threads) {
      mine[0] = Operation::both(mine[0], Operation::value_of(X[i], i));
    }

    Value total = 0;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) total = Operation::both(total, mine[u]);
    return total;
  }

  __device__ static Value block_total(Value value) {
    if constexpr (Shape::kDynamic) {
      extern __shared__ Value words[];
      return Block::total(value, words);
    } else {
      __shared__ Value words[Block::kWords];
      return Block::total(value, words);
    }
  }

  // Of all partial values, by one block, past this multiprocessor's own cache.
  __device__ static void finish(const Value* partials, int blocks, Result* __restrict__ result) {
    Value rest = 0;
    for (int i = threadIdx.x; i < blocks; i += Shape::kThreads) {
      rest = Operation::both(rest, *static_cast<const volatile Value*>(partials + i));
    }
    const Value all = block_total(rest);
    if (threadIdx.x == 0) *result = Operation::result_of(all);
  }

  // FORM global: nothing but atomics.
  __device__ static void combine_all(const float* __restrict__ X, long long N, Value* total) {
    const long long threads = (long long)gridDim.x * Shape::kThreads;
    long long i = (long long)blockIdx.x * Shape::kThreads + threadIdx.x;
    for (; i < N; i += threads) Operation::combine_in(total, Operation::value_of(X[i], i));
  }
};
