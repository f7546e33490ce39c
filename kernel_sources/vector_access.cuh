#pragma once
// Reads and writes of VEC neighbouring floats as one access. STREAM marks data that is read once,
// so that it does not drive other data out of the caches.

template <int VEC>
struct alignas(4 * VEC) Vector {
  float at[VEC];
};

#ifndef TUNER_CPU
template <int VEC>
struct Builtin;  // the vector type that the compiler's cache operators know
template <>
struct Builtin<1> {
  using Type = float;
};
template <>
struct Builtin<2> {
  using Type = float2;
};
template <>
struct Builtin<4> {
  using Type = float4;
};
#endif

template <int VEC, bool STREAM = false>
__device__ __forceinline__ Vector<VEC> load_vector(const float* from) {
#ifndef TUNER_CPU
  if constexpr (STREAM) {
    using Type = typename Builtin<VEC>::Type;
    const Type value = __ldcs(reinterpret_cast<const Type*>(from));
    return *reinterpret_cast<const Vector<VEC>*>(&value);
  }
#endif
  return *reinterpret_cast<const Vector<VEC>*>(from);
}

template <int VEC>
__device__ __forceinline__ void store_vector(float* to, const Vector<VEC>& value) {
  *reinterpret_cast<Vector<VEC>*>(to) = value;
}

// To global memory only. A plain assignment may become one store for each float there, each a write
// of its own in the L2 cache; cache operators keep the vector whole.
template <int VEC>
__device__ __forceinline__ void store_global(float* to, const Vector<VEC>& value) {
#ifndef TUNER_CPU
  using Type = typename Builtin<VEC>::Type;
  __stcg(reinterpret_cast<Type*>(to), *reinterpret_cast<const Type*>(&value));
#else
  store_vector<VEC>(to, value);
#endif
}
