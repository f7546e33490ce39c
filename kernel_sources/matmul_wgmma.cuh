#pragma once
// FORM wgmma (sm_90a): a block is one warp group that orders copies and CONSUMERS that multiply.
//
//   STAGES     tiles in shared memory: `full` says that one has arrived, `empty` that it may be
//              overwritten. Both sides walk over them in the same order and never meet otherwise
//   CONSUMERS  warp groups that multiply
//   SHARE      what they share: a tile of C; or the tiles, in turns, so that one stores its tile
//              while another multiplies
//   CLUSTER    blocks, one above the other, that need the same tile of B. Each brings a part of it
//              into the shared memory of all. The L2 cache has less to deliver, which is what limits
//              products of few tiles, and those whose rows begin within its lines
//   CLUSTER_N  the same for blocks side by side, which need the same tile of A
//   BM         neither 64 nor a multiple of 128: the columns of B stand in for the rows of A. An
//              instruction has 64 of the ones and any multiple of 8 of the others, so that tiles fit
//              the rows of C rather than that these are rounded up to 64 or 128
//   STREAM     tiles of B are marked as used once. They leave the L2 cache first, in place of what
//              was written there before and would have to be written back
//   PERSISTENT one block for each place on the device takes tile after tile, so that the copies for
//              the next begin while the last is stored; otherwise one block for each tile

#include "tensor_copy.cuh"
#include "tensor_split.cuh"
#include "tensor_tiles.cuh"
#include "wgmma.cuh"

// TILING says where the tiles are: of one product, or of several (grouped_tiles.cuh).
template <class Sizes, template <class> class TILING = TensorTile>
struct WgmmaProduct {
  using T = TILING<Sizes>;
  using Tiles = typename T::AllTiles;
  using Corner = typename T::TileCorner;
  static constexpr int BM = T::BM, BN = T::BN, BK = T::BK, STAGES = T::STAGES;
  static constexpr int SPLIT_K = T::SPLIT_K;
  static constexpr int kStepBytes = T::kStepBytes, kStepsOfK = T::kStepsOfK;
  static constexpr int kBoxRows = T::kBoxRows, kBox = T::kBox;
  static constexpr int kTileA = T::kTileA, kStage = T::kStage;
  static constexpr int CONSUMERS = T::CONSUMERS;
  static constexpr int CLUSTER = T::CLUSTER, CLUSTER_N = T::CLUSTER_N;
  static constexpr bool kSharesTiles = CLUSTER * CLUSTER_N > 1;  // tiles of A or B

  static constexpr int kGroupThreads = 128;  // of a warp group
  static constexpr int kThreads = kGroupThreads * (CONSUMERS + 1);
  static constexpr bool kInTurns = T::kInTurns;
  static constexpr int kSharers = kInTurns ? 1 : CONSUMERS;   // consumers of one tile
  static constexpr bool kTurned = BM != 64 && BM % 128 != 0;  // the transpose of C is computed
  static constexpr int kTall = kTurned ? BN : BM;             // by slices of 64, for an instruction
  // Consumers share the slices, or, where their number is odd, what each slice is multiplied with.
  static constexpr bool kSliceForAll = kTall / 64 % kSharers != 0;
  static constexpr int kSlices = kTall / 64 / (kSliceForAll ? 1 : kSharers);
  static constexpr int kWide = (kTurned ? BM : BN) / (kSliceForAll ? kSharers : 1);
  static constexpr int kRowsPerConsumer = kTurned ? kWide : kSlices * 64;
  static constexpr int kColumnsPerConsumer = kTurned ? kSlices * 64 : kWide;
  static constexpr int kStoreBuffers = 2;  // of each consumer
  static constexpr int kStoreColumns = kRowBytes / sizeof(Result);
  static constexpr int kStoreRows = kTurned ? 8 : 64;  // of the map of C

