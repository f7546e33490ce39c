// Filling and comparing on the device; sdk_elements.h stands above this text.

extern "C" __global__ void tuner_fill(void* to, ulong elements, uint kind, uint type, double a,
                                      double b, ulong seed) {
  const ulong stride = static_cast<ulong>(gridDim.x) * blockDim.x;
  for (ulong i = static_cast<ulong>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += stride) {
    if (kind == kMask) {
      static_cast<ulong*>(to)[i] ^= element_mask(a, seed, i);
    } else {
      store_element(to, i, type, element_value(kind, a, b, seed, i));
    }
  }
}

struct CompareResult {
  ulong mismatches;
  ulong first_mismatch;
  ulong max_error_bits;  // of a double that is never negative: ordered like the integer
};

// Blocks of 256 threads. `out` starts as {0, ~0, 0}.
extern "C" __global__ void tuner_compare(const void* actual, const void* expected, ulong elements,
                                         uint type, double rtol, double atol, CompareResult* out) {
  ulong mismatches = 0;
  ulong first = ~0ULL;
  double worst = 0.0;
  const ulong stride = static_cast<ulong>(gridDim.x) * blockDim.x;
  for (ulong i = static_cast<ulong>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += stride) {
    const ElementCheck found = check_element(actual, expected, i, type, rtol, atol);
    if (!found.passes) {
      ++mismatches;
      if (i < first) first = i;
    }
    if (found.error > worst) worst = found.error;
  }

  __shared__ ulong counts[256];
  __shared__ ulong firsts[256];
  __shared__ double worsts[256];
  const uint me = threadIdx.x;
  counts[me] = mismatches;
  firsts[me] = first;
  worsts[me] = worst;
  for (uint half = 128; half > 0; half /= 2) {
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
    atomicMax(&out->max_error_bits, as_ulong(worsts[0]));
  }
}

// Blocks of one thread, about one for each multiprocessor: `out[multiprocessor]` is the cycle
// counter and the device's timer in nanoseconds.
extern "C" __global__ void tuner_stamp(ulong* out) {
  uint multiprocessor;
  ulong nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  if (multiprocessor >= 1024) return;
  out[2 * multiprocessor] = static_cast<ulong>(clock64());
  out[2 * multiprocessor + 1] = nanoseconds;
}
