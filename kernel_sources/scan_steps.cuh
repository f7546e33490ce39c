#pragma once
// The textbook's forms: three kernels, so that each element is read and written twice. Each block scans
// its elements and notes what they come to; one block scans those notes; then each block adds what lies
// before it. The two forms differ in how a block scans.
//
//   hillis_steele  every element takes in the one 1, 2, 4, ... places before it: log2(n) steps of
//                  n additions (Hillis and Steele, 1986)
//   blelloch       a tree adds up in pairs, and hands down what lies before each: 2 log2(n) steps of
//                  n / 2, n / 4, ... additions (Blelloch, 1990)

#include "scan_operation.cuh"

// Over a block of BLOCK threads with one element each: what it and those before it come to.
template <int BLOCK>
__device__ Element hillis_steele(Element value) {
  __shared__ Element memory[2][BLOCK];
  const int i = threadIdx.x;
  int from = 0;
  __syncthreads();  // the last use is over
  memory[from][i] = value;
  __syncthreads();
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    const Element* old = memory[from];
    memory[1 - from][i] = i < distance ? old[i] : combine(old[i - distance], old[i]);
    from = 1 - from;
    __syncthreads();
  }
  return memory[from][i];
}

// Over BLOCK elements in shared memory, by half as many threads: what lies before each takes its
// place. Returns what all come to. With PAD, neighbours of the tree lie in different banks.
template <int BLOCK, bool PAD>
struct BlellochTree {
  static constexpr int kPlaces = PAD ? BLOCK + BLOCK / 32 : BLOCK;
  Element* memory;

  __device__ Element& at(int i) const { return memory[PAD ? i + i / 32 : i]; }

  __device__ Element scan() const {
    const int pair = threadIdx.x;
    for (int width = 1; width < BLOCK; width *= 2) {  // up: the right of each pair has both
      __syncthreads();
      const int right = 2 * width * (pair + 1) - 1;
      if (right < BLOCK) at(right) = combine(at(right - width), at(right));
    }
    __syncthreads();
    const Element all = at(BLOCK - 1);
    __syncthreads();
    if (pair == 0) at(BLOCK - 1) = nothing();
    for (int width = BLOCK / 2; width > 0; width /= 2) {  // down: left gets what lies before both
      __syncthreads();
      const int right = 2 * width * (pair + 1) - 1;
      if (right < BLOCK) {
        const Element left = at(right - width);
        at(right - width) = at(right);
        at(right) = combine(at(right), left);
      }
    }
    __syncthreads();
    return all;
  }
};

// The first kernel. Each thread has one element.
template <int BLOCK>
__device__ void scan_by_hillis_steele(const Element* x, Element* y, Element* sums, long long N) {
  const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
  const Element value = i < N ? x[i] : nothing();
  const Element scanned = hillis_steele<BLOCK>(value);
  if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = scanned;
  if constexpr (kExclusive) {
    // One place on; the block's first element is left to scan_add, which knows what lies before it.
    if (i + 1 < N && threadIdx.x < BLOCK - 1) y[i + 1] = scanned;
    if (threadIdx.x == 0 && i < N) y[i] = nothing();
  } else {
    if (i < N) y[i] = scanned;
  }
}

// The first kernel. Each thread has two elements.
template <int BLOCK, bool PAD>
__device__ void scan_by_blelloch(const Element* x, Element* y, Element* sums, long long N) {
  using Tree = BlellochTree<2 * BLOCK, PAD>;
  __shared__ Element memory[Tree::kPlaces];
  const Tree tree{memory};
  Element value[2];
  for (int k = 0; k < 2; ++k) {
    const int place = k * BLOCK + threadIdx.x;
    const long long i = (long long)blockIdx.x * 2 * BLOCK + place;
    value[k] = i < N ? x[i] : nothing();
    tree.at(place) = value[k];
  }
  const Element all = tree.scan();
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
  for (int k = 0; k < 2; ++k) {
    const int place = k * BLOCK + threadIdx.x;
    const long long i = (long long)blockIdx.x * 2 * BLOCK + place;
    if (i < N) y[i] = kExclusive ? tree.at(place) : combine(tree.at(place), value[k]);
  }
}

// The second kernel, of one block: what lies before each block takes the place of its sum.
template <int BLOCK>
__device__ void scan_notes(Element* sums, int count) {
  __shared__ Element carry;
  Element before = nothing();
  for (int first = 0; first < count; first += BLOCK) {
    const int i = first + threadIdx.x;
    const Element own = i < count ? sums[i] : nothing();
    const Element scanned = hillis_steele<BLOCK>(own);
    if (i + 1 < count && threadIdx.x < BLOCK - 1) sums[i + 1] = combine(before, scanned);
    if (threadIdx.x == 0) sums[i] = before;
    if (threadIdx.x == BLOCK - 1) carry = combine(before, scanned);
    __syncthreads();
    before = carry;
  }
}

// The third kernel.
template <int ELEMENTS>
__device__ void add_notes(Element* y, const Element* sums, long long N) {
  const Element before = sums[blockIdx.x];
  for (int k = threadIdx.x; k < ELEMENTS; k += blockDim.x) {
    const long long i = (long long)blockIdx.x * ELEMENTS + k;
    if (i < N) y[i] = combine(before, y[i]);
  }
}
