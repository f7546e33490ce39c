#pragma once
// The elements, which are moved as they are: all that matters is how many bytes they have. Neighbours are
// accessed at once, up to 16 bytes (elements.cuh); how a load treats the caches is the tile's choice.

#include "elements.cuh"

// So many bytes as one value.
template <int BYTES>
struct ElementOf;
template <>
struct ElementOf<2> {
  using Type = unsigned short;
};
template <>
struct ElementOf<4> {
  using Type = unsigned;
};
template <>
struct ElementOf<8> {
  using Type = uint2;
};

// Loads that bring 256 bytes into the L2 cache where they miss. Where rows are not aligned, tiles end within
// the 256 bytes that memory is best read by: the first block that comes fetches the rest for its neighbour.
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
  asm(FETCHING ".v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(from));
}

__device__ __forceinline__ void load_fetching(uint4& value, const void* from) {
  asm(FETCHING ".v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(from));
}
#endif

// COUNT neighbours of a matrix, by the tile's rules.
template <class Tile, int COUNT, class Element>
__device__ __forceinline__ Elements<Element, COUNT> load_part_of(const Element* from) {
#ifndef TUNER_CPU
  if constexpr (Tile::kFetch > 0 && !Tile::kLoadOnce) {
    typename WordOf<Element, sizeof(Element) * COUNT>::Type word;
    load_fetching(word, from);
    return *reinterpret_cast<const Elements<Element, COUNT>*>(&word);
  }
#endif
  return load_elements<COUNT, Tile::kLoadOnce>(from);
}

// Brings the line of the L2 cache that holds an element there, without waiting for it.
__device__ __forceinline__ void fetch_line(const void* of) {
#ifndef TUNER_CPU
  asm volatile("prefetch.global.L2 [%0];" ::"l"(of));
#endif
}
