#pragma once
// FORM registers: BLOCK threads hold the row, ITEMS vectors each, from the boundary of vectors
// before it on. A longer row has no place there; what does not fit is read again in each pass.

constexpr int ITEMS = TUNE_ITEMS;
constexpr int kHeld = BLOCK * VEC * ITEMS;

__device__ void softmax_row(const float* x, float* y, int N) {
  const bool aligned = aligned_alike(x, y);
  const int before = beyond_boundary(x);
  const int rest = kHeld - before + int(threadIdx.x);
  Vector<VEC> held[ITEMS];
  float most = kLowest;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * BLOCK + int(threadIdx.x)) * VEC - before;
    if (aligned && 0 <= at && at + VEC <= N) {
      held[i] = load_vector<VEC>(x + at);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        held[i].at[v] = 0 <= at + v && at + v < N ? x[at + v] : kLowest;
      }
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) most = fmaxf(most, held[i].at[v]);
  }
  for (int i = rest; i < N; i += BLOCK) most = fmaxf(most, x[i]);
  most = over_row(most, Largest());

  float sum = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      held[i].at[v] = expf(held[i].at[v] - most);
      sum += held[i].at[v];
    }
  }
  for (int i = rest; i < N; i += BLOCK) sum += expf(x[i] - most);
  const float scale = 1 / over_row(sum, Sum());

#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * BLOCK + int(threadIdx.x)) * VEC - before;
#pragma unroll
    for (int v = 0; v < VEC; ++v) held[i].at[v] *= scale;
    if (aligned && 0 <= at && at + VEC <= N) {
      store_vector<VEC>(y + at, held[i]);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        if (0 <= at + v && at + v < N) y[at + v] = held[i].at[v];
      }
    }
  }
  for (int i = rest; i < N; i += BLOCK) y[i] = expf(x[i] - most) * scale;
}
