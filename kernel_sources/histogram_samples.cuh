#pragma once
// How samples come in and go to the counters: threads take neighbouring vectors, step by step over all of X,
// UNROLL of them before the first is used (AHEAD: before the last step's are counted).
//
// What each value of AGGREGATE changes:
//   none  each sample is one addition
//   runs  neighbours in a thread with the same bin are one: pays where the input has runs
//   warp  lanes with the same bin find each other (match), and the first of them adds for all

#include "elements.cuh"

template <class Shape, class Sample, class Bins, class Counters>
struct Samples {
  static constexpr int kVector = Shape::kVector, kUnroll = Shape::kUnroll;
  struct Step {
    Elements<Sample, kVector> vector[kUnroll];
  };

  const Sample* __restrict__ X;
  long long N, threads, thread;  // of all stripes, which blocks go through

  __device__ Samples(const Sample* __restrict__ X, long long N, int stripe, int stripes)
      : X(X),
        N(N),
        threads((long long)stripes * Shape::kThreads),
        thread((long long)stripe * Shape::kThreads + threadIdx.x) {}

  __device__ long long place(long long first, int u) const {
    return first + (u * threads + thread) * kVector;
  }

  // Whether all threads of all blocks find whole vectors in the step.
  __device__ bool is_whole(long long first) const {
    return first + threads * kVector * kUnroll <= N;
  }

  // Whether any thread finds something in its vector number u.
  __device__ bool is_begun(long long first, int u) const {
    return first + u * threads * kVector < N;
  }

  __device__ void load(Step& step, long long first) const {
    if (is_whole(first)) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        step.vector[u] = load_elements<kVector, Shape::kLoadOnce>(X + place(first, u));
      }
      return;
    }
#pragma unroll
    for (int u = 0; u < kUnroll && is_begun(first, u); ++u) {
      const long long at = place(first, u);
#pragma unroll
      for (int v = 0; v < kVector; ++v) step.vector[u].at[v] = at + v < N ? X[at + v] : Sample(0);
    }
  }

  template <bool WHOLE>
  __device__ void count(const Step& step, long long first, const Bins& bins,
                        Counters& counters) const {
    int held = -1;  // for AGGREGATE runs
    unsigned length = 0;
#pragma unroll
    for (int u = 0; u < kUnroll && (WHOLE || is_begun(first, u)); ++u) {
      const long long left = N - place(first, u);
      int bin[kVector];
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        bin[v] = bins.of(step.vector[u].at[v]);
        if (!WHOLE && v >= left) bin[v] = -1;
      }
      if constexpr (Shape::kByRuns) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          if (bin[v] != held) {
            if (length > 0) counters.add(held, length);
            held = bin[v];
            length = 0;
          }
          ++length;
        }
      } else {
        add_each(bin, counters);
      }
    }
    if constexpr (Shape::kByRuns) counters.add(held, length);
  }

  __device__ void add_each(const int (&bin)[kVector], Counters& counters) const {
    if constexpr (Shape::kWarpWise) {
#pragma unroll
      for (int v = 0; v < kVector; ++v) {
        const unsigned same = __match_any_sync(0xffffffffu, bin[v]);
        if (__ffs(same) - 1 == threadIdx.x % 32) counters.add(bin[v], __popc(same));
      }
    } else if constexpr (Counters::kInSteps) {
      unsigned word[kVector];
#pragma unroll
      for (int v = 0; v < kVector; ++v) word[v] = counters.begin(bin[v], 1);
#pragma unroll
      for (int v = 0; v < kVector; ++v) counters.carry(bin[v], 1, word[v]);
    } else {
#pragma unroll
      for (int v = 0; v < kVector; ++v) counters.add(bin[v], 1);
    }
  }

  // All threads of a block make the same steps.
  __device__ void count_all(const Bins& bins, Counters& counters) const {
    const long long step = threads * kVector * kUnroll;
    Step now, next;
    load(now, 0);
    for (long long first = 0; first < N; first += step) {
      if constexpr (Shape::kAhead) load(next, first + step);
      if (is_whole(first)) {
        count<true>(now, first, bins, counters);
      } else {
        count<false>(now, first, bins, counters);
      }
      if constexpr (Counters::kInSteps) __syncthreads();
      if constexpr (Shape::kAhead) {
        now = next;
      } else {
        load(now, first + step);
      }
    }
  }
};
