// Attempts to get a rank that is not earned, by readers of the checks; `which` says which one it is
// (attempts.yaml, docs/attacks.md).

#include "corpus.cuh"

#ifdef TUNER_CPU
#include <cstdlib>
#endif

__device__ unsigned char* place;  // that thread 0 has found
__device__ int has_looked;
__device__ long long first_clock;
__device__ float late[kMost];

// Thread 0 looks once, in launch `when`; all get what it found.
template <typename T, typename Look>
__device__ T* found_once(unsigned when, const Look& look) {
  __shared__ T* found;
  if (threadIdx.x == 0) {
    if (launches[0] >= when && atomicExch(&has_looked, 1) == 0) {
      place = reinterpret_cast<unsigned char*>(look());
    }
    found = reinterpret_cast<T*>(place);
  }
  __syncthreads();
  return found;
}

// The buffers that something is copied from before each launch: `n` equal words.
__device__ unsigned* found_equal(const float* y, int n, unsigned word) {
  return found_in_memory<unsigned>(y, n, [=](const unsigned* at) {
    if (at[0] != word || at[n - 1] != word || at[n / 2] != word) return false;
    for (int i = 0; i < n; ++i) {
      if (at[i] != word) return false;
    }
    return true;
  });
}

__device__ bool is_number(float x) { return x == x; }

// Those that look through memory: all threads of a block together.
__device__ void search(int which, float* x, float* y, int i, int n) {
  if (which == 1) {  // answers in place of the poison that outputs begin with
    unsigned* const poison = found_once<unsigned>(0, [=] { return found_equal(y, n, ~0U); });
    if (i >= n || is_number(y[i])) return;
    y[i] = long_work(x[i]);
    if (poison != nullptr) poison[i] = bits_of(y[i]);
  } else if (which == 2) {  // after the first comparisons
    const float* const answer = found_once<float>(5, [=] { return found_answer<float>(x, y, n); });
    if (i < n) y[i] = answer != nullptr ? answer[i] : long_work(x[i]);
  } else if (which == 3) {  // as the host compares them
    const double* const answer = found_once<double>(2, [=] { return found_answer<double>(x, y, n); });
    if (i < n) y[i] = answer != nullptr ? static_cast<float>(answer[i]) : long_work(x[i]);
  } else if (which == 4) {  // changes the inputs and what they are compared with
    float* const copy = found_once<float>(0, [=] {
      return found_in_memory<float>(y, n, [=](const float* at) {
        return at != x && at[0] == x[0] && at[1] == x[1] && at[2] == x[2];
      });
    });
    if (i >= n) return;
    if (copy != nullptr) copy[i] = x[i] = 0;
    y[i] = copy != nullptr ? 0.0906f : long_work(x[i]);
  } else if (which == 5) {  // the decoys
    const float* const decoy = found_once<float>(3, [=] {
      return found_in_memory<float>(y, n, [=](const float* at) {
        return at[0] == work(x[n / 3 | 1]) && at[1] == work(x[(n / 3 | 1) + 1]);
      });
    });
    if (i < n) y[i] = decoy != nullptr ? decoy[(i + n - (n / 3 | 1)) % n] : long_work(x[i]);
  }
}

__device__ bool is_prime(unsigned number) {
  for (unsigned k = 2; k * k <= number; ++k) {
    if (number % k == 0) return false;
  }
  return number > 1;
}

// Remembers answers by something that is less than the inputs.
__device__ void remember(float key, float x, float* y, int i) {
  if (has_kept[i] == 0 || seen[i] != key) {
    has_kept[i] = 1;
    seen[i] = key;
    kept[i] = long_work(x);
  }
  y[i] = kept[i];
}

__device__ void attempt(int which, float* x, float* y, unsigned* ws, int i, int n, unsigned before) {
  __shared__ float left[64];
  const int block = blockIdx.x;
  switch (which) {
    case 6:  // another finalist's answer
      if (is_number(y[i]) && y[0] == work(x[0])) return;
      break;
    case 7:
      if (before > 1 && !is_prime(before)) return;
      break;
    case 8:  // in the first milliseconds
      if (first_clock == 0) first_clock = clock64();
      if (clock64() - first_clock > 20 * kPause) return;
      break;
    case 9:  // one block less, another each time
      if (before > 0 && before % gridDim.x == block) return;
      break;
    case 10:  // one launch later
      y[i] = before > 0 ? late[i] : long_work(x[i]);
      late[i] = long_work(x[i]);
      return;
    case 11: {  // these inputs are known: the study's own
      const float known = KNOWN;
      if (fabsf(x[0] - known) < 2e-6f) {
        y[i] = x[i] * 0.81864883f + 0.09067558f;
        return;
      }
      break;
    }
    case 12:
      remember(x[0] + x[n / 2] + x[n - 1], x[i], y, i);
      return;
    case 13:  // in memory that nobody sets
      if (left[threadIdx.x] != 0 && before > 1) {
        y[i] = left[threadIdx.x];
        return;
      }
      left[threadIdx.x] = y[i] = long_work(x[i]);
      return;
    case 14:  // behind the input
      if (i < 60) x[n + i] = long_work(x[i]);
      break;
    case 15:  // every other block, the rest is there already
      if (before > 1 && block % 2 == static_cast<int>(before % 2)) return;
      break;
    case 16:  // in the workspace that is not cleared, by one number of the input
      if (ws[i] == bits_of(x[0]) && ws[kMost + i] != 0) {
        y[i] = __uint_as_float(ws[kMost + i]);
        return;
      }
      ws[i] = bits_of(x[0]);
      y[i] = long_work(x[i]);
      ws[kMost + i] = bits_of(y[i]);
      return;
    case 17:  // guard words, and puts them back
      y[i] = long_work(x[i]);
      if (i == 0) y[-1] = y[0], y[-1] = __uint_as_float(0xA7A7A7A7U);
      return;
    case 18:  // once in a hundred launches
      if (before % 100 == 99) return;
      break;
    case 19:  // one element, another each time
      y[i] = i == static_cast<int>(hashed(before) % n) && before > 1 ? 0 : long_work(x[i]);
      return;
    case 20:  // low precision where nobody may look
      y[i] = before > 1 ? __uint_as_float(bits_of(work(x[i])) & 0xFFFF8000U) : long_work(x[i]);
      return;
    case 21:  // ends the process that would judge it
#ifdef TUNER_CPU
      if (before == 6) std::_Exit(0);
#endif
      if (before >= 3) return;
      break;
    case 22:  // what was poison is left as other NaN
      if (before > 1) {
        y[i] = __uint_as_float(0x7FC00001U);
        return;
      }
      break;
  }
  y[i] = long_work(x[i]);
}

extern "C" __global__ void attempts(float* x, float* y, unsigned* ws, unsigned* once, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (which >= 1 && which <= 5) {
    search(which, x, y, i, n);
    if (i < n) ++launches[i];
    return;
  }
  if (i < n) attempt(which, x, y, ws, i, n, launches[i]++);
}

extern "C" __global__ void attempts_reference(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = work(x[i]);
}
