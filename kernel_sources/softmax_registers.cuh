#pragma once
// FORM registers: BLOCK threads hold the row, ITEMS vectors each. A longer row has no place there;
// what does not fit is read again in each pass.

constexpr int ITEMS = TUNE_ITEMS;
constexpr int kHeld = BLOCK * VEC * ITEMS;

__device__ void softmax_row(const float* x, float* y, int N) {
  const bool aligned = N % VEC == 0;
  Vector<VEC> held[ITEMS];
  float most = kLowest;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * BLOCK + int(threadIdx.x)) * VEC;
    if (aligned && at < N) {
      held[i] = load_vector<VEC>(x + at);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) held[i].at[v] = at + v < N ? x[at + v] : kLowest;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) most = fmaxf(most, held[i].at[v]);
  }
  for (int i = kHeld + threadIdx.x; i < N; i += BLOCK) most = fmaxf(most, x[i]);
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
  for (int i = kHeld + threadIdx.x; i < N; i += BLOCK) sum += expf(x[i] - most);
  const float scale = 1 / over_row(sum, Sum());

#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = (i * BLOCK + int(threadIdx.x)) * VEC;
#pragma unroll
    for (int v = 0; v < VEC; ++v) held[i].at[v] *= scale;
    if (aligned && at < N) {
      store_vector<VEC>(y + at, held[i]);
    } else {
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        if (at + v < N) y[at + v] = held[i].at[v];
      }
    }
  }
  for (int i = kHeld + threadIdx.x; i < N; i += BLOCK) y[i] = expf(x[i] - most) * scale;
}
