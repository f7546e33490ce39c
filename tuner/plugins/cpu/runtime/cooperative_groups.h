#pragma once
// The cooperative groups that the cpu backend understands: a block, tiles of at most a warp, and
// their reductions. A grid that waits for itself is refused: its blocks run one after the other.
#include "execution.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "the cpu backend has tiles of 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() = default;
  // Whoever it was made of, it is the same tile.
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) {}

  static unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  static void sync() { __syncwarp(mask()); }
  template <class T>
  static T shfl(T value, int lane) {
    return __shfl_sync(mask(), value, lane, Size);
  }
  template <class T>
  static T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class T>
  static T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class T>
  static T shfl_xor(T value, int lanes) {
    return __shfl_xor_sync(mask(), value, lanes, Size);
  }
  static int any(int predicate) { return __any_sync(mask(), predicate); }
  static int all(int predicate) { return __all_sync(mask(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first(); }

 private:
  static unsigned first() { return thread_block::thread_rank() % 32 / Size * Size; }
  // Lanes of the tile that the block has: its last warp may be a part of one.
  static unsigned mask() {
    const unsigned rank = thread_block::thread_rank();
    const unsigned there = thread_block::size() - rank / 32 * 32;
    const unsigned of_block = there >= 32 ? 0xffffffffu : (1u << there) - 1;
    const unsigned of_tile = Size == 32 ? 0xffffffffu : ((1u << Size) - 1) << first();
    return of_block & of_tile;
  }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

// A grid knows how large it is; it has no sync().
class grid_group {
 public:
  static unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 group_dim() { return gridDim; }
};
inline grid_group this_grid() { return {}; }

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
inline auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) {
  return group.size();
}

#define TUNER_CPU_OPERATION(name, result)                         \
  template <class T = void>                                       \
  struct name {                                                   \
    T operator()(const T& a, const T& b) const { return result; } \
  };
TUNER_CPU_OPERATION(plus, a + b)
TUNER_CPU_OPERATION(less, b < a ? b : a)
TUNER_CPU_OPERATION(greater, a < b ? b : a)
TUNER_CPU_OPERATION(bit_and, a& b)
TUNER_CPU_OPERATION(bit_or, a | b)
TUNER_CPU_OPERATION(bit_xor, a ^ b)
#undef TUNER_CPU_OPERATION

// Every thread of the tile gets the result.
template <unsigned Size, class Parent, class T, class Operation>
inline T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) {
    value = operation(value, tile.shfl_xor(value, (int)lanes));
  }
  return value;
}

}  // namespace cooperative_groups
