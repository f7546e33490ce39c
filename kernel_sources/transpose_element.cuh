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

// Which accesses are marked as of data that is used once, so that it does not drive other data out
// of the caches. (Loads that overlap other blocks' are better left alone.)
constexpr bool kStreamLoads = TUNE_STREAM_IS_loads || TUNE_STREAM_IS_both;
constexpr bool kStreamStores = TUNE_STREAM_IS_stores || TUNE_STREAM_IS_both;

// How much a load of 16 bytes that misses brings into the L2 cache; 0 leaves it to the hardware.
// Where rows are not aligned to that cache's lines of 128 bytes, tiles end within lines: the first
// block that comes can fetch the rest for its neighbour.
constexpr int FETCH = TUNE_FETCH;

static_assert(FETCH == 0 || FETCH == 128, "0, or a line of the L2 cache");

// COUNT neighbouring elements, accessed at once.
template <int COUNT>
struct alignas(BYTES* COUNT) Vector {
  Element at[COUNT];
};

template <int COUNT>
__device__ __forceinline__ Vector<COUNT> load_vector(const Element* from) {
#ifndef TUNER_CPU
  if constexpr (kStreamLoads) {
    using Type = typename Bits<BYTES * COUNT>::Type;
    const Type value = __ldcs(reinterpret_cast<const Type*>(from));
    return *reinterpret_cast<const Vector<COUNT>*>(&value);
  }
  if constexpr (FETCH == 128 && BYTES * COUNT == 16) {
    uint4 value;
    asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
        : "l"(from));
    return *reinterpret_cast<const Vector<COUNT>*>(&value);
  }
#endif
  return *reinterpret_cast<const Vector<COUNT>*>(from);
}

template <int COUNT>
__device__ __forceinline__ void store_vector(Element* to, const Vector<COUNT>& value) {
#ifndef TUNER_CPU
  // A plain assignment may become one store for each element, and each of them a write of its own
  // in the L2 cache. Cache operators keep the vector whole.
  using Type = typename Bits<BYTES * COUNT>::Type;
  const Type bits = *reinterpret_cast<const Type*>(&value);
  if constexpr (kStreamStores) {
    __stcs(reinterpret_cast<Type*>(to), bits);
  } else {
    __stcg(reinterpret_cast<Type*>(to), bits);
  }
#else
  *reinterpret_cast<Vector<COUNT>*>(to) = value;
#endif
}

// Brings the line of the L2 cache that holds an element there, without waiting for it.
__device__ __forceinline__ void fetch_line(const Element* of) {
#ifndef TUNER_CPU
  asm volatile("prefetch.global.L2 [%0];" ::"l"(of));
#endif
}
