#pragma once
// The elements, which are moved as they are: all that matters is how many bytes they have. A study
// whose elements have not 4 says so with the parameter BYTES.

#ifdef TUNE_BYTES
constexpr int BYTES = TUNE_BYTES;
#else
constexpr int BYTES = 4;
#endif

// So many bytes as one value, of a type that the compiler's cache operators know.
template <int SIZE>
struct Bits;
template <>
struct Bits<2> {
  using Type = unsigned short;
};
template <>
struct Bits<4> {
  using Type = unsigned;
};
template <>
struct Bits<8> {
  using Type = uint2;
};
template <>
struct Bits<16> {
  using Type = uint4;
};

using Element = typename Bits<BYTES>::Type;

// COUNT neighbouring elements, accessed at once. STREAM marks data that is used once, so that it
// does not drive other data out of the caches.
template <int COUNT>
struct alignas(BYTES* COUNT) Vector {
  Element at[COUNT];
};

template <int COUNT, bool STREAM>
__device__ __forceinline__ Vector<COUNT> load_vector(const Element* from) {
#ifndef TUNER_CPU
  if constexpr (STREAM) {
    using Type = typename Bits<BYTES * COUNT>::Type;
    const Type value = __ldcs(reinterpret_cast<const Type*>(from));
    return *reinterpret_cast<const Vector<COUNT>*>(&value);
  }
#endif
  return *reinterpret_cast<const Vector<COUNT>*>(from);
}

template <int COUNT, bool STREAM>
__device__ __forceinline__ void store_vector(Element* to, const Vector<COUNT>& value) {
#ifndef TUNER_CPU
  if constexpr (STREAM) {
    using Type = typename Bits<BYTES * COUNT>::Type;
    __stcs(reinterpret_cast<Type*>(to), *reinterpret_cast<const Type*>(&value));
    return;
  }
#endif
  *reinterpret_cast<Vector<COUNT>*>(to) = value;
}
