#pragma once
// The numbers of thin products. X and Y: the tensor cores' 16 bits. W: the same, or with WEIGHT e4m3
// eight bits each (four of exponent, three of mantissa: OCP 8-bit floating point) and a float32 scale
// for each row. The bits of "not a number", which weights do not hold, are read as 480.

#include "elements.cuh"
#include "tensor_types.cuh"

#if TUNE_WEIGHT_IS_e4m3

using Weight = unsigned char;
using PieceWord = unsigned;  // of an array of bytes each would take a register
constexpr bool kScaled = true;

// Exponents count from -7 there and from -127 here, which the factor of 2^120 makes up for.
__device__ __forceinline__ float widen(unsigned char x) {
  const unsigned bits = (unsigned(x) & 0x80u) << 24 | (unsigned(x) & 0x7Fu) << 20;
  return __uint_as_float(bits) * 0x1p120f;
}

#else

using Weight = Element;
using PieceWord = Element;
constexpr bool kScaled = false;

#endif

// The 16 bytes of W that a lane reads at once.
using Piece = Elements<PieceWord, 16 / sizeof(PieceWord)>;
constexpr int kWeightsOfPiece = 16 / sizeof(Weight);

template <bool ONCE>
__device__ __forceinline__ Piece load_piece(const Weight* from) {
  const auto* const words = reinterpret_cast<const PieceWord*>(from);
  return load_elements<16 / sizeof(PieceWord), ONCE>(words);
}

__device__ __forceinline__ float weight_at(const Piece& piece, int i) {
  constexpr int kOfWord = sizeof(PieceWord) / sizeof(Weight);
  return widen(static_cast<Weight>(piece.at[i / kOfWord] >> i % kOfWord * 8));
}
