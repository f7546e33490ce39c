// How many of the samples X[0], ..., X[N-1] lie in each of BINS bins: whole numbers, whatever the order.
// N is below 2^32.
//
// What each value of FORM changes:
//   global   every sample is one atomic addition to global memory
//   shared   a block counts in its shared memory, and adds its counts to global memory once, at the end.
//            COPIES of the counters, where lanes or warps would wait for each other (PLACE, PAD); halves of
//            words as counters, where bins are many (COUNTER); or PARTS blocks that each read all samples
//            of a stripe, and count a part of the bins
//   cluster  PARTS blocks that see each other's shared memory: each keeps a part of the bins, and each
//            counts its own samples wherever their bins are
//
// Which bin a sample belongs to is histogram_bins.cuh, how copies lie histogram_counters.cuh, how samples
// come in and what AGGREGATE changes histogram_samples.cuh.
//
// The blocks' counts meet in `totals`, which are zero before the launch: the last block to arrive
// publishes them and leaves zeros, so that no kernel has to prepare the result.

#include "chosen.cuh"
#include "histogram_bins.cuh"
#include "histogram_counters.cuh"
#include "histogram_samples.cuh"
#include "last_block.cuh"

struct Shape {
  static constexpr int kCapacity = TUNE_CAPACITY;  // power of two, BINS or more
  static constexpr int kThreads = TUNE_BLOCK;
  static constexpr int kUnroll = TUNE_UNROLL, kVector = TUNE_VEC;
  static constexpr bool kAhead = TUNE_AHEAD, kLoadOnce = TUNE_STREAM;
  static constexpr bool kByRuns = CHOSEN(TUNE_AGGREGATE_IS_runs);
  static constexpr bool kWarpWise = CHOSEN(TUNE_AGGREGATE_IS_warp);
  static constexpr bool kDynamic = CHOSEN(TUNE_SHARED_IS_dynamic);
  static constexpr int kCopies = TUNE_COPIES, kPad = TUNE_PAD;
  static constexpr bool kByWarp = CHOSEN(TUNE_PLACE_IS_warp);
  static constexpr bool kBeside = CHOSEN(TUNE_PLACE_IS_beside);
  static constexpr int kCounter = TUNE_COUNTER;
  static constexpr int kParts = TUNE_PARTS;
  static constexpr int kCells = TUNE_CELLS;  // for each bin
  static constexpr bool kGlobal = CHOSEN(TUNE_SEARCH_IS_global);
  static constexpr bool kGuide = CHOSEN(TUNE_SEARCH_IS_guide);
  static constexpr bool kRegisters = CHOSEN(TUNE_SEARCH_IS_registers);
  static_assert((kCapacity & (kCapacity - 1)) == 0 && kCapacity >= 64);
};

#if TUNE_BINNING_IS_bytes
using Sample = unsigned char;
using Binning = ByteBins;
constexpr int kBinWords = 0;
#elif TUNE_BINNING_IS_edges
using Sample = float;
using Binning = EdgeBins<Shape>;
constexpr int kBinWords = Binning::kWords;
#else
using Sample = float;
using Binning = EvenBins;
constexpr int kBinWords = 0;
#endif

#if TUNE_FORM_IS_global
using Counters = GlobalCounters<Shape>;
#elif TUNE_FORM_IS_cluster
using Counters = ClusterCounters<Shape>;
#else
using Counters = SharedCounters<Shape>;
#endif

__device__ __forceinline__ Word* shared_words() {
  if constexpr (Shape::kDynamic) {
    extern __shared__ uint4 dynamic_words[];
    return reinterpret_cast<Word*>(dynamic_words);
  } else {
    __shared__ uint4 static_words[(Counters::kWords + kBinWords + 3) / 4 + 1];
    return reinterpret_cast<Word*>(static_words);
  }
}

