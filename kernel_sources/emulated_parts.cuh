#pragma once
// A float32 number as three bfloat16 numbers: the nearest, the nearest to what that leaves, and the
// rest. Each takes eight of the 24 bits, so that their sum is the number itself.
//
//   1.2345679 = 1.234375 + 0.00019264221 + 0.00000023841858
//
// All numbers are scaled up first, so that the parts of subnormal ones are normal. From 2^104 on the
// scaled number is infinite, and what it leaves is NaN, as it is for infinities and NaN.
//
// Parts lie side by side in groups of 64, the copy engine's rows, the smallest first:
//
//   of A, M x K:   row  low 0-63, middle 0-63, high 0-63, low 64-127, ...      of B, K x N: rows

#include "elements.cuh"
#include "tensor_types.cuh"

constexpr int kParts = 3;
constexpr float kScale = 0x1p24f, kUnscale = 0x1p-48f;  // of an operand, of a product

// From the smallest part to the largest.
using Pairs = unsigned[kParts];

__device__ __forceinline__ void split_pair(float first, float second, Pairs& pairs) {
  first *= kScale;
  second *= kScale;
#pragma unroll
  for (int part = kParts - 1; part >= 0; --part) {
    pairs[part] = pair_of(first, second);
    first -= __uint_as_float(pairs[part] << 16);
    second -= __uint_as_float(pairs[part] & 0xFFFF0000u);
  }
}

// A matrix whose k runs along its rows, or down its columns. Its parts are filled up with zeros, to
// 64 of k and to columns of whole 16 bytes.
template <bool ALONG>
struct Parts {
  static constexpr int kVector = 8;  // numbers that a thread splits
  static constexpr int kGroup = 64;  // of k

  __device__ __forceinline__ static unsigned round_up(unsigned n, unsigned to) {
    return (n + to - 1) / to * to;
  }

  // Of a matrix, with the zeros.
  __device__ __forceinline__ static unsigned vectors(int rows, int columns) {
    return ALONG ? rows * (round_up(columns, kGroup) / kVector)
                 : round_up(rows, kGroup) * (round_up(columns, kVector) / kVector);
  }

  __device__ __forceinline__ static void load(const float* matrix, int rows, int columns, int row,
                                              int column, float (&values)[kVector]) {
#pragma unroll
    for (int i = 0; i < kVector; i += 4) {
      if (columns % 4 == 0 && row < rows && column + i < columns) {
        const auto four = load_elements<4, true>(matrix + size_t(row) * columns + column + i);
        for (int j = 0; j < 4; ++j) values[i + j] = four.at[j];
      } else {
        for (int j = i; j < i + 4; ++j) {
          const bool inside = row < rows && column + j < columns;
          values[j] = inside ? matrix[size_t(row) * columns + column + j] : 0;
        }
      }
    }
  }

  __device__ __forceinline__ static void split(const float* matrix, int rows, int columns,
                                               Element* parts, unsigned vector) {
    const unsigned width = round_up(columns, ALONG ? kGroup : kVector), in_row = width / kVector;
    const int row = vector / in_row, column = vector % in_row * kVector;
    float values[kVector];
    load(matrix, rows, columns, row, column, values);
    Elements<unsigned, kVector / 2> words[kParts];
#pragma unroll
    for (int i = 0; i < kVector; i += 2) {
      Pairs pairs;
      split_pair(values[i], values[i + 1], pairs);
      for (int part = 0; part < kParts; ++part) words[part].at[i / 2] = pairs[part];
    }
    const int k = ALONG ? column : row, first = k / kGroup * kParts * kGroup + k % kGroup;
    for (int part = 0; part < kParts; ++part) {
      const size_t place = first + part * kGroup;
      Element* const to = ALONG ? parts + size_t(row) * (width * kParts) + place
                                : parts + place * width + column;
      store_elements(reinterpret_cast<unsigned*>(to), words[part]);
    }
  }
};
