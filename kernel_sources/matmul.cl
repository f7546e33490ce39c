// C = A B in OpenCL C: A is M x K, B is K x N, C is M x N, all row-major float32, any size.
//
// What each value of FORM changes:
//   naive      each work-item computes one element of C from global memory
//   local      the group keeps a BM x BK tile of A and a BK x BN tile of B in local memory
//   registers  the same, and each work-item adds up TM x TN elements in registers
//
// A group computes a BM x BN tile of C. The tile of A is kept turned; PAD lengthens the rows of both
// tiles, so that neighbours that write down a column meet in fewer banks. SHARED says whether the tiles
// are a variable of the kernel or an argument of it. The rules that tie them are the constraints of
// search_spaces/opencl/matmul.yaml.

#define BM TUNE_BM
#define BN TUNE_BN
#define BK TUNE_BK
#define TM TUNE_TM
#define TN TUNE_TN
#define COLS (BN / TN)  // of work-items in a group
#define ROWS (BM / TM)
#define STRIDE_A (BM + TUNE_PAD)
#define STRIDE_B (BN + TUNE_PAD)

__kernel __attribute__((reqd_work_group_size(COLS, ROWS, 1))) void matmul(
    __global const float* restrict A, __global const float* restrict B, __global float* restrict C,
    int M, int N, int K
#if TUNE_SHARED_IS_dynamic
    , __local float* tiles
#endif
) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * BM, col = get_group_id(0) * BN;  // of the tile in C
#if TUNE_FORM_IS_naive
  float sum = 0;
  if (row + y >= M || col + x >= N) return;
  for (int k = 0; k < K; ++k) sum += A[(size_t)(row + y) * K + k] * B[(size_t)k * N + col + x];
  C[(size_t)(row + y) * N + col + x] = sum;
#else
#if !TUNE_SHARED_IS_dynamic
  __local float tiles[BK * (STRIDE_A + STRIDE_B)];
#endif
  __local float* const a = tiles;
  __local float* const b = tiles + BK * STRIDE_A;
  const int me = y * COLS + x;
  float sums[TM][TN];
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] = 0;
  }
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = me; e < BM * BK; e += COLS * ROWS) {
      const int r = row + e / BK, k = k0 + e % BK;
      a[e % BK * STRIDE_A + e / BK] = r < M && k < K ? A[(size_t)r * K + k] : 0;
    }
    for (int e = me; e < BK * BN; e += COLS * ROWS) {
      const int k = k0 + e / BN, c = col + e % BN;
      b[e / BN * STRIDE_B + e % BN] = k < K && c < N ? B[(size_t)k * N + c] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float left[TM], right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = a[k * STRIDE_A + y + i * ROWS];
#pragma unroll
      for (int j = 0; j < TN; ++j) right[j] = b[k * STRIDE_B + x + j * COLS];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int r = row + y + i * ROWS, c = col + x + j * COLS;
      if (r < M && c < N) C[(size_t)r * N + c] = sums[i][j];
    }
  }
#endif
}

__kernel void matmul_reference(__global const float* restrict A, __global const float* restrict B,
                               __global float* restrict C, int M, int N, int K) {
  const int col = get_global_id(0), row = get_global_id(1);
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[(size_t)row * K + k] * B[(size_t)k * N + col];
  C[(size_t)row * N + col] = sum;
}
