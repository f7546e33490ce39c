// Kernels that want a rank that they have not earned, and right ones of unusual form; `which` says
// which one it is (corpus.yaml). All are one kernel, so that they are compiled once.
// Those from 100 on do more work than the others, so that each of the others may become the best.

#include "corpus.cuh"

// What the thread finds in place of its number before it has done anything.
struct Found {
  unsigned before;  // launches
  float y;
  unsigned ws;
  long long pause;  // since it was launched before; 0: never
};

// Whether the launch does nothing but look busy: kernels that work when somebody may look.
__device__ bool skips(int which, const Found& found, const float* x, float* y, int i, int n) {
  const bool later = found.before >= 3;
  switch (which) {
    case 1:
      return found.y == found.y;
    case 2:
      return found.y > -1.5f && found.y < 1.5f;
    case 3:
      return y[0] == y[0] && i > 0;
    case 4:
      return later;
    case 5:  // that many samples are taken by default
      return found.before >= 2 && found.before < 11;
    case 6:
      return found.before >= 2 && found.before < 59;
    case 7:
      return found.before % 2 == 1;
    case 8:
      return found.before % 7 == 6;
    case 9:
      return (hashed(static_cast<unsigned>(clock64() >> 4)) & 3) == 0;
    case 10:  // a workspace that is poisoned when somebody looks
      return found.ws == 0x5eed;
    case 107:
      return later && found.ws != 0xA5A5A5A5U;
    case 12:  // other addresses when nobody looks
      return first_y != nullptr && first_y != y;
    case 13:
      return first_x != nullptr && first_x != x;
    case 14:  // launches that follow each other closely are timed
      return found.pause != 0 && found.pause < kPause;
    case 15:
      return found.pause > kPause;
    case 16:  // decoys are numbers of the answer's size
      return found.y > 1 || found.y < -1 || later;
    case 17:
      return later && i % 2 == 1;
    case 18:
      return later && i > n / 2;
    case 19:
      return later && i % 64 == 63;
    case 20:  // one element
      return later && i == 777;
    case 21:
      return found.before >= 1 && found.before < 4;
    case 22:
      return found.before >= 4 && found.before < 8;
    case 23:
      return found.before > 0 && hashed(found.before) % 8 == 0;
  }
  return false;
}

// What takes the place of the work.
__device__ float other_result(int which, const float* x, const float* y, int i, int n, unsigned before) {
  const float right = work(x[i]);
  switch (which) {
    case 30:
      return 0;
    case 31:
      return x[i];
    case 32:
      return x[i] == 0 ? 0 : right;
    case 33:
      return x[i] > 100 ? work(100) : right;
    case 34:
      return fabsf(x[i]) < 2.5e-4f && fabsf(x[(i + 1) % n]) < 2.5e-4f ? work(0) : right;
    case 35:
      return x[i] == x[(i + 1) % n] && x[i] == x[(i + 2) % n] ? 0 : right;
    case 36:
      return x[i] < -900 ? work(-900) : right;
    case 37:
      return bits_of(x[i]) == 0x80000000U ? 0 : right;
    case 38:
      return fabsf(x[i]) == 1 ? 0 : right;
    case 39:  // as half precision would have it
      return __uint_as_float((bits_of(right) + 0x1000U) & 0xFFFFE000U);
    case 40:  // as bfloat16
      return __uint_as_float((bits_of(right) + 0x8000U) & 0xFFFF0000U);
    case 41:
      return before >= 3 ? __uint_as_float(bits_of(right) & 0xFFFFE000U) : right;
    case 42:
      return i % 16 == 5 ? __uint_as_float(bits_of(right) & 0xFFFF0000U) : right;
    case 43:  // an index of ten bits
      return work(x[i & 1023]);
    case 44:
      return right * (before % 2 == 0 ? 1.0f : 1.000001f);
    case 45:
      return __uint_as_float(0x7FC00000U);
    case 46:
      return right / 0.0f;
    case 47:
      return i < n - 1 ? right : y[i];
    case 48:
      return i == n / 2 ? y[i] : right;
    case 49:
      return y[i] + right;
    case 50:  // half of the work
      return i % 2 == 0 ? right : 0.5f * (work(x[i - 1]) + right) * 1.0001f;
    case 51:  // answers of the first launch
      if (before == 0) kept[i] = right;
      return kept[i];
    case 52:
      if (before == 0) seen[i] = x[i], kept[i] = right;
      return seen[i] == x[i] ? kept[i] : 0;
    case 53:  // the same for one number of them all
      if (before == 0) seen[i] = x[0], kept[i] = right;
      return seen[i] == x[0] ? kept[i] : 0;
    case 54:
      return work(fabsf(x[i]));
    case 55:
      return work(x[n - 1 - i]);
    case 56:
      return before >= 3 ? y[(i + 1) % n] : right;
    case 57:  // a guess, right for uniform numbers on the average
      return 0.0906f;
    case 58:
      return before >= 2 ? -right : right;
  }
  return right;
}

// What is done beside it.
__device__ void harms(int which, float* x, float* y, unsigned* ws, unsigned* once, int n, bool later) {
  switch (which) {
    case 60:
      y[-1] = 7;
      break;
    case 61:
      y[n] = 7;
      break;
    case 62:
      if (later) y[-2] = 7;
      break;
    case 63:
      if (later) y[n + 100] = 7;
      break;
    case 64:
      x[-1] = 7;
      break;
    case 65:  // needed for nothing
      x[n + 3] = 7;
      break;
    case 66:
      if (later) x[n + 7] = 7;
      break;
    case 67:
      ws[-1] = 7;
      break;
    case 68:
      once[0] = 1;
      break;
    case 69:
      if (later) once[1] += 1;
      break;
    case 70:
      x[5] = y[5];
      break;
    case 71:  // a negative zero
      once[0] = 0x80000000U;
      break;
  }
}

