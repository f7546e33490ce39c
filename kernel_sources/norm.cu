// Y = each row of X, scaled to a length or a deviation of one and then by a weight for each column; M x N,
// row-major, bfloat16 or float32.
//
//   NORM rms    y = x / sqrt(mean of x^2 + epsilon) * weight
//   NORM layer  y = (x - mean) / sqrt(variance + epsilon) * weight + bias
//
// With RESIDUAL the row is X + R, rounded to its type, and is written to S as well.
//
// What each value of FORM changes is how often a row comes from global memory, and who waits for it:
//   passes     once for each sum and once for the result, by one block
//   registers  once: the row waits in its threads' registers, ITEMS vectors of VEC in each
//   bulk       once: the copy engine brings rows ahead, STAGES of them, to blocks that stay (Hopper)
//
// Names: BLOCK threads share a row, ROWS rows share a block, or CLUSTER blocks share a row; PER_SM blocks
// have registers enough; STREAM marks the data as used once.

#include "chosen.cuh"
#include "norm_row.cuh"

struct Shape {
  static constexpr int kThreads = TUNE_BLOCK;
  static constexpr int kRows = TUNE_ROWS;
  static constexpr int kCluster = TUNE_CLUSTER;
  static constexpr int kVector = TUNE_VEC;
  static constexpr int kItems = TUNE_ITEMS;
  static constexpr int kStages = TUNE_STAGES;
  static constexpr bool kBothOnce = CHOSEN(TUNE_STREAM_IS_both);
  static constexpr bool kLoadOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_loads);
  static constexpr bool kStoreOnce = kBothOnce || CHOSEN(TUNE_STREAM_IS_stores);
  static constexpr bool kResidual = TUNE_RESIDUAL;
#if TUNE_NORM_IS_layer
  static constexpr bool kLayer = true;
#else
  static constexpr bool kLayer = false;
#endif
};

#if TUNE_FORM_IS_bulk
#include "norm_bulk.cuh"
#elif TUNE_FORM_IS_passes
#include "norm_passes.cuh"
#endif

#if TUNE_CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(TUNE_CLUSTER, 1, 1)
#else
#define IN_CLUSTERS
#endif

extern "C" __global__ void __launch_bounds__(TUNE_BLOCK* TUNE_ROWS, TUNE_PER_SM) IN_CLUSTERS
    norm_rows(const Element* __restrict__ X, const Element* __restrict__ R,
         const Element* __restrict__ weight, const Element* __restrict__ bias,
         Element* __restrict__ Y, Element* __restrict__ S, int M, int N, float epsilon) {
  const Matrices matrices{X, R, weight, bias, Y, S, M, N, epsilon};
#if TUNE_FORM_IS_registers
  norm_in_registers<Shape>(matrices);
#elif TUNE_FORM_IS_bulk
  norm_in_bulk<Shape>(matrices);
#else
  norm_in_passes<Shape>(matrices);
#endif
}

// One warp-sized block for each row, in double.
extern "C" __global__ void norm_reference(const Element* __restrict__ X,
                                          const Element* __restrict__ R,
                                          const Element* __restrict__ weight,
                                          const Element* __restrict__ bias,
                                          Element* __restrict__ Y, Element* __restrict__ S, int M,
                                          int N, float epsilon) {
  const long long row = (long long)blockIdx.x * N;
  const auto element = [&](int i) {
    float x = widen(X[row + i]);
    if constexpr (Shape::kResidual) x = widen(narrow(x + widen(R[row + i])));
    return double(x);
  };
  const auto over_lanes = [](double value) {
    for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(0xffffffffu, value, half);
    return value;
  };
  double mean = 0, squares = 0;
  if constexpr (Shape::kLayer) {
    for (int i = threadIdx.x; i < N; i += 32) mean += element(i);
    mean = over_lanes(mean) / N;
  }
  for (int i = threadIdx.x; i < N; i += 32) squares += (element(i) - mean) * (element(i) - mean);
  const double deviation = sqrt(over_lanes(squares) / N + epsilon);
  for (int i = threadIdx.x; i < N; i += 32) {
    double y = (element(i) - mean) / deviation * widen(weight[i]);
    if constexpr (Shape::kLayer) y += widen(bias[i]);
    Y[row + i] = narrow(float(y));
    if constexpr (Shape::kResidual) S[row + i] = narrow(float(element(i)));
  }
}
