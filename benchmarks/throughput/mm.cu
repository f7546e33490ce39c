// C = A * B in float32, row-major, for sizes that the tiles divide: the kernel that every tuner of
// the throughput benchmark is given. The tunables BM BN BK TM TN PAD come as plain definitions.
//
// A block computes BM x BN elements of C, a thread TM x TN of them. A's tile is turned in shared
// memory; PAD lengthens the rows of both tiles.

#define THREADS ((BM / TM) * (BN / TN))

extern "C" __global__ void __launch_bounds__(THREADS)
    mm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
       int N, int K) {
  __shared__ float As[BK][BM + PAD];
  __shared__ float Bs[BK][BN + PAD];
  const int thread = threadIdx.y * (BN / TN) + threadIdx.x;
  const int row = blockIdx.y * BM, col = blockIdx.x * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = thread; i < BM * BK; i += THREADS) {
      As[i % BK][i / BK] = A[(row + i / BK) * K + k0 + i % BK];
    }
    for (int i = thread; i < BK * BN; i += THREADS) {
      Bs[i / BN][i % BN] = B[(k0 + i / BN) * N + col + i % BN];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][threadIdx.y * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][threadIdx.x * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      C[(row + threadIdx.y * TM + i) * N + col + threadIdx.x * TN + j] = sum[i][j];
    }
  }
}

extern "C" __global__ void mm_reference(const float* __restrict__ A, const float* __restrict__ B,
                                        float* __restrict__ C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  double sum = 0;
  for (int k = 0; k < K; ++k) sum += double(A[row * K + k]) * double(B[k * N + col]);
  C[row * N + col] = float(sum);
}
