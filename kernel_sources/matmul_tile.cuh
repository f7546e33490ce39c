#pragma once
// FORM shared and registers: the same code, TM = TN = 1 being the plain shared tile.
//
// A's tile is kept as it comes for shared, where a thread reads along k. For registers it is
// turned, so that a thread finds the TM elements that it needs for one k side by side. PAD
// lengthens the rows of both tiles, which spreads accesses down a column over the banks. SHARED
// says only where the memory comes from.
//
//   A: BM x BK  *  B: BK x BN  ->  C: BM x BN, of which thread (0, 0) holds the first TM x TN

template <class Tile>
struct TileProduct {
  static constexpr int BM = Tile::BM, BN = Tile::BN, BK = Tile::BK;
  static constexpr int TM = Tile::TM, TN = Tile::TN, PAD = Tile::PAD;
  static constexpr int kThreads = (BM / TM) * (BN / TN);
  static constexpr bool kTurned = Tile::kTurned;
  static constexpr int kStrideB = BN + PAD;
  static constexpr int kTileA = kTurned ? BK * (BM + PAD) : BM * (BK + PAD);
  static constexpr int kTileB = BK * kStrideB;
  static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles divide the block tile");

  // Where element (row, k) of A's tile is.
  __device__ static constexpr int place_in_a(int row, int k) {
    return kTurned ? k * (BM + PAD) + row : row * (BK + PAD) + k;
  }

  // Copies a BM x BK tile of A and a BK x BN tile of B; zeros stand for what lies outside.
  __device__ static void load_tiles(const float* __restrict__ A, const float* __restrict__ B,
                                    float* As, float* Bs, int row0, int col0, int k0, int M, int N,
                                    int K) {
    const int thread = threadIdx.y * (BN / TN) + threadIdx.x;
    for (int i = thread; i < BM * BK; i += kThreads) {
      const int row = i / BK, k = i % BK;
      const bool inside = row0 + row < M && k0 + k < K;
      As[place_in_a(row, k)] = inside ? A[size_t(row0 + row) * K + k0 + k] : 0.0f;
    }
    for (int i = thread; i < BK * BN; i += kThreads) {
      const int k = i / BN, col = i % BN;
      const bool inside = k0 + k < K && col0 + col < N;
      Bs[k * kStrideB + col] = inside ? B[size_t(k0 + k) * N + col0 + col] : 0.0f;
    }
  }

  // Adds the product of the two tiles to the thread's TM x TN sums.
  __device__ static void multiply_tiles(const float* As, const float* Bs, float (&sum)[TM][TN]) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[place_in_a(threadIdx.y * TM + i, k)];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k * kStrideB + threadIdx.x * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
  }

  __device__ static float* block_memory() {
    if constexpr (Tile::kDynamic) {
      extern __shared__ float4 memory[];
      return reinterpret_cast<float*>(memory);
    } else {
      static_assert(4 * (kTileA + kTileB) <= 48 * 1024, "static shared memory ends at 48 KB");
      __shared__ float4 tiles[(kTileA + kTileB + 3) / 4];
      return reinterpret_cast<float*>(tiles);
    }
  }

  __device__ static void multiply(const float* __restrict__ A, const float* __restrict__ B,
                                  float* __restrict__ C, int M, int N, int K) {
    float* As = block_memory();
    float* Bs = As + kTileA;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
      load_tiles(A, B, As, Bs, row0, col0, k0, M, N, K);
      __syncthreads();
      multiply_tiles(As, Bs, sum);
      __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int row = row0 + threadIdx.y * TM + i;
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        const int col = col0 + threadIdx.x * TN + j;
        if (row < M && col < N) C[size_t(row) * N + col] = sum[i][j];
      }
    }
  }
};
