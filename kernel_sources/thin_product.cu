// Y = X * W^T for few rows: X is M x K, W is N x K, Y is M x N, all row-major and 16-bit (TYPE
// bf16, f16), summed in float32. With at most 64 rows the weights W are most of what moves, and
// each is read once: the product is as fast as they come out of memory. (Libraries call it a skinny
// product, for one row GEMV.)
//
// What each value of FORM changes is how the weights come, and what multiplies them:
//   dot        16 bytes a lane, straight into registers; each lane multiplies and adds by itself
//   registers  the same, multiplied by the tensor cores, which take the weights as their large
//   operand boxes      Hopper's copy engine brings boxes of 128-byte rows ahead into shared memory,
//   for the tensor cores rows       the same with a stretch of each row
//
// A tile is BN = WARPS_N * TILE rows of W with all of K. WARPS_N warps share its rows, WARPS_K
// warps share K; how tiles are shared out to blocks is in thin_parts.cuh, how warps and blocks add
// up in thin_finish.cuh.
//
// Names: BM rows of X have sums, of which M are there; UNROLL (dot, registers) steps or STAGES
// (boxes, rows) are under way at once; PER_SM blocks have registers enough; STREAM marks the
// weights as used once.

#include "thin_parts.cuh"

struct Shape {
  static constexpr int kRows = TUNE_BM;
  static constexpr int kTile = TUNE_TILE;
  static constexpr int kWarpsN = TUNE_WARPS_N, kWarpsK = TUNE_WARPS_K;
  static constexpr int kColumns = kWarpsN * kTile;  // of Y: rows of W
  static constexpr int kWarps = kWarpsN * kWarpsK;  // that multiply
  static constexpr int kUnroll = TUNE_UNROLL, kStages = TUNE_STAGES;
  static constexpr int kSplit = TUNE_SPLIT;
  static constexpr bool kOnce = TUNE_STREAM;
};

#if TUNE_FORM_IS_boxes || TUNE_FORM_IS_rows
#include "thin_bulk.cuh"
constexpr int kBlock = 32 * (Shape::kWarps + 1);
#else
#if TUNE_FORM_IS_registers
#include "thin_registers.cuh"
#else
#include "thin_dot.cuh"
#endif
constexpr int kBlock = 32 * Shape::kWarps;
#endif

extern "C" __global__ void __launch_bounds__(kBlock, TUNE_PER_SM)
    thin_product(const Element* __restrict__ X, const Element* __restrict__ W,
                 Result* __restrict__ Y, const __grid_constant__ TensorMap X_map,
                 const __grid_constant__ TensorMap W_map, float* __restrict__ partial,
                 unsigned* __restrict__ arrived, int M, int N, int K) {
  const ThinProduct product{X, W, Y, partial, arrived, M, N, K};
#if TUNE_FORM_IS_boxes || TUNE_FORM_IS_rows
  multiply_in_bulk<Shape>(product, X_map, W_map);
#else
  multiply_in_registers<Shape>(product);
#endif
}

// One thread for each element of Y, in double.
extern "C" __global__ void thin_reference(const Element* __restrict__ X,
                                          const Element* __restrict__ W, Result* __restrict__ Y,
                                          int M, int N, int K) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= N) return;
  double sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += double(widen(X[size_t(row) * K + k])) * double(widen(W[size_t(column) * K + k]));
  }
  Y[size_t(row) * N + column] = narrow(float(sum));
}
