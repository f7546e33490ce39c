#pragma once
// Cooperative groups: a block, tiles of a warp, the threads that came together, a grid that may
// wait for itself when it is launched so, and their collective functions.
#include "execution.h"

namespace cooperative_groups {
namespace details {

// Of a value of any size, 8 bytes at a time.
template <class T, class Move>
inline T moved(const T& value, Move move) {
  unsigned long long words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (auto& word : words) word = move(word);
  T out;
  __builtin_memcpy(&out, words, sizeof(T));
  return out;
}
inline unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
// Lanes of the warp that the block has: its last warp may be a part of one.
inline unsigned warp_mask() {
  const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned there = block_threads() - rank / 32 * 32;
  return there >= 32 ? 0xffffffffu : (1u << there) - 1;
}

}  // namespace details

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned size() { return details::block_threads(); }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }
// Room in shared memory for tiles of more than a warp; not needed here.
template <unsigned Threads = 1024>
struct block_tile_memory {};
template <unsigned Threads>
inline thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}

// Lanes of one warp.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned part = 0, unsigned parts = 1)
      : mask_(mask), part_(part), parts_(parts) {}

  void sync() const { __syncwarp(mask_); }
  unsigned size() const { return (unsigned)__builtin_popcount(mask_); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return (unsigned)__builtin_popcount(mask_ & ((1u << details::lane()) - 1));
  }
  unsigned meta_group_rank() const { return part_; }
  unsigned meta_group_size() const { return parts_; }
  template <class T>
  T shfl(const T& value, unsigned rank) const {
    const unsigned from = lane_of(rank);
    return details::moved(value, [&](auto word) { return __shfl_sync(mask_, word, (int)from); });
  }
  template <class T>
  T shfl_up(const T& value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank < delta ? rank : rank - delta);
  }
  template <class T>
  T shfl_down(const T& value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank);
  }
  template <class T>
  T shfl_xor(const T& value, unsigned lanes) const {
    return shfl(value, thread_rank() ^ lanes);
  }
  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  unsigned match_all(T value, int& predicate) const {
    predicate = __match_any_sync(mask_, value) == mask_;
    return predicate ? packed(mask_) : 0;
  }
  unsigned mask() const { return mask_; }

 private:
  unsigned lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return rest == 0 ? details::lane() : (unsigned)__builtin_ctz(rest);
  }
  // The lanes of the group, side by side.
  unsigned packed(unsigned lanes) const {
    unsigned out = 0, bit = 1;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, bit <<= 1) {
      if (lanes & rest & (0 - rest)) out |= bit;
    }
    return out;
  }

  unsigned mask_, part_, parts_;
};
__attribute__((always_inline)) inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

// A block, or a part of a warp, of a size that is known when it runs.
class thread_group {
 public:
  thread_group(const thread_block&) : lanes_(0u), is_block_(true) {}
  thread_group(const coalesced_group& lanes) : lanes_(lanes), is_block_(false) {}
  void sync() const { is_block_ ? thread_block::sync() : lanes_.sync(); }
  unsigned size() const { return is_block_ ? thread_block::size() : lanes_.size(); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank();
  }

 private:
  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
  coalesced_group lanes_;
  bool is_block_;
};

namespace details {

// Part of the lanes in which the calling one is: `size` neighbours.
inline coalesced_group part_of(const coalesced_group& lanes, unsigned size) {
  const unsigned mine = lanes.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = lanes.mask(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == mine) mask |= rest & (0 - rest);
  }
  return coalesced_group(mask, mine, (lanes.size() + size - 1) / size);
}

}  // namespace details

template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, ... 1024 threads");

 public:
  thread_block_tile() = default;
  // Whoever it was made of, it is the same tile.
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) {}
  operator thread_group() const { return coalesced_group(mask()); }

  static unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  static void sync() {
    if (Size <= 32) return __syncwarp(mask());
    if (thread_block::size() <= Size) return __syncthreads();
    tuner_cpu_fault("the cpu backend has no tiles of several warps in a larger block", 0, 0);
  }
  template <class T>
  static T shfl(const T& value, int lane) {
    return details::moved(value, [&](auto w) { return __shfl_sync(mask(), w, lane, Size); });
  }
  template <class T>
  static T shfl_up(const T& value, unsigned delta) {
    return details::moved(value, [&](auto w) { return __shfl_up_sync(mask(), w, delta, Size); });
  }
  template <class T>
  static T shfl_down(const T& value, unsigned delta) {
    return details::moved(value, [&](auto w) { return __shfl_down_sync(mask(), w, delta, Size); });
  }
  template <class T>
  static T shfl_xor(const T& value, unsigned lanes) {
    return details::moved(value,
                          [&](auto w) { return __shfl_xor_sync(mask(), w, (int)lanes, Size); });
  }
  static int any(int predicate) { return __any_sync(mask(), predicate); }
  static int all(int predicate) { return __all_sync(mask(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first(); }
  template <class T>
  static unsigned match_any(T value) {
    return __match_any_sync(mask(), value) >> first();
  }
  template <class T>
  static unsigned match_all(T value, int& predicate) {
    predicate = __match_any_sync(mask(), value) == mask();
    return predicate ? mask() >> first() : 0;
  }
  static unsigned mask() {
    static_assert(Size <= 32, "the cpu backend has no such function of a tile of several warps");
    const unsigned of_tile = Size >= 32 ? 0xffffffffu : ((1u << Size % 32) - 1) << first();
    return details::warp_mask() & of_tile;
  }

 private:
  static unsigned first() { return details::lane() / Size * Size; }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (!parent.is_block_) return details::part_of(parent.lanes_, size);
  return details::part_of(coalesced_group(details::warp_mask()), size);
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  return details::part_of(parent, size);
}
// The threads of a group that have the same label, or the same answer.
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <class Group>
inline coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, (int)predicate);
}

// It can wait for all its blocks only in a cooperative launch.
class grid_group {
 public:
  static void sync() {
    __syncthreads();
    if (thread_block::thread_rank() == 0)
      tuner_cpu_services->wait_for_grid(tuner_cpu_services->self);
    __syncthreads();
  }
  static bool is_valid() { return tuner_cpu_services->is_cooperative; }
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
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx); }
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

// ---- collective functions -----------------------------------------------------------------------

#define TUNER_CPU_OPERATION(name, result)                         \
  template <class T = void>                                       \
  struct name {                                                   \
    T operator()(const T& a, const T& b) const { return result; } \
  };                                                              \
  template <>                                                     \
  struct name<void> {                                             \
    template <class T>                                            \
    T operator()(const T& a, const T& b) const {                  \
      return result;                                              \
    }                                                             \
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
    value = operation(value, tile.shfl_xor(value, lanes));
  }
  return value;
}
template <class T, class Operation>
inline T reduce(const coalesced_group& group, const T& value, Operation operation) {
  T all = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    all = operation(all, group.shfl(value, rank));
  }
  return all;
}
template <class Group, class T, class Operation>
inline T inclusive_scan(const Group& group, T value, Operation operation) {
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T before = group.shfl_up(value, delta);
    if (group.thread_rank() >= delta) value = operation(before, value);
  }
  return value;
}
template <class Group, class T, class Operation>
inline T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T>
inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

// Copies are made at once, so that there is nothing to wait for but the group's other threads.
template <class Group>
inline void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes; i += group.size()) {
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  }
}
template <class Group>
inline void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
inline void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