// By the last block: the result, and zeros for the next launch.
__device__ inline void publish(Word* totals, Word* __restrict__ result, int bins) {
  constexpr int kWords = 4;
#pragma unroll 4
  for (int i = threadIdx.x * kWords; i + kWords <= bins; i += Shape::kThreads * kWords) {
    uint4* from = reinterpret_cast<uint4*>(totals + i);
    *reinterpret_cast<uint4*>(result + i) = __ldcg(from);
    *from = uint4{0, 0, 0, 0};
  }
  const int rest = bins / kWords * kWords + threadIdx.x;
  if (rest >= bins) return;
  result[rest] = __ldcg(totals + rest);
  totals[rest] = 0;
}

__device__ inline void histogram_of(const Sample* __restrict__ X, Word* __restrict__ result,
                                    Word* totals, Word* arrivals, const Binning& binning,
                                    Word* words, int bins, long long N) {
  constexpr int kSharers = CHOSEN(TUNE_FORM_IS_cluster) ? 1 : Shape::kParts;
  Counters counters(words, totals);
  __syncthreads();
  const Samples<Shape, Sample, Binning, Counters> samples(X, N, blockIdx.x / kSharers,
                                                          gridDim.x / kSharers);
  samples.count_all(binning, counters);
  counters.hand_over(bins);
  if (block_completes(arrivals, 1, gridDim.x)) publish(totals, result, bins);
}

// Two plain kernels to compare with: zeros, and one atomic addition for each sample.
extern "C" __global__ void histogram_zeros(Word* result, int bins) {
  for (int i = threadIdx.x; i < bins; i += blockDim.x) result[i] = 0;
}

template <class BinOf>
__device__ void count_plainly(const Sample* X, Word* result, int bins, long long N, BinOf bin_of) {
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
    const int bin = bin_of(X[i]);
    if (bin >= 0 && bin < bins) atomicAdd(result + bin, 1);
  }
}

#if TUNE_BINNING_IS_bytes

extern "C" __global__ void __launch_bounds__(Shape::kThreads)
    histogram(const Sample* __restrict__ X, Word* __restrict__ result, Word* totals, Word* arrivals,
              int bins, long long N) {
  histogram_of(X, result, totals, arrivals, Binning{}, shared_words(), bins, N);
}

extern "C" __global__ void histogram_reference(const Sample* X, Word* result, int bins,
                                               long long N) {
  count_plainly(X, result, bins, N, [](Sample x) { return int(x); });
}

#elif TUNE_BINNING_IS_edges

// `edges` are bins + 1 numbers, none below the one before it.
extern "C" __global__ void __launch_bounds__(Shape::kThreads)
    histogram(const Sample* __restrict__ X, Word* __restrict__ result, Word* totals, Word* arrivals,
              int bins, long long N, const float* __restrict__ edges) {
  Word* words = shared_words();
  const Binning binning(edges, bins, words + Counters::kWords);
  histogram_of(X, result, totals, arrivals, binning, words, bins, N);
}

extern "C" __global__ void histogram_reference(const Sample* X, Word* result, int bins, long long N,
                                               const float* edges) {
  count_plainly(X, result, bins, N, [=](Sample x) {
    int before = 0;  // how many of the edges are not above x
    for (int above = bins + 1; before < above;) {
      const int middle = (before + above) / 2;
      if (edges[middle] <= x) before = middle + 1;
      else above = middle;
    }
    return before - 1;
  });
}

#else

// Sample x is in bin (x - lower) * (bins / (upper - lower)), rounded down, and in no later one than the last.
extern "C" __global__ void __launch_bounds__(Shape::kThreads)
    histogram(const Sample* __restrict__ X, Word* __restrict__ result, Word* totals, Word* arrivals,
              int bins, long long N, float lower, float upper) {
  const Binning binning{lower, upper, float(bins) / (upper - lower), bins - 1};
  histogram_of(X, result, totals, arrivals, binning, shared_words(), bins, N);
}

extern "C" __global__ void histogram_reference(const Sample* X, Word* result, int bins, long long N,
                                               float lower, float upper) {
  count_plainly(X, result, bins, N, [=](Sample x) {
    if (!(x >= lower && x < upper)) return -1;
    const int bin = int((x - lower) * (float(bins) / (upper - lower)));
    return bin < bins ? bin : bins - 1;
  });
}

#endif
