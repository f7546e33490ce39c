#pragma once
// The product of two matrices in parts (sm_90a), in the pipeline of matmul_wgmma.cuh. A stage of its
// ring holds one part of 64 columns of A, and the same part of 64 rows of B; three stages are
// multiplied together.
//
//   STAGES, of parts:   low | middle | high | low | middle | high     sum:   low * high, high * low,
//                       \--- 64 of k ------/   \--- arrive ------/            ..., high * high
//                                                                    total: += sum
//
// The tensor cores cut off what does not fit when they add. In one step that is little, but all steps
// cut in the same direction, so that a long sum is off by far more than one of float32 additions.
// Hence a sum ends after 64 columns and is added to a total by an ordinary, rounded addition. Small
// products come first: as long as the sum is small, little is cut off.
//
// A result that is not finite is computed again: an infinite operand times a part that is zero is NaN.

#include "emulated_parts.cuh"
#include "matmul_wgmma.cuh"

template <class Sizes>
struct EmulatedProduct : WgmmaProduct<Sizes> {
  using Base = WgmmaProduct<Sizes>;
  using typename Base::Corner, typename Base::Shared, typename Base::Sums, typename Base::Turn;
  using T = typename Base::T;
  using Base::CONSUMERS, Base::kGroupThreads, Base::kSlices, Base::kWide, Base::STAGES;
  // A product's order: 0 of the two high parts, 1 with one middle part, ... 4 of the two low parts.
  static constexpr int kOrders = Sizes::PRODUCTS == 9 ? 5 : 3;

