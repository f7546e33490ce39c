#pragma once
// The block of the forms dot and registers: each warp reads and multiplies by itself, segment by
// segment, and all meet only to add up.

#include "thin_finish.cuh"

template <class Shape, class Warp>
__device__ __forceinline__ void multiply_by_warps(const ThinProduct& p) {
  extern __shared__ __align__(1024) unsigned char memory[];
  TileSums<Shape>& sums = *reinterpret_cast<TileSums<Shape>*>(memory);
  const Parts<Shape, Warp::kStep> parts(p);
  const int number = int(threadIdx.x) / 32;
  Warp warp(p, int(threadIdx.x) % 32, number % Shape::kWarpsN, number / Shape::kWarpsN);
  parts.for_each_segment([&](const Segment& segment) {
    warp.multiply_segment(segment);
    meet_multipliers<TileSums<Shape>::kThreads>();  // nobody reads the sums of the segment before
    warp.leave_sums(sums);
    finish_segment(sums, p, parts, segment, int(threadIdx.x));
  });
}
