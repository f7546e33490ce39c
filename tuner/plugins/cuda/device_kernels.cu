// Filling and comparing on the device; element_formulas.h stands above this text.

extern "C" __global__ void tuner_fill(void* to, u64 elements, u32 kind, u32 type, double a,
                                      double b, u64 seed) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += stride) {
    store_element(to, i, type, element_value(kind, a, b, seed, i));
  }
}

struct CompareResult {
  u64 mismatches;
  u64 first_mismatch;
  u64 max_error_bits;  // of a double that is never negative: ordered like the integer
};

// Blocks of 256 threads. `out` starts as {0, ~0, 0}.
extern "C" __global__ void tuner_compare(const void* actual, const void* expected, u64 elements,
                                         u32 type, double rtol, double atol, CompareResult* out) {
  u64 mismatches = 0;
  u64 first = ~0ULL;
  double worst = 0.0;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += stride) {
    const ElementCheck found = check_element(actual, expected, i, type, rtol, atol);
    if (!found.passes) {
      ++mismatches;
      if (i < first) first = i;
    }
    if (found.error > worst) worst = found.error;
  }

  __shared__ u64 counts[256];
  __shared__ u64 firsts[256];
  __shared__ double worsts[256];
  const u32 me = threadIdx.x;
  counts[me] = mismatches;
  firsts[me] = first;
  worsts[me] = worst;
  for (u32 half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (me < half) {
      counts[me] += counts[me + half];
      if (firsts[me + half] < firsts[me]) firsts[me] = firsts[me + half];
      if (worsts[me + half] > worsts[me]) worsts[me] = worsts[me + half];
    }
  }
  if (me == 0) {
    if (counts[0] > 0) {
      atomicAdd(&out->mismatches, counts[0]);
      atomicMin(&out->first_mismatch, firsts[0]);
    }
    atomicMax(&out->max_error_bits, bits_as<u64>(worsts[0]));
  }
}

// Blocks of one thread, about one for each multiprocessor: `out[multiprocessor]` is the cycle
// counter and the device's timer in nanoseconds.
extern "C" __global__ void tuner_stamp(u64* out) {
  u32 multiprocessor;
  u64 nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  if (multiprocessor >= 1024) return;
  out[2 * multiprocessor] = static_cast<u64>(clock64());
  out[2 * multiprocessor + 1] = nanoseconds;
}
