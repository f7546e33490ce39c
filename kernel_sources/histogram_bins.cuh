#pragma once
// Which bin a sample belongs to: EvenBins (all of one width), ByteBins (the sample is the number), or
// EdgeBins (edges given, ascending: bin i is from edge i on and below edge i + 1). Outside of all: -1.
//
// What each value of SEARCH changes, for edges:
//   global     halving: log2(BINS) reads of global memory, through the caches, each waiting for the last
//   shared     the same in a copy in shared memory
//   registers  the first five halvings have 31 edges, which the lanes of a warp keep: they are asked by
//              shuffles, which know no bank conflicts; the rest as in shared
//   guide      a table of even cells says which edges lie in the cell of a sample: one read, and a search
//              among these alone
//
//   guide:   cells   |     |     |     |     |        a cell's word: the first edge in it, and the first behind
//            edges   | |   |   |||     |     |

struct EvenBins {
  float lower, upper, scale;  // bins in a unit
  int last;

  // A sample just below the upper end may be rounded to it: it is in the last bin. NaN is in none.
  __device__ int of(float x) const {
    return x >= lower && x < upper ? min(int((x - lower) * scale), last) : -1;
  }
};

// There are 256.
struct ByteBins {
  __device__ int of(unsigned char x) const { return x; }
};

// CAPACITY is a power of two, BINS or more; edges from BINS on count as infinite.
template <class Shape>
struct EdgeBins {
  static constexpr int kCapacity = Shape::kCapacity;
  static constexpr bool kGuide = Shape::kGuide, kRegisters = Shape::kRegisters;
  static constexpr int kCells = kGuide ? kCapacity * Shape::kCells : 0;
  static constexpr int kWords = (Shape::kGlobal ? 0 : kCapacity) + kCells;

  const float* __restrict__ edges;  // in global or in shared memory
  const unsigned* guide;
  int bins;
  float lower, upper, scale;  // cells in a unit
  float node;                 // of this lane

  // All threads of a block, with kWords words of shared memory; a barrier follows before of().
  __device__ EdgeBins(const float* __restrict__ given, int bins, unsigned* memory)
      : edges(given), guide(memory + kCapacity), bins(bins), lower(given[0]), upper(given[bins]) {
    scale = float(kCells) / (upper - lower);
    if constexpr (!Shape::kGlobal) {
      float* copy = reinterpret_cast<float*>(memory);
      for (int i = threadIdx.x; i < kCapacity; i += Shape::kThreads) copy[i] = given_edge(given, i);
      edges = copy;
      __syncthreads();
    }
    if constexpr (kGuide) {
      for (int c = threadIdx.x; c < kCells; c += Shape::kThreads) {
        memory[kCapacity + c] = edges_before(c) | edges_before(c + 1) << 16;
      }
    }
    // Lane 0 is asked by nobody: the halvings begin at lane 1.
    const int lane = threadIdx.x % 32, level = 31 - __clz(lane | 1), half = kCapacity >> (level + 1);
    if constexpr (kRegisters) node = edges[lane > 0 ? (2 * (lane - (1 << level)) + 1) * half : 0];
  }

  __device__ float given_edge(const float* given, int i) const {
    return i < bins ? given[i] : __int_as_float(0x7F800000);
  }

  // Grows with x, whatever is rounded, so edges in earlier cells are below x. Where the ends are
  // infinite all have the same cell.
  __device__ int cell_of(float x) const {
    return int(fmaxf(fminf((x - lower) * scale, float(kCells - 1)), 0.0f));
  }

  __device__ unsigned edges_before(int cell) const {
    int before = 0;
    for (int half = kCapacity / 2; half > 0; half /= 2) {
      if (cell_of(edges[before + half]) < cell) before += half;
    }
    return before + 1;  // and the first one, which lies before all others
  }

  // All lanes of a warp together.
  __device__ int of(float x) const {
    int bin = 0, half = kCapacity / 2;
    if constexpr (kGuide) {
      const unsigned cell = guide[cell_of(x)];
      bin = int(cell & 0xFFFF) - 1;
      for (int behind = int(cell >> 16) - 1; bin < behind;) {
        const int middle = (bin + behind + 1) / 2;
        if (x >= edges[middle]) bin = middle;
        else behind = middle - 1;
      }
    } else {
      if constexpr (kRegisters) {
        unsigned at = 1;
#pragma unroll
        for (int level = 0; level < 5; ++level) {
          at = 2 * at + (x >= __shfl_sync(0xffffffffu, node, at));
        }
        half = kCapacity / 64;
        bin = (at - 32) * 2 * half;
      }
#pragma unroll
      for (; half > 0; half /= 2) {
        const float edge = Shape::kGlobal ? given_edge(edges, bin + half) : edges[bin + half];
        if (x >= edge) bin += half;
      }
    }
    return x >= lower && x < upper ? bin : -1;
  }
};
