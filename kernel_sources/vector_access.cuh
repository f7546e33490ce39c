#pragma once
// Reads and writes of VEC neighbouring floats as one access.

template <int VEC>
struct alignas(4 * VEC) Vector {
  float at[VEC];
};

template <int VEC>
__device__ __forceinline__ Vector<VEC> load_vector(const float* from) {
  return *reinterpret_cast<const Vector<VEC>*>(from);
}

template <int VEC>
__device__ __forceinline__ void store_vector(float* to, const Vector<VEC>& value) {
  *reinterpret_cast<Vector<VEC>*>(to) = value;
}

// The same within a row of `length` elements: those beyond its end read as zero and are not
// written. `aligned` says whether whole vectors may be accessed at once.
template <int VEC>
__device__ __forceinline__ Vector<VEC> load_part(const float* row, int col, int length,
                                                 bool aligned) {
  if (aligned && col + VEC <= length) return load_vector<VEC>(row + col);
  Vector<VEC> value;
#pragma unroll
  for (int v = 0; v < VEC; ++v) value.at[v] = col + v < length ? row[col + v] : 0.0f;
  return value;
}

template <int VEC>
__device__ __forceinline__ void store_part(float* row, int col, int length, bool aligned,
                                           const Vector<VEC>& value) {
  if (aligned && col + VEC <= length) return store_vector<VEC>(row + col, value);
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    if (col + v < length) row[col + v] = value.at[v];
  }
}
