#pragma once
// FORM three_pass, online and shared: passes over the row, VEC elements at a time. What lies before
// the first boundary of vectors in memory and after the last goes by single elements.

// The elements from `begin` on and before `end` go by vectors.
struct Whole {
  int begin, end;
};

__device__ Whole whole_vectors(const float* x, const float* y, int N) {
  if (!aligned_alike(x, y)) return {0, 0};
  const int begin = min((VEC - beyond_boundary(x)) % VEC, N);
  return {begin, begin + (N - begin) / VEC * VEC};
}

// Calls use(element) for this thread's elements of the row.
template <class Use>
__device__ void for_each(const float* x, int N, Whole whole, Use use) {
  const int thread = threadIdx.x;
  if (thread < whole.begin) use(x[thread]);
  for (int i = whole.begin + thread * VEC; i < whole.end; i += BLOCK * VEC) {
    const Vector<VEC> value = load_vector<VEC>(x + i);
#pragma unroll
    for (int v = 0; v < VEC; ++v) use(value.at[v]);
  }
#pragma unroll 1
  for (int i = whole.end + thread; i < N; i += BLOCK) use(x[i]);
}

// Writes of(element) to y for this thread's elements of the row.
template <class Of>
__device__ void map(const float* x, float* y, int N, Whole whole, Of of) {
  const int thread = threadIdx.x;
  if (thread < whole.begin) y[thread] = of(x[thread]);
  for (int i = whole.begin + thread * VEC; i < whole.end; i += BLOCK * VEC) {
    Vector<VEC> value = load_vector<VEC>(x + i);
#pragma unroll
    for (int v = 0; v < VEC; ++v) value.at[v] = of(value.at[v]);
    store_vector<VEC>(y + i, value);
  }
#pragma unroll 1
  for (int i = whole.end + thread; i < N; i += BLOCK) y[i] = of(x[i]);
}

__device__ void softmax_row(const float* x, float* y, int N) {
  const Whole whole = whole_vectors(x, y, N);
  float most = kLowest, sum = 0;
#if TUNE_FORM_IS_shared
  // Each thread reads back only what it wrote itself, so that no barrier is needed. A row lies
  // there as it does in global memory, up to VEC - 1 elements beyond a boundary.
  extern __shared__ float4 rows[];
  float* kept = reinterpret_cast<float*>(rows) + size_t(threadIdx.y) * ((N + VEC - 1 + 3) / 4 * 4) +
                beyond_boundary(x);
  map(x, kept, N, whole, [&](float value) {
    most = fmaxf(most, value);
    return value;
  });
  most = over_row(most, Largest());
  map(kept, kept, N, whole, [&](float value) {
    value = expf(value - most);
    sum += value;
    return value;
  });
  const float scale = 1 / over_row(sum, Sum());
  map(kept, y, N, whole, [&](float value) { return value * scale; });
#else
#if TUNE_FORM_IS_online
  for_each(x, N, whole, [&](float value) {
    const float before = most;
    most = fmaxf(most, value);
    if (most > before) sum *= expf(before - most);
    sum += expf(value - most);
  });
  const float mine = most;
  most = over_row(mine, Largest());
  sum *= expf(mine - most);
#else
  for_each(x, N, whole, [&](float value) { most = fmaxf(most, value); });
  most = over_row(most, Largest());
  for_each(x, N, whole, [&](float value) { sum += expf(value - most); });
#endif
  const float scale = 1 / over_row(sum, Sum());
  map(x, y, N, whole, [&](float value) { return expf(value - most) * scale; });
#endif
}
