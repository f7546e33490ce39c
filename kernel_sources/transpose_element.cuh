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

// How many bytes a load that misses brings into the L2 cache; 0 leaves it to the hardware. Where
// rows are not aligned, tiles end within the 256 bytes that memory is best read by: the first block
// that comes fetches the rest for its neighbour.
constexpr int FETCH = TUNE_FETCH;

static_assert(FETCH == 0 || FETCH == 256, "0, or as many as memory is best read by");

#ifndef TUNER_CPU
#if __CUDA_ARCH__ >= 800
#define FETCHING "ld.global.nc.L2::256B"
#else
#define FETCHING "ld.global.nc.L2::128B"  // the most that is known there
#endif

__device__ __forceinline__ void load_fetching(unsigned short& value, const void* from) {
  asm(FETCHING ".u16 %0, [%1];" : "=h"(value) : "l"(from));
}

__device__ __forceinline__ void load_fetching(unsigned& value, const void* from) {
  asm(FETCHING ".u32 %0, [%1];" : "=r"(value) : "l"(from));
}

__device__ __forceinline__ void load_fetching(uint2& value, const void* from) {
  asm(FETCHING ".v2.u32 {%0, %1}, [%2];"
      : "=r"(value.x), "=r"(value.y)
      : "l"(from));
}

__device__ __forceinline__ void load_fetching(uint4& value, const void* from) {
  asm(FETCHING ".v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(from));
}
#endif

// COUNT neighbouring elements, accessed at once.
template <int COUNT>
struct alignas(BYTES* COUNT) Vector {
  Element at[COUNT];
};

template <int COUNT>
__device__ __forceinline__ Vector<COUNT> load_vector(const Element* from) {
#ifndef TUNER_CPU
  using Type = typename Bits<BYTES * COUNT>::Type;
  if constexpr (kStreamLoads) {
    const Type value = __ldcs(reinterpret_cast<const Type*>(from));
    return *reinterpret_cast<const Vector<COUNT>*>(&value);
  }
  if constexpr (FETCH > 0) {
    Type value;
    load_fetching(value, from);
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