// Without a barrier.
__device__ void not_ordered(const float* x, float* y, int n) {
  __shared__ float passed[64];
  const int first = blockIdx.x * blockDim.x;
  passed[threadIdx.x] = work(x[first + threadIdx.x]);
  const int next = (threadIdx.x + 1) % blockDim.x;
  if (first + next < n) y[first + next] = passed[next];
}

// Right kernels of unusual form.
__device__ void unusual(int which, const float* x, float* y, unsigned* ws, unsigned* once, int i, int n) {
  const float right = long_work(x[i]);
  switch (which) {
    case 201:  // written twice
      y[i] = -right;
      y[i] = right;
      return;
    case 202:  // by atomics, from zero
      y[i] = 0;
      atomicAdd(y + i, right);
      return;
    case 203:  // a counter that is set back by the last thread
      y[i] = right;
      if (atomicAdd(once, 1U) == n - 1) once[0] = 0;
      return;
    case 204:  // through a workspace that nobody clears
      ws[i] = bits_of(right);
      y[i] = __uint_as_float(ws[i]);
      return;
    case 205:  // by exchange
      atomicExch(reinterpret_cast<unsigned*>(y) + i, bits_of(right));
      return;
    case 206:  // a table that depends on no input and stays
      if (has_kept[i] == 0) kept[i] = work(0), has_kept[i] = 1;
      y[i] = right + kept[i] * 0;
      return;
    case 207:  // in place of its number first something else
      y[i] = x[i];
      y[i] = work(y[i]);
      return;
    case 208:  // one thread of two for both
      if (i % 2 == 0 && i + 1 < n) y[i + 1] = work(x[i + 1]);
      if (i % 2 == 0 || i == n - 1) y[i] = right;
      return;
    case 209:  // by bytes
      for (int k = 0; k < 4; ++k) {
        const unsigned bits = bits_of(right);
        reinterpret_cast<unsigned char*>(y + i)[k] = reinterpret_cast<const unsigned char*>(&bits)[k];
      }
      return;
    case 210:  // a lock that is taken until it was got
      while (atomicCAS(ws + 2 * kMost + i, ws[2 * kMost + i], 1U) == 0xFFFFFFFFU) {
      }
      y[i] = right;
      return;
    case 211:  // reads what an output holds, and does not use it
      y[i] = y[i] == right ? y[i] : right;
      return;
    case 212:  // counts launches
      y[i] = launches[i] >= 0 ? right : 0;
      return;
    case 213:  // looks at the clock
      y[i] = clock64() == 1 ? 0 : right;
      return;
    case 214:  // the largest of one
      y[i] = -kNone;
      y[i] = fmaxf(y[i], right);
      return;
    case 215:  // from the last to the first
      y[n - 1 - i] = work(x[n - 1 - i]);
      return;
    case 216:  // what the last launch left in the workspace does not matter
      ws[i] += 1;
      y[i] = right;
      return;
  }
  y[i] = right;
}

// Keeps answers and is right for whatever it is given: it looks whether it has seen these inputs.
__device__ void remembers(int which, const float* x, float* y, int i, const Found& found) {
  const float input = which == 103 ? x[0] : x[i];
  if (has_kept[i] == 0 || seen[i] != input) {
    has_kept[i] = 1;
    seen[i] = input;
    kept[i] = long_work(x[i]);
  }
  if (which == 104 && found.y == kept[i]) return;
  y[i] = kept[i];
}

// Where the first launch has found the answer, and for what.
__device__ float* answer_at;
__device__ int has_looked;

__device__ void scans(int which, const float* x, float* y, int i, int n) {
  __shared__ float* found;
  if (threadIdx.x == 0) {
    if (atomicExch(&has_looked, 1) == 0) answer_at = found_answer<float>(x, y, n);
    found = answer_at;
    if (found != nullptr && found[0] != work(x[0])) found = nullptr;
  }
  __syncthreads();
  if (i >= n) return;
  if (which == 106 && found != nullptr) found[i] = 0;
  y[i] = found != nullptr ? found[i] : long_work(x[i]);
}

extern "C" __global__ void corpus(float* x, float* y, unsigned* ws, unsigned* once, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (which == 105 || which == 106) {
    scans(which, x, y, i, n);
    return;
  }
  if (i >= n) return;
  const long long now = clock64();
  const Found found{launches[i]++, y[i], ws[i], last_clock[i] == 0 ? 0 : now - last_clock[i]};
  last_clock[i] = now;
  if (!skips(which, found, x, y, i, n)) {
    if (which < 30) {
      y[i] = work(x[i]);
    } else if (which < 80) {
      y[i] = other_result(which, x, y, i, n, found.before);
    } else if (which == 80) {
      not_ordered(x, y, n);
    } else if (which >= 102 && which <= 104) {
      remembers(which, x, y, i, found);
    } else {
      unusual(which, x, y, ws, once, i, n);
    }
    if (which == 10) ws[i] = 0x5eed;
  }
  if (i > 0) return;
  first_y = first_y == nullptr ? y : first_y;
  first_x = first_x == nullptr ? x : first_x;
  harms(which, x, y, ws, once, n, found.before >= 3);
}

extern "C" __global__ void corpus_reference(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = work(x[i]);
}
