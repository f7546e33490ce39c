#pragma once
// FORM three_pass, online and shared: passes over the row, VEC elements at a time, the rest of a
// row that VEC does not divide by single elements.

// Calls use(element, index) for this thread's elements of the row.
template <class Use>
__device__ void for_each(const float* x, int N, Use use) {
  const int whole = N % VEC == 0 ? N : 0;  // rows that start between vectors go by single elements
  for (int i = threadIdx.x * VEC; i < whole; i += BLOCK * VEC) {
    const Vector<VEC> value = load_vector<VEC>(x + i);
#pragma unroll
    for (int v = 0; v < VEC; ++v) use(value.at[v], i + v);
  }
  for (int i = whole + threadIdx.x; i < N; i += BLOCK) use(x[i], i);
}

__device__ void write_row(const float* x, float* y, int N, float most, float scale) {
  const int whole = N % VEC == 0 ? N : 0;
  for (int i = threadIdx.x * VEC; i < whole; i += BLOCK * VEC) {
    Vector<VEC> value = load_vector<VEC>(x + i);
#pragma unroll
    for (int v = 0; v < VEC; ++v) value.at[v] = expf(value.at[v] - most) * scale;
    store_vector<VEC>(y + i, value);
  }
  for (int i = whole + threadIdx.x; i < N; i += BLOCK) y[i] = expf(x[i] - most) * scale;
}

__device__ void softmax_row(const float* x, float* y, int N) {
  float most = kLowest, sum = 0;
#if TUNE_FORM_IS_online
  for_each(x, N, [&](float value, int) {
    const float before = most;
    most = fmaxf(most, value);
    if (most > before) sum *= expf(before - most);
    sum += expf(value - most);
  });
  const float mine = most;
  most = over_row(mine, Largest());
  sum = over_row(sum * expf(mine - most), Sum());
  write_row(x, y, N, most, 1 / sum);
#else
#if TUNE_FORM_IS_shared
  // Each thread reads back only what it wrote itself, so that no barrier is needed.
  extern __shared__ float4 rows[];
  float* kept = reinterpret_cast<float*>(rows) + size_t(threadIdx.y) * ((N + 3) / 4 * 4);
  for_each(x, N, [&](float value, int i) {
    kept[i] = value;
    most = fmaxf(most, value);
  });
#else
  const float* kept = x;
  for_each(x, N, [&](float value, int) { most = fmaxf(most, value); });
#endif
  most = over_row(most, Largest());
  for_each(kept, N, [&](float value, int) { sum += expf(value - most); });
  sum = over_row(sum, Sum());
  write_row(kept, y, N, most, 1 / sum);
#endif
}