  // Adds a part of A times a part of B.
  __device__ __forceinline__ static void multiply_parts(Sums& sum, const unsigned char* a,
                                                        const unsigned char* b, int consumer,
                                                        bool first) {
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      const int at = (consumer * kSlices + slice) * 64;
#pragma unroll
      for (int step = 0; step < Base::kStepsOfK; ++step) {
        wgmma<kWide, false, true>(sum[slice], Base::describe_a(a, at, step),
                                  Base::describe_b(b, 0, step), !first || step > 0);
      }
    }
  }

  // sum = the products of 64 columns of k. Stages are released as soon as nothing reads them.
  __device__ __forceinline__ static void multiply_group(Sums& sum, Shared& shared, Turn& turn,
                                                        int consumer, int source) {
    int stages[kParts];
    for (int part = 0; part < kParts; ++part) {
      stages[part] = turn.stage;
      wait_for(&shared.full[turn.stage], turn.parity);
      turn.next();
    }
    const auto stage_of = [&](int part) { return shared.stage(stages[kParts - 1 - part]); };
    wgmma_begin();
#pragma unroll
    for (int order = kOrders - 1; order >= 0; --order) {
#pragma unroll
      for (int i = 0; i < kParts; ++i) {
        const int j = order - i;
        if (j < 0 || j >= kParts) continue;
        const bool first = order == kOrders - 1 && (i == 0 || j == kParts - 1);
        multiply_parts(sum, stage_of(i), stage_of(j), consumer, first);
      }
      wgmma_end_group();
    }
    wgmma_wait<2>();  // low parts have no order below 2
    Base::release(shared, stages[0], source);
    wgmma_wait<1>();
    Base::release(shared, stages[1], source);
    wgmma_wait<0>();
    Base::release(shared, stages[2], source);
  }

  __device__ __forceinline__ static void add_to(Sums& total, Sums& sum) {
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
#pragma unroll
      for (int i = 0; i < kWide / 2; ++i) {
        asm volatile("" : "+f"(sum[slice][i])::"memory");
        total[slice][i] += sum[slice][i];
      }
    }
  }

  // ---- results ----

  struct Operands {
    const float *A, *B;
    float* C;
    int M, N, K;
  };

  // Two neighbours; returns whether both are finite.
  __device__ __forceinline__ static bool store(const Operands& of, int row, int column, float left,
                                               float right) {
    if (row >= of.M || column >= of.N) return true;
    float* const to = of.C + size_t(row) * of.N + column;
    left *= kUnscale;
    right *= kUnscale;
    if (of.N % 2 == 0) {
      store_pair(to, left, right);
    } else {
      to[0] = left;
      if (column + 1 < of.N) to[1] = right;
    }
    return isfinite(left) && isfinite(right);
  }

  // Where the first of a thread's four sums belongs. The second is its neighbour, the others are
  // eight rows further down.
  __device__ __forceinline__ static Corner place_of(Corner at, int vector) {
    const int thread = threadIdx.x % kGroupThreads;
    return {at.row + vector / (kWide / 8) * 64 + thread / 32 * 16 + thread % 32 / 4,
            at.column + vector % (kWide / 8) * 8 + thread % 4 * 2};
  }

  // Returns whether all four are finite.
  __device__ __forceinline__ static bool store(const Operands& of, Corner at, int vector,
                                               const float* total) {
    const auto [row, column] = place_of(at, vector);
    const bool upper = store(of, row, column, total[0], total[1]);
    return store(of, row + 8, column, total[2], total[3]) && upper;
  }

  // Computes again what is not finite of the four.
  __device__ static void repair(const Operands& of, Corner at, int vector) {
    const Corner first = place_of(at, vector);
    for (int i = 0; i < 4; ++i) {
      const int row = first.row + i / 2 * 8, column = first.column + i % 2;
      if (row >= of.M || column >= of.N) continue;
      float* const to = of.C + size_t(row) * of.N + column;
      if (isfinite(*to)) continue;
      float sum = 0;
      for (int k = 0; k < of.K; ++k) {
        sum = fmaf(of.A[size_t(row) * of.K + k], of.B[size_t(k) * of.N + column], sum);
      }
      *to = sum;
    }
  }

  __device__ __forceinline__ static void store_tile(const Sums& total, Shared& shared,
                                                    int consumer, const Operands& of, Corner at) {
    constexpr int kVectors = kSlices * kWide / 8;
    unsigned long long broken = 0;  // a bit for each vector
    if constexpr (Base::SPLIT_K > 1) {
      static_assert(sizeof shared.tiles >= Base::BM * Base::BN * sizeof(float),
                    "the sums fit into the stages");
      Base::sync_consumers();  // the stages are no longer read
      add_up_parts<Base::SPLIT_K, T::kTilesAtOnce, kVectors, kGroupThreads * CONSUMERS>(
          &total[0][0], shared.tiles, consumer * kGroupThreads + threadIdx.x % kGroupThreads,
          [&](const float(&sums)[4], int vector) {
            if (!store(of, at, vector, sums)) broken |= 1ull << vector;
          });
    } else {
#pragma unroll
      for (int vector = 0; vector < kVectors; ++vector) {
        if (!store(of, at, vector, &total[0][0] + vector * 4)) broken |= 1ull << vector;
      }
    }
    for (; broken != 0; broken &= broken - 1) repair(of, at, __ffsll(broken) - 1);
  }

  __device__ static void consume(Shared& shared, const Operands& of, const Tiles& tiles,
                                 int consumer) {
    const int steps = T::steps_of_block(tiles).count;
    const Place place = T::place_in_cluster();
    const int source =
        Base::source(min(int(threadIdx.x % kGroupThreads), Base::kSources - 1), place);
    Turn turn;
    Sums sum, total;
    for (int tile = Base::first_tile(); tile < tiles.count(); tile += Base::tiles_at_once()) {
      for (auto& slice : total) {
        for (float& one : slice) one = 0;
      }
      for (int step = 0; step < steps; step += kParts) {
        multiply_group(sum, shared, turn, consumer, source);
        add_to(total, sum);
      }
      Corner at = T::corner_of(tile, tiles, place);
      at.row += consumer * Base::kRowsPerConsumer;
      store_tile(total, shared, consumer, of, at);
    }
  }

  __device__ __forceinline__ static void multiply(const TensorMap& A_map, const TensorMap& B_map,
                                                  const Operands& of) {
    Base::run(A_map, B_map, T::make_tiles(of.M, of.N, of.K),
              [&](Shared& shared, const Tiles& tiles, int consumer) {
                consume(shared, of, tiles, consumer);
              });
  }
};
