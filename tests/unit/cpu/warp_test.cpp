#include <numeric>

#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

// Runs `body` with `lane`, `i` (thread) and `out` (one T for each thread) in scope.
template <typename T>
std::vector<T> evaluate(const std::string& type, const std::string& body, std::uint32_t threads,
                        const OptionList& options = {}) {
  Variant variant("extern \"C\" __global__ void kernel(" + type +
                      "* out) { const unsigned i = threadIdx.x, lane = i % 32; " + body + " }",
                  "kernel", options);
  Buffer<T> out{std::vector<T>(threads)};
  variant.run({1, threads}, out);
  return out.values;
}

TEST(Warp, ShufflesFollowTheirModes) {
  const auto out = evaluate<int>("int", R"(
    const unsigned all = 0xffffffffu;
    out[i] = __shfl_sync(all, (int)i, 3) + 1000 * __shfl_up_sync(all, (int)lane, 2) +
             100000 * __shfl_xor_sync(all, (int)lane, 5);)",
                                 64);
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32;
    const int up = lane < 2 ? lane : lane - 2;
    ASSERT_EQ(out[i], i / 32 * 32 + 3 + 1000 * up + 100000 * (lane ^ 5)) << i;
  }
}

TEST(Warp, WidthCutsTheWarpIntoParts) {
  const auto out = evaluate<int>("int", R"(
    out[i] = __shfl_down_sync(0xffffffffu, (int)lane, 3, 8) +
             100 * __shfl_sync(0xffffffffu, (int)lane, 9, 8) +
             10000 * __shfl_xor_sync(0xffffffffu, (int)lane, 8, 8);)",
                                 32);
  for (int lane = 0; lane < 32; ++lane) {
    const int part = lane / 8 * 8;
    const int down = lane % 8 + 3 > 7 ? lane : lane + 3;
    const int exclusive = (lane ^ 8) > part + 7 ? lane : lane ^ 8;
    ASSERT_EQ(out[lane], down + 100 * (part + 1) + 10000 * exclusive) << lane;
  }
}

TEST(Warp, ShufflesMoveFourAndEightByteTypes) {
  const auto out = evaluate<double>("double", R"(
    double d = lane + 0.5; float f = lane + 0.25f; long long l = (1ll << 40) + lane;
    unsigned u = lane;
    out[i] = __shfl_sync(~0u, d, 1) + __shfl_sync(~0u, f, 2) + __shfl_sync(~0u, u, 3) +
             (double)(__shfl_sync(~0u, l, 4) - (1ll << 40));)",
                                    32);
  EXPECT_EQ(out, std::vector<double>(32, 1.5 + 2.25 + 3 + 4));
}

TEST(Warp, ReductionByShufflesSumsABlockOfAnySize) {
  for (const std::uint32_t threads : {32U, 64U, 1024U}) {
    const auto out = evaluate<float>("float", R"(
      __shared__ float partial[32];
      float sum = i + 1;
      for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
      if (lane == 0) partial[i / 32] = sum;
      __syncthreads();
      if (i < 32) {
        sum = i < blockDim.x / 32 ? partial[i] : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        partial[i] = sum;
      }
      __syncthreads();
      out[i] = partial[0];)",
                                     threads);
    EXPECT_EQ(out, std::vector<float>(threads, static_cast<float>(threads * (threads + 1) / 2)));
  }
}

TEST(Warp, VotesAndReductionsSeeTheLanesOfTheMask) {
  const auto out = evaluate<unsigned>("unsigned", R"(
    const unsigned mask = lane < 10 ? 0x3ffu : ~0x3ffu;
    unsigned bits = 0;
    bits |= __ballot_sync(mask, lane % 2) == (mask & 0xaaaaaaaau) ? 1 : 0;
    bits |= __any_sync(mask, lane == 5) ? 2 : 0;
    bits |= __all_sync(mask, lane < 10) ? 4 : 0;
    bits |= __reduce_add_sync(mask, lane) << 8;
    bits |= __reduce_max_sync(mask, -(int)lane) == (lane < 10 ? 0 : -10) ? 8 : 0;
    bits |= __reduce_min_sync(mask, lane) == (lane < 10 ? 0u : 10u) ? 16 : 0;
    bits |= __match_any_sync(mask, (int)(lane % 2)) == (mask & (lane % 2 ? 0xaaaaaaaau : 0x55555555u)) ? 32 : 0;
    out[i] = bits;)",
                                      32);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned expected =
        lane < 10 ? (1 | 2 | 4 | 8 | 16 | 32 | 45 << 8) : (1 | 8 | 16 | 32 | (496 - 45) << 8);
    ASSERT_EQ(out[lane], expected) << lane;
  }
}

TEST(Warp, OverlappingMasksDoNotMixUpTheirValues) {
  const std::string body = R"(
    int v = lane;
    v = __shfl_sync(0xffffffffu, v, 31 - lane);
    if (lane < 2) {
      v += 100 * __shfl_xor_sync(3u, v, 1);
      v += 10000 * (__shfl_xor_sync(3u, v, 1) % 100);
    }
    __syncwarp();
    out[i] = v;)";
  for (const char* seed : {"1", "2", "3"}) {
    const auto out = evaluate<int>("int", body, 32, {{"order", "random"}, {"seed", seed}});
    EXPECT_EQ(out[0], 31 + 3000 + 300000);
    EXPECT_EQ(out[1], 30 + 3100 + 310000);
    EXPECT_EQ(out[5], 26);
  }
}

TEST(Warp, LanesThatReturnedAreNotWaitedFor) {
  const auto out = evaluate<int>("int", R"(
    if (lane % 2) return;
    out[i] = __popc(__ballot_sync(0xffffffffu, 1));)",
                                 48);
  for (int i = 0; i < 48; ++i) ASSERT_EQ(out[i], i % 2 == 1 ? 0 : i < 32 ? 16 : 8);
}

TEST(Warp, ActiveLanesAreThoseAtTheSamePlace) {
  const auto out = evaluate<unsigned>("unsigned", R"(
    if (lane % 4 == 0) out[i] = __activemask();
    else if (lane < 16) out[i] = __activemask() + 1;
    else out[i] = __activemask() + 2;)",
                                      32);
  for (unsigned i = 0; i < 32; ++i) {
    ASSERT_EQ(out[i], i % 4 == 0 ? 0x11111111U : i < 16 ? 0xEEEFU : 0xEEEE0002U) << i;
  }
}

TEST(Warp, AggregatedAtomicsWork) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* count, const int* in) {
  if (in[threadIdx.x] % 3 == 0) {
    const unsigned mask = __activemask();
    const int leader = __ffs(mask) - 1;
    int base = 0;
    if (threadIdx.x % 32 == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    atomicMax(count + 1, base);
  }
})");
  Buffer<int> count{{0, 0}};
  Buffer<int> in{std::vector<int>(320)};
  std::iota(in.values.begin(), in.values.end(), 0);
  variant.run({1, 320}, count, in);
  EXPECT_EQ(count.values[0], 107);
  EXPECT_EQ(count.values[1], 107 - 11);  // one addition for each warp; the last one has 11 lanes
}

}  // namespace
}  // namespace tuner::cpu
