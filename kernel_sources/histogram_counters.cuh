#pragma once
// Where samples are counted, and how the counts of all blocks meet: GlobalCounters, SharedCounters (of one
// block, in one or more copies) and ClusterCounters (of blocks that see each other's shared memory).
//
// PLACE says where COPIES copies lie, and which of them a thread takes (4 copies of 8 bins, PAD 1):
//   warp    one behind the other; the copy of its warp: warps no longer wait for each other
//   apart   one behind the other; the copy of its lane: lanes with the same bin no longer do
//   beside  copies of a bin side by side; the copy of its lane. With 32 copies each lane has a bank of its own
//
//   warp, apart:  0 1 2 3 4 5 6 7 . 0 1 2 3 4 5 6 7 . ...     beside:  0 0 0 0 1 1 1 1 2 2 2 2 ...
//
// Without the pad the same bin of all copies lies in one bank, where lanes wait for each other again.

#include "elements.cuh"

using Word = unsigned;
using Pair = unsigned long long;

// What a block keeps of the bins: all, or where PARTS share them, every PARTS-th pair. Pairs, so that
// two counts are added up in global memory at once; every n-th, so that frequent neighbours are shared.
template <int PARTS>
struct Split {
  __device__ static int owner(unsigned bin) { return bin / 2 % PARTS; }
  __device__ static unsigned slot(unsigned bin) { return bin / 2 / PARTS * 2 + bin % 2; }
  __device__ static int pair(int own_pair, int owner) { return own_pair * PARTS + owner; }
};

// Adds two neighbouring counts: N is below 2^32, so that the lower one never overflows into the other.
__device__ inline void add_pair(Word* totals, int pair, Word low, Word high) {
  const Pair both = Pair(high) << 32 | low;
  if (both != 0) atomicAdd(reinterpret_cast<Pair*>(totals) + pair, both);
}

template <class Shape>
struct GlobalCounters {
  static constexpr int kWords = 0;
  static constexpr bool kInSteps = false;
  Word* totals;

  __device__ GlobalCounters(Word*, Word* totals) : totals(totals) {}
  __device__ void add(int bin, Word count) {
    if (bin >= 0) atomicAdd(totals + bin, count);
  }
  __device__ void hand_over(int) {}
};

// A counter is a word, or half a word (COUNTER 16). Who takes such a half to 2^15 or beyond carries 2^15 of it
// to global memory. Until then the others add less than 2^15, since a barrier ends each step: it cannot overflow.
template <class Shape>
struct SharedCounters {
  static constexpr bool kInSteps = Shape::kCounter == 16, kBeside = Shape::kBeside;
  static constexpr int kSlots = Shape::kCapacity / Shape::kParts;
  static constexpr int kRow = kInSteps ? kSlots / 2 : kSlots;  // words of a copy
  static constexpr int kStride = kRow + Shape::kPad;
  static constexpr int kUnread = (Shape::kCopies * kStride + 3) / 4 * 4;
  static constexpr int kWords = kUnread + 32;
  using Bins = Split<Shape::kParts>;
  static_assert(!kInSteps || Shape::kThreads * Shape::kUnroll * Shape::kVector < 1 << 15);

  Word *words, *mine, *unread, *totals;
  int part;

  __device__ SharedCounters(Word* memory, Word* totals) : words(memory), totals(totals) {
    for (int i = threadIdx.x; i < kUnread; i += Shape::kThreads) words[i] = 0;
    const int copy = (Shape::kByWarp ? threadIdx.x / 32 : threadIdx.x) % Shape::kCopies;
    mine = words + place(0, copy);
    unread = words + kUnread + threadIdx.x % 32;
    part = blockIdx.x % Shape::kParts;
    __syncthreads();
  }

  __device__ static unsigned place(unsigned word, unsigned copy) {
    return kBeside ? word * Shape::kCopies + copy : copy * kStride + word;
  }

  __device__ bool keeps(int bin) const {
    return bin >= 0 && (Shape::kParts == 1 || Bins::owner(bin) == part);
  }

  __device__ static unsigned shift_of(int bin) { return Bins::slot(bin) / kRow % 2 * 16; }

  // What is not counted goes to a word of the lane that nobody reads: cheaper than a branch for each sample.
  __device__ Word* word_of(int bin) const {
    return keeps(bin) ? mine + place(kInSteps ? Bins::slot(bin) % kRow : Bins::slot(bin), 0) : unread;
  }

  __device__ void add(int bin, Word count) {
    if constexpr (kInSteps) {
      carry(bin, count, begin(bin, count));
    } else {
      atomicAdd(word_of(bin), count);
    }
  }

  // An addition to half a word, and what it may need afterwards: several may be under way between the two.
  __device__ Word begin(int bin, Word count) {
    return atomicAdd(word_of(bin), count << shift_of(bin));
  }
  __device__ void carry(int bin, Word count, Word word) {
    const Word before = word >> shift_of(bin) & 0xFFFF;
    if (((before + count) & ~before & 0x8000) == 0 || !keeps(bin)) return;
    atomicAdd(word_of(bin), 0u - (0x8000u << shift_of(bin)));
    atomicAdd(totals + bin, 0x8000u);
  }

  __device__ Word count_of(unsigned slot) const {
    Word sum = 0;
#pragma unroll 4
    for (int c = 0; c < Shape::kCopies; ++c) {
      const int copy = kBeside ? (c + threadIdx.x) % Shape::kCopies : c;  // lanes: other banks
      const Word word = words[place(slot % kRow, copy)];
      sum += kInSteps ? word >> slot / kRow * 16 & 0xFFFF : word;
    }
    return sum;
  }

  __device__ void hand_over(int bins) {
    __syncthreads();
    for (int own = threadIdx.x; own < kSlots / 2; own += Shape::kThreads) {
      const int pair = Bins::pair(own, part);
      if (2 * pair < bins) add_pair(totals, pair, count_of(2 * own), count_of(2 * own + 1));
    }
  }
};

#if TUNE_FORM_IS_cluster
#include "cluster.cuh"

// Adds to the same place of another block's shared memory (or of this one's).
__device__ __forceinline__ void add_in_block(Word* place, int block_in_cluster, Word count) {
  const unsigned here = unsigned(__cvta_generic_to_shared(place));
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
      "  red.relaxed.cluster.shared::cluster.add.u32 [there], %2; }" ::"r"(here),
      "r"(block_in_cluster), "r"(count)
      : "memory");
}

// Each block of the cluster keeps its part of the bins, and counts for all of them.
template <class Shape>
struct ClusterCounters {
  static constexpr bool kInSteps = false;
  static constexpr int kWords = Shape::kCapacity / Shape::kParts;
  using Bins = Split<Shape::kParts>;
  Word *words, *totals;

  __device__ ClusterCounters(Word* memory, Word* totals) : words(memory), totals(totals) {
    for (int i = threadIdx.x; i < kWords; i += Shape::kThreads) words[i] = 0;
    sync_cluster();
  }

  __device__ void add(int bin, Word count) {
    if (bin >= 0) add_in_block(words + Bins::slot(bin), Bins::owner(bin), count);
  }

  __device__ void hand_over(int bins) {
    sync_cluster();
    for (int own = threadIdx.x; own < kWords / 2; own += Shape::kThreads) {
      const int pair = Bins::pair(own, block_in_cluster());
      if (2 * pair < bins) add_pair(totals, pair, words[2 * own], words[2 * own + 1]);
    }
  }
};
#endif
