#pragma once
// The elements of a warp in registers: COUNT vectors of VEC elements a lane. Neighbouring lanes have
// neighbouring vectors, so that each access of the warp is one stretch of memory.
//
//   vector 0: lane 0 | lane 1 | ... | lane 31     vector 1: lane 0 | lane 1 | ...

#include "elements.cuh"
#include "scan_operation.cuh"

template <int COUNT, int VEC>
struct WarpShare {
  static constexpr int kElements = 32 * COUNT * VEC;
  Elements<Element, VEC> at[COUNT];
  Element before[COUNT];  // in the warp, before each vector of this lane

  __device__ static int place(int i) { return (i * 32 + int(threadIdx.x % 32)) * VEC; }

  // From the warp's first element on, of which `left` are there.
  template <bool ONCE>
  __device__ __forceinline__ void load(const Element* from, long long left) {
    if (left >= kElements) {
#pragma unroll
      for (int i = 0; i < COUNT; ++i) at[i] = load_elements<VEC, ONCE>(from + place(i));
    } else {
#pragma unroll
      for (int i = 0; i < COUNT; ++i) {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          at[i].at[v] = place(i) + v < left ? from[place(i) + v] : nothing();
        }
      }
    }
  }

  // What all elements of the warp come to, in all lanes.
  __device__ __forceinline__ Element total() const {
    Element mine = nothing();
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
#pragma unroll
      for (int v = 0; v < VEC; ++v) mine = combine(mine, at[i].at[v]);
    }
    return combine_lanes(mine);
  }

  // Each vector by itself, then over the lanes, then from vector to vector. Returns what all come to.
  __device__ __forceinline__ Element scan() {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
#pragma unroll
      for (int v = 1; v < VEC; ++v) at[i].at[v] = combine(at[i].at[v - 1], at[i].at[v]);
      before[i] = scan_lanes(at[i].at[VEC - 1]);
    }
    Element all = nothing();
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const Element up_to_last = __shfl_sync(kWholeWarp, before[i], 31);
      const Element up_to_previous = __shfl_up_sync(kWholeWarp, before[i], 1);
      before[i] = threadIdx.x % 32 == 0 ? all : combine(all, up_to_previous);
      all = combine(all, up_to_last);
    }
    return all;
  }

  // After scan(): the result of the i-th vector, where `earlier` lies before the warp.
  __device__ __forceinline__ Elements<Element, VEC> result(int i, Element earlier) const {
    const Element start = combine(earlier, before[i]);
    Elements<Element, VEC> y;
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
      if constexpr (kExclusive) {
        y.at[v] = v == 0 ? start : combine(start, at[i].at[v - 1]);
      } else {
        y.at[v] = combine(start, at[i].at[v]);
      }
    }
    return y;
  }

  template <bool ONCE>
  __device__ __forceinline__ void store(Element* to, long long left, Element earlier) const {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const Elements<Element, VEC> y = result(i, earlier);
      if (left >= kElements) {
        store_elements<ONCE>(to + place(i), y);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          if (place(i) + v < left) to[place(i) + v] = y.at[v];
        }
      }
    }
  }
};
