#pragma once
// FORM mma (sm_80 and later): BM x BN block tile, cut into WM x WN warp tiles, each of which is
// made of 16 x 8 tiles: the mma instruction's. STAGES tiles are in shared memory: one is multiplied
// while STAGES - 1 are on their way.

#include "async_copy.cuh"
#include "tensor_split.cuh"
#include "tensor_tiles.cuh"

// Four 8 x 8 matrices (of 16 bits; 8 x 4 of 32); lane l names row l % 8 of matrix l / 8.
template <bool TURNED>
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const unsigned char* row) {
  const unsigned address = unsigned(__cvta_generic_to_shared(row));
  if constexpr (TURNED) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  }
}

#if TUNE_TYPE_IS_tf32
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32." TENSOR_TYPE "." TENSOR_TYPE ".f32"
#endif

// Lane l holds rows l / 4 (and that plus 8), columns l % 4 * 2 and the next.
__device__ __forceinline__ void mma(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                    unsigned b1) {
  asm volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <class Sizes>
struct MmaProduct {
  using T = TensorTile<Sizes>;
  static constexpr int BM = T::BM, BN = T::BN, BK = T::BK, STAGES = T::STAGES;
  static constexpr int SPLIT_K = T::SPLIT_K;
  static constexpr int kStepBytes = T::kStepBytes, kStepsOfK = T::kStepsOfK;
  static constexpr int kBoxRows = T::kBoxRows, kBox = T::kBox;
  static constexpr int kTileA = T::kTileA, kStage = T::kStage;
  static constexpr int WM = T::WM, WN = T::WN;
  static constexpr int kWarpsN = BN / WN;
  static constexpr int kThreads = 32 * (BM / WM) * kWarpsN;
  static constexpr int kPiece = 16 / sizeof(Element);  // elements of a 16-byte copy
  static constexpr int kRowsAtOnce = kThreads / 8;     // eight pieces make a row
  static constexpr int kBoxesB = kTurnedB ? 1 : BN / kBoxRows;
  static constexpr int kBoxRowsB = kTurnedB ? BN : kBoxRows;

  static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles divide the block tile");
  static_assert(WM % 16 == 0 && WN % 16 == 0, "fragments are read for 16 rows or columns");
  static_assert(BM % kRowsAtOnce == 0 && kBoxRowsB % kRowsAtOnce == 0, "threads copy whole rows");

  // ---- global to shared memory ----

  // One thread's pieces of a box: one in every kRowsAtOnce rows, all at the same place in the row.
  struct Copier {
    const Element* from;  // the first
    size_t stride;        // of the matrix's rows, in elements
    int rows_left;        // from there to the end of the matrix
  };

  // Zeros stand for what is not `wanted` and what lies behind the last row.
  template <int ROWS>
  __device__ __forceinline__ static void copy_box(unsigned char* to, const Copier& copier,
                                                  bool wanted) {
#pragma unroll
    for (int i = 0; i < ROWS / kRowsAtOnce; ++i) {
      const int row = i * kRowsAtOnce;
      copy_async<4>(shared_floats(reinterpret_cast<float*>(to + row * kRowBytes)),
                    reinterpret_cast<const float*>(copier.from + row * copier.stride),
                    wanted && row < copier.rows_left);
    }
  }

  // Brings in stage after stage.
  class Loader {
   public:
    // From column `k` of A and row `k` of B on.
    __device__ Loader(const Element* A, const Element* B, int M, int N, int K, Tile tile, int k)
        : k_left_(K - k - first_column()),
          columns_left_(N - tile.column * BN - first_column()),
          to_(place_in_tile(first_row(), threadIdx.x % 8 * 16)) {
      const int row = tile.row * BM + first_row();
      a_ = {A + size_t(row) * K + k + first_column(), size_t(K), M - row};
      if constexpr (kTurnedB) {
        const int column = tile.column * BN + first_row();
        b_ = {B + size_t(column) * K + k + first_column(), size_t(K), N - column};
      } else {
        const int column = tile.column * BN + first_column();
        b_ = {B + size_t(k + first_row()) * N + column, size_t(N), K - k - first_row()};
      }
    }

    __device__ __forceinline__ void load(unsigned char* stage) {
      copy_box<BM>(stage + to_, a_, k_left_ > 0);
#pragma unroll
      for (int box = 0; box < kBoxesB; ++box) {
        const Copier copier = {b_.from + box * kBoxRows, b_.stride, b_.rows_left};
        const bool wanted = kTurnedB ? k_left_ > 0 : columns_left_ > box * kBoxRows;
        copy_box<kBoxRowsB>(stage + kTileA + box * kBox + to_, copier, wanted);
      }
      a_.from += BK;
      k_left_ -= BK;
      b_.from += kTurnedB ? BK : BK * b_.stride;
      if (!kTurnedB) b_.rows_left -= BK;
    }

   private:
    __device__ static int first_row() { return threadIdx.x / 8; }
    __device__ static int first_column() { return threadIdx.x % 8 * kPiece; }

    Copier a_, b_;
    int k_left_, columns_left_;  // from this thread's first piece
    int to_;                     // where that goes in a tile
  };

  // ---- shared memory to registers ----

  // What one warp needs for 32 bytes of k: 16 rows of A, or 16 columns of B, in each quadruple.
  struct Fragment {
    unsigned a[WM / 16][4], b[WN / 16][4];
  };

  __device__ __forceinline__ static void load_fragment(Fragment& fragment,
                                                       const unsigned char* stage, int step) {
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned low = lane % 16, high = lane / 16;
    // Upper and lower eight rows, then the next 16 bytes of k.
    const unsigned char* const a =
        stage + warp / kWarpsN * WM * kRowBytes + place_in_tile(low, step * kStepBytes + high * 16);
#pragma unroll
    for (int i = 0; i < WM / 16; ++i) load_matrices<false>(fragment.a[i], a + i * 16 * kRowBytes);
    // Both halves of k for eight columns, then the next eight.
    const unsigned char* const tile_b = stage + kTileA;
    const unsigned col0 = warp % kWarpsN * WN;
#pragma unroll
    for (int j = 0; j < WN / 16; ++j) {
      if constexpr (kTurnedB) {
        const unsigned row = high * 8 + lane % 8;
        load_matrices<false>(fragment.b[j],
                             tile_b + (col0 + j * 16) * kRowBytes +
                                 place_in_tile(row, step * kStepBytes + low / 8 * 16));
      } else {
        const unsigned piece = (col0 + j * 16) / 8 + high;
        load_matrices<true>(fragment.b[j], tile_b + piece / 8 * kBox + step * 16 * kRowBytes +
                                               place_in_tile(low, piece % 8 * 16));
      }
    }
  }

  // ---- the products ----

  using Sums = float[WM / 16][WN / 8][4];

  __device__ __forceinline__ static void multiply_fragment(Sums& sum, const Fragment& fragment) {
#pragma unroll
    for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
      for (int j = 0; j < WN / 8; ++j) {
        const unsigned(&b)[4] = fragment.b[j / 2];
        mma(sum[i][j], fragment.a[i], b[j % 2 * 2], b[j % 2 * 2 + 1]);
      }
    }
  }

  // The next fragment is read while the products of one are computed.
  __device__ __forceinline__ static void multiply_stage(Sums& sum, const unsigned char* stage) {
    Fragment fragments[2];
    load_fragment(fragments[0], stage, 0);
#pragma unroll
    for (int step = 0; step < kStepsOfK; ++step) {
      if (step + 1 < kStepsOfK) load_fragment(fragments[(step + 1) % 2], stage, step + 1);
      multiply_fragment(sum, fragments[step % 2]);
    }
  }

  // Of this thread's first sum.
  struct Corner {
    int row, column;
  };

  __device__ __forceinline__ static Corner corner_of(Tile tile) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {tile.row * BM + warp / kWarpsN * WM + lane / 4,
            tile.column * BN + warp % kWarpsN * WN + lane % 4 * 2};
  }

  __device__ __forceinline__ static void store(const float (&sum)[4], int i, int j, Result* C,
                                               int M, int N, Corner corner) {
    const int column = corner.column + j * 8;  // N is even
    const int upper = corner.row + i * 16, lower = upper + 8;
    if (column >= N) return;
    if (upper < M) store_pair(C + size_t(upper) * N + column, sum[0], sum[1]);
    if (lower < M) store_pair(C + size_t(lower) * N + column, sum[2], sum[3]);
  }

  __device__ __forceinline__ static void store_sums(const Sums& sum, unsigned char* memory,
                                                    Result* C, int M, int N, Corner corner) {
    if constexpr (SPLIT_K > 1) {
      static_assert(STAGES * kStage >= BM * BN * int(sizeof(float)),
                    "the sums fit into the stages");
      wait_groups<0>();
      __syncthreads();  // the stages are no longer read
      add_up_parts<SPLIT_K, 1, (WM / 16) * (WN / 8), kThreads>(
          &sum[0][0][0], memory, threadIdx.x, [&](const float(&total)[4], int vector) {
            store(total, vector / (WN / 8), vector % (WN / 8), C, M, N, corner);
          });
    } else {
#pragma unroll
      for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) store(sum[i][j], i, j, C, M, N, corner);
      }
    }
  }

  __device__ __forceinline__ static void multiply(const Element* __restrict__ A,
                                                  const Element* __restrict__ B,
                                                  Result* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(128) unsigned char stages[];
    const Tiles tiles = T::make_tiles(M, N, K);
    const Tile tile = T::tile_at(blockIdx.x / SPLIT_K, tiles);
    const Steps steps = T::steps_of_block(tiles);
    Loader loader(A, B, M, N, K, tile, steps.first * BK);

    for (int stage = 0; stage < STAGES - 1; ++stage) {
      if (stage < steps.count) loader.load(stages + stage * kStage);
      end_group();
    }
    Sums sum = {};
    int now = 0, ahead = STAGES - 1;  // stages
    for (int step = 0; step < steps.count; ++step) {
      wait_groups<STAGES - 2>();  // this thread's copies have arrived,
      __syncthreads();            // all others' too, and the stage before is no longer read
      if (step + STAGES - 1 < steps.count) loader.load(stages + ahead * kStage);
      end_group();
      multiply_stage(sum, stages + now * kStage);
      now = now + 1 < STAGES ? now + 1 : 0;
      ahead = ahead + 1 < STAGES ? ahead + 1 : 0;
    }
    store_sums(sum, stages, C, M, N, corner_of(tile));
  }
};
