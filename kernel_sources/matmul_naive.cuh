#pragma once
// FORM naive: a block of BM x BN threads computes as many elements of C, one each. Neighbouring
// threads hold neighbouring columns, so that the reads of B and the writes of C are coalesced.

template <class Tile>
struct NaiveProduct {
  static constexpr int kThreads = Tile::BM * Tile::BN;

  __device__ static void multiply(const float* __restrict__ A, const float* __restrict__ B,
                                  float* __restrict__ C, int M, int N, int K) {
    const int row = blockIdx.y * Tile::BM + threadIdx.y;
    const int col = blockIdx.x * Tile::BN + threadIdx.x;
    if (row >= M || col >= N) return;

    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[size_t(row) * K + k] * B[size_t(k) * N + col];

    C[size_t(row) * N + col] = sum;
  }
};
