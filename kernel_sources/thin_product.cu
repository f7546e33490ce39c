// Y = X * W^T for few rows: X is M x K, W is N x K, Y is M x N, all row-major and 16-bit (TYPE
// bf16, f16), summed in float32. With at most 64 rows the weights W are most of what moves, and
// each is read once: the product is as fast as they come out of memory. (Libraries call it a skinny
// product, for one row GEMV.) With WEIGHT e4m3 the numbers of W have 8 bits, and each of its rows
// has a scale, by which its sums are multiplied.
//
// What each value of FORM changes is how the weights come, and what multiplies them:
//   dot        16 bytes a lane, straight into registers; each lane multiplies and adds by itself
//   registers  the same, for the tensor cores, which take the weights as their larger operand
//   bulk       Hopper's copy engine brings tiles ahead into shared memory, for the same cores
//   wgmma      the same, for instructions of four warps that read shared memory (sm_90a)
//
// A tile is WARPS_N * TILE rows of W with all of K. WARPS_N warps (wgmma: groups of four) share its
// rows, WARPS_K share K. How tiles are dealt out to blocks is in thin_parts.cuh, how warps and
// blocks add up in thin_finish.cuh.
//
// Names: BM rows of X have sums, of which M are there; UNROLL (dot, registers) steps or STAGES
// (bulk, wgmma) are under way at once; PER_SM blocks have registers enough; STREAM marks the
// weights as used once.

#include "chosen.cuh"
#include "thin_parts.cuh"

struct Shape {
  static constexpr int kRows = TUNE_BM;
  static constexpr int kTile = TUNE_TILE;
  static constexpr int kWarpsN = TUNE_WARPS_N, kWarpsK = TUNE_WARPS_K;
  static constexpr int kColumns = kWarpsN * kTile;  // of Y: rows of W
  // Warps that multiply.
  static constexpr int kWarps = kWarpsN * kWarpsK * (CHOSEN(TUNE_FORM_IS_wgmma) ? 4 : 1);
  static constexpr int kUnroll = TUNE_UNROLL, kStages = TUNE_STAGES;
  static constexpr int kSplit = TUNE_SPLIT;
  static constexpr bool kOnce = TUNE_STREAM;
};

#if TUNE_FORM_IS_wgmma
#include "thin_wgmma.cuh"
#elif TUNE_FORM_IS_bulk
#include "thin_bulk_mma.cuh"
#elif TUNE_FORM_IS_registers
#include "thin_registers.cuh"
#else
#include "thin_dot.cuh"
#endif

constexpr bool kHasLoader = CHOSEN(TUNE_FORM_IS_bulk) || CHOSEN(TUNE_FORM_IS_wgmma);
constexpr int kBlock = 32 * (Shape::kWarps + kHasLoader);

__device__ __forceinline__ void multiply(const ThinProduct& product, const TensorMap& X_map,
                                         const TensorMap& W_map) {
#if TUNE_FORM_IS_wgmma
  multiply_in_bulk<Shape, GroupOfWarps<Shape>>(product, X_map, W_map);
#elif TUNE_FORM_IS_bulk
  multiply_in_bulk<Shape, WarpOfBoxes<Shape>>(product, X_map, W_map);
#elif TUNE_FORM_IS_registers
  multiply_by_warps<Shape, TensorWarp<Shape>>(product);
#else
  multiply_by_warps<Shape, DotWarp<Shape>>(product);
#endif
}

// One thread for each element of Y, in double.
__device__ __forceinline__ void multiply_simply(const ThinProduct& p) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= p.columns) return;
  double sum = 0;
  for (int k = 0; k < p.depth; ++k) {
    sum += double(widen(p.x[size_t(row) * p.depth + k])) *
           double(widen(p.w[size_t(column) * p.depth + k]));
  }
  if constexpr (kScaled) sum *= p.scale[column];
  p.y[size_t(row) * p.columns + column] = narrow(float(sum));
}

#if TUNE_WEIGHT_IS_e4m3

extern "C" __global__ void __launch_bounds__(kBlock, TUNE_PER_SM)
    thin_product_fp8(const Element* __restrict__ X, const Weight* __restrict__ W,
                     Result* __restrict__ Y, const __grid_constant__ TensorMap X_map,
                     const __grid_constant__ TensorMap W_map, float* __restrict__ partial,
                     unsigned* __restrict__ arrived, int M, int N, int K,
                     const float* __restrict__ scale) {
  multiply({X, W, scale, Y, partial, arrived, M, N, K}, X_map, W_map);
}

extern "C" __global__ void thin_reference_fp8(const Element* __restrict__ X,
                                              const Weight* __restrict__ W,
                                              Result* __restrict__ Y, int M, int N, int K,
                                              const float* __restrict__ scale) {
  multiply_simply({X, W, scale, Y, nullptr, nullptr, M, N, K});
}

#else

extern "C" __global__ void __launch_bounds__(kBlock, TUNE_PER_SM)
    thin_product(const Element* __restrict__ X, const Weight* __restrict__ W,
                 Result* __restrict__ Y, const __grid_constant__ TensorMap X_map,
                 const __grid_constant__ TensorMap W_map, float* __restrict__ partial,
                 unsigned* __restrict__ arrived, int M, int N, int K) {
  multiply({X, W, nullptr, Y, partial, arrived, M, N, K}, X_map, W_map);
}

extern "C" __global__ void thin_reference(const Element* __restrict__ X,
                                          const Weight* __restrict__ W, Result* __restrict__ Y,
                                          int M, int N, int K) {
  multiply_simply({X, W, nullptr, Y, nullptr, nullptr, M, N, K});
}

#endif
