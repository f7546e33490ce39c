#pragma once
// FORM shared: a block of TILE x TILE threads for each tile of C, whose operands it brings into
// shared memory TILE columns of k at a time. The host launches as many rows of tiles as there could
// be for groups of any sizes; blocks without a tile end at once.

#include "tensor_types.cuh"

template <int TILE>
__device__ __forceinline__ void multiply_in_shared(const Element* A, const Element* B, Result* C,
                                                   const int* ends, int groups, int N, int K) {
  __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
  int group = 0, begin = 0, tile = blockIdx.y;  // of the group
  for (; group < groups; begin = ends[group++]) {
    const int tiles = (ends[group] - begin + TILE - 1) / TILE;
    if (tile < tiles) break;
    tile -= tiles;
  }
  if (group == groups) return;
  const int x = threadIdx.x, y = threadIdx.y, end = ends[group];
  const int row = begin + tile * TILE + y;
  const int column = blockIdx.x * TILE + x, column_of_b = blockIdx.x * TILE + y;
  float sum = 0;
  for (int first = 0; first < K; first += TILE) {
    const int k = first + x;
    a[y][x] = row < end && k < K ? widen(A[size_t(row) * K + k]) : 0;
    b[y][x] = column_of_b < N && k < K ? widen(B[(size_t(group) * N + column_of_b) * K + k]) : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[y][i] * b[x][i];
    __syncthreads();
  }
  if (row < end && column < N) C[size_t(row) * N + column] = narrow(sum);
}