  static_assert(!kTurned || (sizeof(Element) == 2 && kWide % 8 == 0), "16-bit numbers are turned");
  static_assert(!kInTurns || CONSUMERS == 2, "there are two turns");
  static_assert(SPLIT_K == 1 || (!kInTurns && !T::kPersistent), "who shares K has one tile");
  static_assert(BM % (8 * CLUSTER_N) == 0, "the swizzle repeats every eight rows");
  static_assert(kTall % 64 == 0, "whole instructions");
  static_assert(kTurned || !kSliceForAll, "boxes of B are not divided");

  // Boxes of C follow the stages; a block of one tile no longer needs these, and reuses them.
  static constexpr int kStores = CONSUMERS * kStoreBuffers * kBox;
  static constexpr int kFirstStore = T::kPersistent ? STAGES * kStage : 0;
  static constexpr int kTilesEnd = kFirstStore + kStores;
  struct Shared {
    unsigned char tiles[kTilesEnd > STAGES * kStage ? kTilesEnd : STAGES * kStage];
    Barrier full[STAGES], empty[STAGES];
    Barrier turns[2];  // of the consumers
    __device__ __forceinline__ unsigned char* stage(int i) { return tiles + i * kStage; }
    __device__ __forceinline__ unsigned char* store(int consumer, int i) {
      return tiles + kFirstStore + (consumer * kStoreBuffers + i) * kBox;
    }
  };

  __device__ __forceinline__ static Shared& shared_memory() {
    extern __shared__ __align__(1024) unsigned char memory[];
    return *reinterpret_cast<Shared*>(memory);
  }

  // A place in the ring of stages, and how often it was passed (its parity).
  struct Turn {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void next() {
      if (++stage < STAGES) return;
      stage = 0;
      parity ^= 1;
    }
    __device__ __forceinline__ void skip(int count) {
      parity ^= (stage + count) / STAGES & 1;
      stage = (stage + count) % STAGES;
    }
  };

  static constexpr int kBlocks = T::kTilesAtOnce * SPLIT_K;  // of a cluster
  __device__ __forceinline__ static int first_tile() { return blockIdx.x / kBlocks; }
  __device__ __forceinline__ static int tiles_at_once() { return gridDim.x / kBlocks; }

  // ---- the producer ----

  // A part of a tile, for this block or for all SHARERS, whose first is `first` in the cluster; the
  // others follow STRIDE blocks apart.
  template <int SHARERS, int STRIDE, bool ONCE>
  __device__ __forceinline__ static void load_part(void* to, const TensorMap& map, Barrier* full,
                                                   int x, int y, int first) {
    if constexpr (SHARERS > 1) {
      unsigned all = 0;
      for (int i = 0; i < SHARERS; ++i) all |= 1u << i * STRIDE;
      load_shared_box(to, map, full, x, y, static_cast<unsigned short>(all << first));
    } else {
      load_box<ONCE>(to, map, full, x, y);
    }
  }

  __device__ __forceinline__ static void load_stage(unsigned char* stage, Barrier* full,
                                                    const TensorMap& A_map, const TensorMap& B_map,
                                                    Corner at, int k, Place place) {
    const int cluster = place.part * T::kTilesAtOnce;  // the first that has this part of K
    const auto load_a = [&](int row) {
      load_part<CLUSTER_N, CLUSTER, false>(stage + row * kRowBytes, A_map, full, k, at.row + row,
                                           cluster + place.row);
    };
    const auto load_b = [&](unsigned char* to, int x, int y) {
      load_part<CLUSTER, 1, T::kOnce>(to, B_map, full, x, y, cluster + place.column * CLUSTER);
    };
    load_a(place.column * (BM / CLUSTER_N));
    unsigned char* const tile_b = stage + kTileA;
    if constexpr (kTurnedB) {  // rows of k
      const int first = place.row * (BN / CLUSTER);
      load_b(tile_b + first * kRowBytes, k, at.column_of_b() + first);
    } else {  // 64 columns at a time
      const int first = place.row * (BK / CLUSTER);
      for (int box = 0; box < BN / kBoxRows; ++box) {
        load_b(tile_b + box * kBox + first * kRowBytes, at.column + box * kBoxRows, k + first);
      }
    }
  }

