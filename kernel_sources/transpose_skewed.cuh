#pragma once
// FORM skewed: whole aligned vectors out, although rows of odd length start anywhere between two.
// The part of each row of B that a block writes begins at the boundary of ALIGN bytes in memory
// before the tile (another one in each row), so the block reads kAlign - 1 rows of A more, above
// its tile. They come in element by element.
//
// The tile waits in shared memory, turned. Bank conflicts are avoided by where an element lies on
// the way in, by the order in which a thread takes its elements on the way out.
// In: neighbouring lanes write one column apart. A column's length is odd, counted in banks, so
// kCycle columns meet each bank once; the next cycle is one bank further on. There are no conflicts
// as long as the lanes of a warp are in one row.
// Out: lanes read VEC rows apart. kRun lanes go once around the banks; the next kRun, which would
// meet the same banks, start with another element of their vectors. There are no conflicts as long
// as kRun lanes read of one column.
//
//   memory:   ... | boundary      | boundary      |         the tile's rows of B begin at a boundary each,
//   row c:            [=====|=======]                       another one in each row: up to kAlign - 1
//   row c + 1:      [=======|=====]                         elements before the tile

#include "transpose_tile.cuh"

template <class Tile>
struct SkewedTranspose {
  using Element = typename Tile::Element;
  using Vector = typename Tile::Vector;
  static constexpr int BM = Tile::BM, BN = Tile::BN, TM = Tile::TM, VEC = Tile::VEC;
  static constexpr int kThreads = Tile::kThreads, kAlign = Tile::kAlign;
  static constexpr int kUnit =
      Tile::kBytes < 4 ? 4 / Tile::kBytes : 1;               // elements that share a bank
  static constexpr int kCycle = Tile::kBytes < 8 ? 32 : 16;  // columns until the banks repeat
  static constexpr int kRun =
      128 / (VEC * Tile::kBytes);                // lanes whose vectors are as wide as all banks
  static constexpr int kRows = BM + kAlign - 1;  // of A that are read
  static constexpr int kLines = kThreads / BN;   // rows that are read at once
  static constexpr int kPasses = (kRows + kLines - 1) / kLines;
  static constexpr int kStride = BM + kAlign + kUnit;
  static constexpr int kTile = BN * kStride + BN / kCycle * kUnit;  // elements

  static_assert(kLines > 0, "a row is read at once");
  static_assert(kAlign % VEC == 0 && BM % kAlign == 0,
                "boundaries of vectors, the same in each tile");

  // Where an element of the tile lies.
  __device__ static int place(int col, int row) {
    return col * kStride + col / kCycle * kUnit + row;
  }

  // At the EDGE of the matrix each element is asked whether it is there.
  template <bool EDGE>
  __device__ static void load_tile(const Element* __restrict__ A, int M, int N, Corner corner,
                                   Element* tile) {
    const int line = threadIdx.x / BN, col = threadIdx.x % BN;
    if (line >= kLines) return;
    const int first = corner.row - (kAlign - 1) + line;
    const Element* const from = A + (long long)first * N + corner.col + col;
    Element held[kPasses];
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const int down = i * kLines;
      if (down + kLines > kRows && down + line >= kRows) break;
      const bool inside = 0 <= first + down && first + down < M && corner.col + col < N;
      held[i] = Element{};
      if (!EDGE || inside) held[i] = load_part_of<Tile, 1>(from + (long long)down * N).at[0];
    }
    Element* const to = tile + place(col, line);
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const int down = i * kLines;
      if (down + kLines > kRows && down + line >= kRows) break;
      to[down] = held[i];
    }
  }

  // VEC neighbours from `first` on, read in the order turn, turn + 1, ..., then put in their own.
  __device__ static Vector gather(const Element* tile, int first) {
    const int turn = (threadIdx.x % 32 / kRun * kUnit - first) & (VEC - 1);
    const Element* from = tile + first;
    Vector value;
#pragma unroll
    for (int v = 0; v < VEC; ++v) value.at[v] = from[(v + turn) % VEC];
#pragma unroll
    for (int by = 1; by < VEC; by *= 2) {
      const Vector before = value;
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        value.at[v] = turn & by ? before.at[(v + VEC - by) % VEC] : before.at[v];
      }
    }
    return value;
  }

  // How many elements lie between a boundary of ALIGN bytes in memory and this one.
  __device__ static int beyond_boundary(const Element* element) {
    return int(reinterpret_cast<size_t>(element) / Tile::kBytes % kAlign);
  }

  template <bool EDGE>
  __device__ static void store_tile(Element* __restrict__ B, int M, int N, Corner corner,
                                    const Element* tile) {
#pragma unroll
    for (int i = 0; i < TM * VEC; ++i) {
      const int index = i * kThreads + threadIdx.x;
      const int col = index / (BM / VEC), vector = index % (BM / VEC) * VEC;
      if (EDGE && corner.col + col >= N) return;
      Element* const to = B + (long long)(corner.col + col) * M + corner.row;
      const int shift = vector - beyond_boundary(to);
      const Vector value = gather(tile, place(col, kAlign - 1 + shift));
      const int row = corner.row + shift;
      if (!EDGE || (0 <= row && row + VEC <= M)) {
        store_elements<Tile::kStoreOnce>(to + shift, value);
      } else {
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          if (0 <= row + v && row + v < M) to[shift + v] = value.at[v];
        }
      }
    }
  }

  __device__ static Element* block_memory() {
    if constexpr (Tile::kDynamic) {
      extern __shared__ Element memory[];
      return memory;
    } else {
      static_assert(Tile::kBytes * kTile <= 48 * 1024, "static shared memory ends at 48 KB");
      __shared__ Element tile[kTile];
      return tile;
    }
  }

  __device__ static void turn(const Element* __restrict__ A, Element* __restrict__ B, int M,
                              int N) {
    Element* const tile = block_memory();
    const Corner corner = corner_of<Tile>(blockIdx.x, M, N);
    const bool inside = corner.row >= kAlign && corner.row + BM <= M && corner.col + BN <= N;
    if (inside) {
      load_tile<false>(A, M, N, corner, tile);
    } else {
      load_tile<true>(A, M, N, corner, tile);
    }
    __syncthreads();
    if (inside) {
      store_tile<false>(B, M, N, corner, tile);
    } else {
      store_tile<true>(B, M, N, corner, tile);
    }
  }
};
