#pragma once
// FORM coalesced_read and coalesced_write: each thread moves TM elements straight from global to global
// memory. Neighbouring threads have neighbours in a row of A, or in a row of B, and never in both.

#include "transpose_tile.cuh"

template <class Tile>
struct PlainTranspose {
  using Element = typename Tile::Element;

  __device__ static void turn(const Element* __restrict__ A, Element* __restrict__ B, int M,
                              int N) {
    const Corner corner = corner_of<Tile>(blockIdx.x, M, N);
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
      const int element = i * Tile::kThreads + threadIdx.x;
      const int down = Tile::kReadsRows ? element / Tile::BN : element % Tile::BM;
      const int right = Tile::kReadsRows ? element % Tile::BN : element / Tile::BM;
      const int row = corner.row + down, col = corner.col + right;
      if (row < M && col < N) B[size_t(col) * M + row] = A[size_t(row) * N + col];
    }
  }
};