  __device__ static void produce(Shared& shared, const TensorMap& A_map, const TensorMap& B_map,
                                 const Tiles& tiles) {
    const Steps steps = T::steps_of_block(tiles);
    const Place place = T::place_in_cluster();
    Turn turn;
    for (int tile = first_tile(); tile < tiles.count(); tile += tiles_at_once()) {
      const Corner at = T::corner_of(tile, tiles, place);
      for (int step = 0; step < steps.count; ++step) {
        wait_for(&shared.empty[turn.stage], turn.parity ^ 1);
        Barrier* const full = &shared.full[turn.stage];
        arrive_expecting(full, kStage);
        load_stage(shared.stage(turn.stage), full, A_map, B_map, at, (steps.first + step) * BK,
                   place);
        turn.next();
      }
    }
  }

  // ---- the consumers ----

  using Sums = float[kSlices][kWide / 2];

  // 32 bytes of k: further along the rows, or 16 rows down, where the next 64 columns are a box on.
  __device__ __forceinline__ static unsigned long long describe_a(const unsigned char* stage,
                                                                  int row, int step) {
    return describe(stage + row * kRowBytes + step * kStepBytes, 8 * kRowBytes, 0);
  }
  __device__ __forceinline__ static unsigned long long describe_b(const unsigned char* stage,
                                                                  int column, int step) {
    if (kTurnedB) return describe_a(stage + kTileA, column, step);
    return describe(stage + kTileA + column / kBoxRows * kBox + step * 16 * kRowBytes,
                    8 * kRowBytes, kBox);
  }

  template <int SLICES>
  __device__ __forceinline__ static void multiply_stage(Sums& sum, const unsigned char* stage,
                                                        int part, bool first) {
    wgmma_begin();
#pragma unroll
    for (int slice = 0; slice < SLICES; ++slice) {
      const int at = ((kSliceForAll ? 0 : part * kSlices) + slice) * 64;
#pragma unroll
      for (int step = 0; step < kStepsOfK; ++step) {
        const bool add = !first || step > 0;
        if constexpr (kTurned) {
          wgmma<kWide, !kTurnedB, false>(sum[slice], describe_b(stage, at, step),
                                    describe_a(stage, kSliceForAll ? part * kWide : 0, step), add);
        } else {
          wgmma<kWide, false, !kTurnedB>(sum[slice], describe_a(stage, at, step),
                                         describe_b(stage, 0, step), add);
        }
      }
    }
    wgmma_end_group();
  }

  // The blocks that a part of a stage comes from: this one's column, and the others of its row.
  static constexpr int kSources = CLUSTER + CLUSTER_N - 1;
  __device__ __forceinline__ static int source(int number, Place place) {
    const int other = number - CLUSTER;
    const int row = other < 0 ? number : place.row;
    const int column = other < 0 ? place.column : other + (other >= place.column);
    return place.part * T::kTilesAtOnce + column * CLUSTER + row;
  }

  // This stage may be overwritten. (`source` is one for each of the first threads.)
  __device__ __forceinline__ static void release(Shared& shared, int stage, int source) {
    const int thread = threadIdx.x % kGroupThreads;
    if constexpr (kSharesTiles) {
      if (thread < kSources) arrive_at(&shared.empty[stage], source);
    } else {
      if (thread == 0) arrive(&shared.empty[stage]);
    }
  }

  // Issues all products of a tile, of which those of the last stage may still be running.
  template <int SLICES = kSlices>
  __device__ __forceinline__ static void multiply_tile(Sums& sum, Shared& shared, Turn& turn,
                                                       int part, int steps, int source) {
    for (int step = 0; step < steps; ++step) {
      const int before = turn.stage > 0 ? turn.stage - 1 : STAGES - 1;
      wait_for(&shared.full[turn.stage], turn.parity);
      multiply_stage<SLICES>(sum, shared.stage(turn.stage), part, step == 0);
      wgmma_wait<1>();  // this stage's products run on; the one before is done with
      if (step > 0) release(shared, before, source);
      turn.next();
    }
  }

