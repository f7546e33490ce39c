// Filling and comparing on the device; sdk_elements.h stands above this text.

// Four elements, written at once.
template <typename Element>
struct alignas(4 * sizeof(Element)) Four {
  Element elements[4];
};

// Fills with a kind and type that the compiler knows, which is 1.7 times as fast as asking for each
// element. Returns how many elements, from the first, were filled by all threads together.
template <uint kKind, uint kType, typename Element>
__device__ ulong fill_fours(void* to, ulong elements, double a, double b, ulong seed, ulong me,
                            ulong stride) {
  if (reinterpret_cast<ulong>(to) % sizeof(Four<Element>) != 0) return 0;
  for (ulong four = me; four < elements / 4; four += stride) {
    Four<Element> values;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      store_element(values.elements, i, kType, element_value(kKind, a, b, seed, 4 * four + i));
    }
    static_cast<Four<Element>*>(to)[four] = values;
  }
  return elements / 4 * 4;
}

// A final draws inputs before each sample, so the usual ones have code of their own. More of it
// would cost each worker more seconds of compiling than it saves.
extern "C" __global__ void tuner_fill(void* to, ulong elements, uint kind, uint type, double a,
                                      double b, ulong seed) {
  const ulong stride = static_cast<ulong>(gridDim.x) * blockDim.x;
  const ulong me = static_cast<ulong>(blockIdx.x) * blockDim.x + threadIdx.x;
  ulong done = 0;
  if (kind == kUniform && type == kF32) {
    done = fill_fours<kUniform, kF32, float>(to, elements, a, b, seed, me, stride);
  } else if (kind == kIntegers && type == kI32) {
    done = fill_fours<kIntegers, kI32, int>(to, elements, a, b, seed, me, stride);
  }
  for (ulong i = done + me; i < elements; i += stride) {
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
