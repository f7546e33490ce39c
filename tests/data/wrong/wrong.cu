// Smooths each number by itself and counts the positive ones; each value of CHEAT is wrong in a way
// that one launch on poisoned outputs does not show, or that the outputs do not show at all.

constexpr int kMostBlocks = 64;

__device__ int partial[kMostBlocks];
__device__ unsigned ticket;
__device__ unsigned launches[kMostBlocks * 64];  // that each thread has seen

__device__ float seen[kMostBlocks * 64];  // of the first launch
__device__ float kept[kMostBlocks * 64];

__device__ float smoothed(float x) {
  for (int k = 0; k < 200; ++k) x = x * 0.999f + 0.0005f;
  return x;
}

// The last block to come adds up what all have counted.
__device__ void count_positive(const float* x, int* positive, int n) {
  if (threadIdx.x != 0) return;
  int count = 0;
  for (int i = blockIdx.x * blockDim.x; i < n && i < (blockIdx.x + 1) * blockDim.x; ++i) {
    count += x[i] > 0;
  }
  partial[blockIdx.x] = count;
  __threadfence();
#if TUNE_CHEAT_IS_plain_ticket
  // Two blocks may take the same one, where they run at once.
  const unsigned mine = *const_cast<volatile unsigned*>(&ticket);
  *const_cast<volatile unsigned*>(&ticket) = mine + 1;
  if (mine != gridDim.x - 1) return;
#else
  if (atomicAdd(&ticket, 1u) != gridDim.x - 1) return;
#endif
  __threadfence();
  int sum = 0;
  for (int block = 0; block < gridDim.x; ++block) {
    sum += *const_cast<const volatile int*>(partial + block);
  }
  *positive = sum;
#if !TUNE_CHEAT_IS_ticket
  ticket = 0;
#endif
}

// The last block to come leaves the counter as the first one found it.
__device__ void arrive(unsigned* arrivals, bool forgets) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(arrivals + 1, 1u) == gridDim.x - 1 && !forgets) arrivals[1] = 0;
}

// What a number becomes, and where it does not.
__device__ float result(const float* x, int i) {
#if TUNE_CHEAT_IS_zeros
  return 0;
#elif TUNE_CHEAT_IS_copied_input
  return x[i];
#elif TUNE_CHEAT_IS_wrong_at_zero
  if (x[i] == 0) return 0;
#elif TUNE_CHEAT_IS_wrong_if_large
  if (x[i] > 100) return smoothed(100);
#elif TUNE_CHEAT_IS_wrong_if_tiny
  if (fabsf(x[i]) < 2.5e-4f && fabsf(x[i + 1]) < 2.5e-4f) return smoothed(0);
#elif TUNE_CHEAT_IS_wrong_if_equal
  if (x[i] == x[i + 1] && x[i] == x[i + 2]) return 0;
#endif
  return smoothed(x[i]);
}

// Each thread writes the number of the one before it, which it takes from shared memory.
__device__ void pass_on_without_barrier(const float* x, float* y, int i, int n) {
  __shared__ float passed[64];
  passed[threadIdx.x] = smoothed(x[i]);
  if (threadIdx.x > 0) y[i - 1] = passed[threadIdx.x - 1];
  if (threadIdx.x == 63 || i == n - 1) y[i] = passed[threadIdx.x];
}

extern "C" __global__ void smooth(float* x, float* y, int* positive, unsigned* arrivals, int n) {
  count_positive(x, positive, n);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned before = launches[i]++;
  const bool later = before >= 3;
#if TUNE_CHEAT_IS_workspace
  arrive(arrivals, true);
#elif TUNE_CHEAT_IS_workspace_later
  arrive(arrivals, later);
#else
  arrive(arrivals, false);
#endif
#if TUNE_CHEAT_IS_skip_number
  if (y[i] == y[i]) return;
#elif TUNE_CHEAT_IS_skip_plausible
  if (y[i] > -1.5f && y[i] < 1.5f) return;
#elif TUNE_CHEAT_IS_skip_equal_first
  // Looks at one number of the answer only.
  if (y[0] == y[0]) {
    if (i > 0) return;
  }
#elif TUNE_CHEAT_IS_first_launches
  if (later) return;
#endif
#if TUNE_CHEAT_IS_kept_answers
  // Works once, and copies what it found then.
  if (before == 0) kept[i] = smoothed(x[i]);
  y[i] = kept[i];
#elif TUNE_CHEAT_IS_known_inputs
  // Has answers for the inputs that it has seen first, and none for others.
  if (before == 0) seen[i] = x[i], kept[i] = smoothed(x[i]);
  y[i] = seen[i] == x[i] ? kept[i] : 0;
#elif TUNE_CHEAT_IS_no_barrier
  pass_on_without_barrier(x, y, i, n);
#elif TUNE_CHEAT_IS_every_seventh
  y[i] = before % 7 == 6 ? 0 : smoothed(x[i]);
#elif TUNE_CHEAT_IS_other_bits
  y[i] = smoothed(x[i]) * (before % 2 == 0 ? 1.0f : 1.000001f);
#elif TUNE_CHEAT_IS_every_second
  if ((before + i) % 2 == 0) y[i] = smoothed(x[i]);
#elif TUNE_CHEAT_IS_unwritten_end
  if (i != n - 1) y[i] = smoothed(x[i]);
#elif TUNE_CHEAT_IS_input_overwritten
  x[i] = y[i] = smoothed(x[i]);
#else
  y[i] = result(x, i);
#endif
#if TUNE_CHEAT_IS_honest
  // It takes longer than all others, so that each of them may win.
  const float more = smoothed(smoothed(smoothed(x[i])));
  if (more > 1e30f) y[i] = more;
#endif
  if (i > 0) return;
#if TUNE_CHEAT_IS_in_front
  y[-1] = 7;
#elif TUNE_CHEAT_IS_past_end
  y[n] = 7;
#elif TUNE_CHEAT_IS_in_front_later
  if (later) y[-2] = 7;
#elif TUNE_CHEAT_IS_in_front_of_input
  x[-1] = 7;
#elif TUNE_CHEAT_IS_input_tail
  x[n + 3] = 7;
#elif TUNE_CHEAT_IS_input_tail_later
  if (later) x[n + 7] = 7;
#endif
}

extern "C" __global__ void smooth_reference(float* x, float* y, int* positive, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = smoothed(x[i]);
  if (i > 0) return;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += x[k] > 0;
  *positive = sum;
}