  // Issues the products of `rows` rows, in whole slices: those behind are nobody's. The stages are
  // waited for and released all the same.
  template <int SLICES = kSlices>
  __device__ __forceinline__ static void multiply_rows(int rows, Sums& sum, Shared& shared,
                                                       Turn& turn, int part, int steps,
                                                       int source) {
    if constexpr (SLICES > 0) {
      if (rows <= (SLICES - 1) * 64) {
        return multiply_rows<SLICES - 1>(rows, sum, shared, turn, part, steps, source);
      }
    }
    multiply_tile<SLICES>(sum, shared, turn, part, steps, source);
  }

  __device__ __forceinline__ static void finish_tile(Sums& sum, Shared& shared, const Turn& turn,
                                                     int source) {
    wgmma_wait<0>();
    release(shared, turn.stage > 0 ? turn.stage - 1 : STAGES - 1, source);
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
#pragma unroll
      for (int i = 0; i < kWide / 2; ++i) asm volatile("" : "+f"(sum[slice][i])::"memory");
    }
  }

  __device__ __forceinline__ static void sync_consumer(int consumer) {
    asm volatile("bar.sync %0, %1;" ::"r"(consumer + 1), "n"(kGroupThreads) : "memory");
  }
  __device__ __forceinline__ static void sync_consumers() {
    constexpr int kThreadsOfAll = kGroupThreads * CONSUMERS;
    asm volatile("bar.sync %0, %1;" ::"n"(CONSUMERS + 1), "n"(kThreadsOfAll) : "memory");
  }

  // The rows of a box that lie in front of the tile's end, by the consumer's threads.
  __device__ __forceinline__ static void store_rows(const unsigned char* box, Result* C, int N,
                                                    int row, int column, int end) {
    constexpr int kPieces = kRowBytes / 16;
    const int pieces = (end - row) * kPieces;
    for (int i = threadIdx.x % kGroupThreads; i < pieces; i += kGroupThreads) {
      const int down = i / kPieces, byte = i % kPieces * 16;
      const int to = column + byte / int(sizeof(Result));
      if (to >= N) continue;
      *reinterpret_cast<uint4*>(C + size_t(row + down) * N + to) =
          *reinterpret_cast<const uint4*>(box + place_in_tile(down, byte));
    }
  }

  // 64 rows at a time and 128 bytes of each, through shared memory with the swizzle of the map.
  __device__ __forceinline__ static void store_tile(const Sums& sum, Shared& shared, int consumer,
                                                    const TensorMap& C_map, Result* C, int N,
                                                    Corner at) {
    constexpr int kBlocks = kStoreColumns / 8;  // of eight columns
    constexpr int kBoxesDown = (kRowsPerConsumer + 63) / 64,
                  kBoxesAlong = kColumnsPerConsumer / kStoreColumns;
    constexpr int kBoxes = kBoxesDown * kBoxesAlong;
    // With an odd number of boxes the tile before ended in the buffer that this one begins with.
    constexpr int kFirstPending = kBoxes % kStoreBuffers == 0 ? kStoreBuffers - 1 : 0;
    const int thread = threadIdx.x % kGroupThreads;
#pragma unroll
    for (int box = 0; box < kBoxes; ++box) {
      const int down = box / kBoxesAlong, along = box % kBoxesAlong;
      constexpr int kLastRows = kRowsPerConsumer - (kBoxesDown - 1) * 64;
      const int rows = down < kBoxesDown - 1 ? 64 : kLastRows;
      unsigned char* const buffer = shared.store(consumer, box % kStoreBuffers);
      if (thread == 0) {
        if (box == 0) {
          wait_for_stores<kFirstPending>();
        } else {
          wait_for_stores<kStoreBuffers - 1>();
        }
      }
      sync_consumer(consumer);
      if constexpr (kTurned) {
        // A warp has sixteen columns of all rows.
        const int byte = (thread / 32 * 16 + thread % 4 * 2) * int(sizeof(Result));
#pragma unroll
        for (int block = 0; block < rows / 8; ++block) {
          const float* const value = &sum[along][(down * 8 + block) * 4];
          const int row = block * 8 + thread % 32 / 4;
          store_word(buffer + place_in_tile(row, byte), turn_block(value[0], value[1]));
          store_word(buffer + place_in_tile(row, byte + 16), turn_block(value[2], value[3]));
        }
      } else {
        const int row = thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          const float* const value = &sum[down][(along * kBlocks + block) * 4];
          const int byte = (block * 8 + thread % 4 * 2) * int(sizeof(Result));
          store_pair(buffer + place_in_tile(row, byte), value[0], value[1]);
          store_pair(buffer + place_in_tile(row + 8, byte), value[2], value[3]);
        }
      }
      make_visible_to_copies();
      sync_consumer(consumer);
      const bool whole = at.row + down * 64 + rows <= at.end();
      if (!whole) {
        store_rows(buffer, C, N, at.row + down * 64, at.column + along * kStoreColumns, at.end());
      }
      if (thread == 0) {
        for (int row = 0; whole && row < rows; row += kStoreRows) {
          store_box(C_map, buffer + row * kRowBytes, at.column + along * kStoreColumns,
                    at.row + down * 64 + row);
        }
        end_stores();  // without boxes, too: what waits for a buffer counts them
      }
    }
  }

  __device__ __forceinline__ static void store_totals(const Sums& sum, Shared& shared, int consumer,
                                                      Result* C, int M, int N, Corner at) {
    static_assert(sizeof shared.tiles >= BM * BN * sizeof(float), "the sums fit into the stages");
    const int thread = threadIdx.x % kGroupThreads;
    add_up_parts<SPLIT_K, T::kTilesAtOnce, kSlices * kWide / 8, kGroupThreads * CONSUMERS>(
        &sum[0][0], shared.tiles, consumer * kGroupThreads + thread,
        [&](const float(&total)[4], int vector) {
          const int slice = vector / (kWide / 8) * 64, block = vector % (kWide / 8) * 8;
          if constexpr (kTurned) {
            const unsigned left = turn_block(total[0], total[1]),
                           right = turn_block(total[2], total[3]);
            const int row = at.row + block + thread % 32 / 4;
            const int column = at.column + slice + thread / 32 * 16 + thread % 4 * 2;
            if (row >= M) return;
            if (column < N) store_word(C + size_t(row) * N + column, left);
            if (column + 8 < N) store_word(C + size_t(row) * N + column + 8, right);
          } else {
            const int upper = at.row + slice + thread / 32 * 16 + thread % 32 / 4,
                      lower = upper + 8;
            const int column = at.column + block + thread % 4 * 2;  // N is even
            if (column >= N) return;
            if (upper < M) store_pair(C + size_t(upper) * N + column, total[0], total[1]);
            if (lower < M) store_pair(C + size_t(lower) * N + column, total[2], total[3]);
          }
        });
  }

  // Of a consumer's part of a tile.
  __device__ __forceinline__ static Corner corner_of_part(int tile, const Tiles& tiles, Place place,
                                                          int part) {
    Corner at = T::corner_of(tile, tiles, place);
    if (kTurned && !kSliceForAll) {
      at.column += part * kColumnsPerConsumer;
    } else {
      at.row += part * kRowsPerConsumer;
    }
    return at;
  }

  __device__ static void consume(Shared& shared, const TensorMap& C_map, Result* C, int M, int N,
                                 const Tiles& tiles, int consumer) {
    const Steps steps = T::steps_of_block(tiles);
    const Place place = T::place_in_cluster();
    const int from = source(min(int(threadIdx.x % kGroupThreads), kSources - 1), place);
    const int part = kInTurns ? 0 : consumer;  // of the tile
    Turn turn;
    Sums sum;
    int count = 0;  // of tiles so far
    for (int tile = first_tile(); tile < tiles.count(); tile += tiles_at_once(), ++count) {
      if (kInTurns && count % 2 != consumer) {
        turn.skip(steps.count);
        continue;
      }
      // Nobody waits for stages further ahead than once around the ring: parities could not tell.
      if (kInTurns) wait_for(&shared.turns[consumer], (count / 2 + consumer + 1) % 2);
      if constexpr (T::kEndsEarly && !kTurned) {
        const int rows = corner_of_part(tile, tiles, place, part).rows();
        multiply_rows(rows, sum, shared, turn, part, steps.count, from);
      } else {
        multiply_tile(sum, shared, turn, part, steps.count, from);
      }
      if (kInTurns && threadIdx.x % kGroupThreads == 0) arrive(&shared.turns[1 - consumer]);
      finish_tile(sum, shared, turn, from);
      if constexpr (!T::kPersistent) sync_consumers();  // the stages are no longer read
      const Corner at = corner_of_part(tile, tiles, place, part);
      if constexpr (SPLIT_K > 1) {
        store_totals(sum, shared, consumer, C, M, N, at);
      } else {
        store_tile(sum, shared, consumer, C_map, C, N, at);
      }
    }
    if (threadIdx.x % kGroupThreads == 0) wait_for_stores<0>();
  }

  // ---- the block ----

  // The registers that the producer does not need go to the consumers. All threads begin with as
  // many as fit (a multiple of 8, at most 255: then there is nothing to give).
  static constexpr int kAtStart = 65536 / T::BLOCKS_PER_SM / kThreads / 8 * 8;
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters =
      (kAtStart + (kAtStart - kProducerRegisters) / CONSUMERS) / 8 * 8;
  static constexpr bool kMoveRegisters = kAtStart < 255;

  __device__ __forceinline__ static void multiply(const TensorMap& A_map, const TensorMap& B_map,
                                                  const TensorMap& C_map, Result* C, int M, int N,
                                                  const Tiles& tiles) {
    if (threadIdx.x == kGroupThreads) fetch_map(C_map);
    run(A_map, B_map, tiles, [&](Shared& shared, const Tiles&, int consumer) {
      consume(shared, C_map, C, M, N, tiles, consumer);
    });
  }

  // Calls consume(shared, tiles, consumer) in the threads that multiply.
  template <class Consume>
  __device__ __forceinline__ static void run(const TensorMap& A_map, const TensorMap& B_map,
                                             const Tiles& tiles, Consume consume) {
    Shared& shared = shared_memory();
    if (threadIdx.x == 0) {
      fetch_map(A_map);
      fetch_map(B_map);
      for (int i = 0; i < STAGES; ++i) {
        init_barrier(&shared.full[i], 1);
        init_barrier(&shared.empty[i], kSharers * kSources);
      }
      for (Barrier& turn : shared.turns) init_barrier(&turn, 1);
      publish_barriers();
    }
    if constexpr (kSharesTiles) {
      sync_cluster();
    } else {
      __syncthreads();
    }
    if (threadIdx.x < kGroupThreads) {
      if constexpr (kMoveRegisters) keep_registers<kProducerRegisters>();
      if (threadIdx.x == 0) produce(shared, A_map, B_map, tiles);
      if constexpr (SPLIT_K > 1) meet_adders();
    } else {
      if constexpr (kMoveRegisters) take_registers<kConsumerRegisters>();
      consume(shared, tiles, threadIdx.x / kGroupThreads - 1);
    }
    // Others still copy into this block and arrive at its barriers, unless all have met to add up.
    if constexpr (kSharesTiles && SPLIT_K == 1) sync_cluster();
  }
};
