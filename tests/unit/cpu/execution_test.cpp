#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

TEST(Execution, EveryThreadOfEveryBlockRunsOnceWithItsOwnIndices) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) count[i] += 1 + 10 * (gridDim.x == 7) + 100 * (blockDim.y == 1);
})");
  Buffer<int> count{std::vector<int>(200)};
  variant.run({7, 30}, count, 200);
  EXPECT_EQ(count.values, std::vector<int>(200, 111));
}

TEST(Execution, ThreeDimensionsCountXFastest) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* out) {
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const dim3 size(blockDim);
  out[block * (size.x * size.y * size.z) + thread] = thread + 1000 * block;
})");
  const std::uint64_t buffer = variant.backend->allocate(8 * 30 * 4);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  tuner_launch launch = launch_of(arguments, {2, 5});
  launch.grid[1] = launch.grid[2] = launch.block[2] = 2;
  launch.block[1] = 3;
  variant.backend->launch(variant.kernel, launch);
  std::vector<int> out(8 * 30);
  variant.backend->download({buffer, 0}, out.data(), out.size() * 4);
  for (int i = 0; i < 8 * 30; ++i) ASSERT_EQ(out[i], i % 30 + 1000 * (i / 30));
}

TEST(Execution, BarriersInALoopHoldAThousandThreadsInStep) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* data, int rounds) {
  __shared__ int ring[1024];
  const int i = threadIdx.x, n = blockDim.x;
  ring[i] = i;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const int next = ring[(i + 1) % n];
    __syncthreads();
    ring[i] = next;
  }
  data[blockIdx.x * n + i] = ring[i];
})");
  Buffer<int> data{std::vector<int>(3 * 1024)};
  variant.run({3, 1024}, data, 50);
  for (int i = 0; i < 3 * 1024; ++i) ASSERT_EQ(data.values[i], (i % 1024 + 50) % 1024);
}

TEST(Execution, ThreadsThatReturnDoNotHoldUpABarrier) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* out, int n) {
  __shared__ int sum;
  const int i = threadIdx.x;
  if (i == 0) sum = 0;
  __syncthreads();
  if (i >= n) return;
  atomicAdd(&sum, i);
  __syncthreads();
  out[i] = sum;
})");
  Buffer<int> out{std::vector<int>(50)};
  variant.run({1, 256}, out, 50);
  EXPECT_EQ(out.values, std::vector<int>(50, 49 * 50 / 2));
}

TEST(Execution, BarrierVotesSeeAllThreads) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* out) {
  const int i = threadIdx.x;
  out[4 * i] = __syncthreads_count(i % 3 == 0);
  out[4 * i + 1] = __syncthreads_and(i < 100);
  out[4 * i + 2] = __syncthreads_and(i < 99);
  out[4 * i + 3] = __syncthreads_or(i == 77) + 2 * __syncthreads_or(i == 100);
})");
  Buffer<int> out{std::vector<int>(400)};
  variant.run({1, 100}, out);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ((std::vector<int>(out.values.begin() + 4 * i, out.values.begin() + 4 * i + 4)),
              (std::vector<int>{34, 1, 0, 1}));
  }
}

#ifdef __SSE__
TEST(Execution, ALaunchRoundsAsUsualWhateverTheOneBeforeHasSet) {
  // With a barrier, so that each thread has a fiber, which is used again.
  Variant variant(R"(
extern "C" __global__ void kernel(float* y, int upwards) {
  if (upwards) __builtin_ia32_ldmxcsr(0x5F80);
  __syncthreads();
  volatile float three = 3;
  y[blockIdx.x * blockDim.x + threadIdx.x] = -1 / three;
})");
  constexpr int kCount = 64 * 32;
  Buffer<float> usual{std::vector<float>(kCount)};
  variant.run({64, 32}, usual, 0);
  Buffer<float> upwards{std::vector<float>(kCount)};
  variant.run({64, 32}, upwards, 1);
  Buffer<float> again{std::vector<float>(kCount)};
  variant.run({64, 32}, again, 0);
  EXPECT_GT(upwards.values[0], usual.values[0]);
  EXPECT_EQ(again.values, usual.values);
}
#endif

TEST(Execution, AtomicsHoldBetweenBlocks) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* ints, unsigned* words, float* f, double* d,
                                  unsigned long long* wide) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&ints[0], 1); atomicSub(&ints[1], 2); atomicMin(&ints[2], -i); atomicMax(&ints[3], i);
  atomicAdd(&words[0], 3u); atomicAnd(&words[1], ~(1u << i % 7)); atomicOr(&words[2], 1u << i % 9);
  atomicXor(&words[3], 1u); atomicInc(&words[4], 9u); atomicDec(&words[5], 9u);
  atomicAdd(f, 0.5f); atomicAdd(d, 0.25); atomicAdd(wide, 1ull << 33);
  unsigned old = words[6], seen;
  do { seen = old; old = atomicCAS(&words[6], seen, seen + 2); } while (old != seen);
  if (i == 5) ints[4] = atomicExch(&ints[5], 42);
})");
  constexpr int kThreads = 64 * 100;
  Buffer<int> ints{{0, 0, 0, 0, 0, 7}};
  Buffer<unsigned> words{{0, 0xFFFFFFFFU, 0, 0, 0, 0, 0}};
  Buffer<float> f{{0}};
  Buffer<double> d{{0}};
  Buffer<unsigned long long> wide{{0}};
  variant.run({100, 64}, ints, words, f, d, wide);
  EXPECT_EQ(ints.values,
            (std::vector<int>{kThreads, -2 * kThreads, 1 - kThreads, kThreads - 1, 7, 42}));
  EXPECT_EQ(words.values, (std::vector<unsigned>{3 * kThreads, 0xFFFFFF80U, 0x1FF, kThreads % 2,
                                                 kThreads % 10, 0, 2 * kThreads}));
  EXPECT_EQ(f.values[0], 0.5f * kThreads);
  EXPECT_EQ(d.values[0], 0.25 * kThreads);
  EXPECT_EQ(wide.values[0], static_cast<unsigned long long>(kThreads) << 33);
}

TEST(Execution, TheLastBlockToArriveSeesWhatTheOthersWrote) {
  Variant variant(R"(
__device__ unsigned arrived;
extern "C" __global__ void kernel(const float* in, float* partial, float* sum, int n) {
  __shared__ float tile[128];
  __shared__ bool last;
  const int i = threadIdx.x;
  const int at = blockIdx.x * 128 + i;
  tile[i] = at < n ? in[at] : 0;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (i < half) tile[i] += tile[i + half];
  }
  if (i == 0) {
    partial[blockIdx.x] = tile[0];
    __threadfence();
    last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && i == 0) {
    float all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += partial[b];
    *sum = all;
  }
})");
  Buffer<float> in{std::vector<float>(12345, 1)};
  Buffer<float> partial{std::vector<float>(97)};
  Buffer<float> sum{{-1}};
  for (int launch = 0; launch < 3; ++launch) {  // the counter is back at zero each time
    sum.values[0] = -1;
    variant.run({97, 128}, in, partial, sum, 12345);
    EXPECT_EQ(sum.values[0], 12345);
  }
}

TEST(Execution, VectorTypesAreLaidOutAsInCuda) {
  Variant variant(R"(
struct Pair { float a; int b; };
extern "C" __global__ void kernel(float4* v, Pair pair, const __grid_constant__ int3 odd, double2 d) {
  static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16, "");
  static_assert(alignof(uchar4) == 4 && alignof(short2) == 4 && sizeof(longlong2) == 16, "");
  static_assert(alignof(double2) == 16 && alignof(float2) == 8 && sizeof(char3) == 3, "");
  float4 x = v[threadIdx.x];
  x = make_float4(x.w, x.z + pair.a + pair.b, __ldg(&x.y) + odd.z, x.x + d.y);
  v[threadIdx.x] = x;
})");
  struct Pair {
    float a;
    int b;
  };
  struct Int3 {
    int x, y, z;
  };
  struct alignas(16) Double2 {
    double x, y;
  };
  Buffer<float> v{{1, 2, 3, 4, 5, 6, 7, 8}};
  variant.run({1, 2}, v, Pair{10, 20}, Int3{1, 2, 3}, Double2{0, 0.5});
  EXPECT_EQ(v.values, (std::vector<float>{4, 33, 5, 1.5F, 8, 37, 9, 5.5F}));
}

TEST(Execution, MathematicsIsThatOfCuda) {
  Variant variant(R"(
#include <cmath>
#include <math.h>
#include <cstdint>
#include <algorithm>
#include <cuda_runtime.h>
__host__ __device__ __forceinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float thrice(float x) { return 3 * x; }
extern "C" __global__ void __launch_bounds__(128, 2) kernel(double* out, float x, double y) {
  int n = 0;
#pragma unroll
  for (int i = 0; i < 3; ++i) n += i;
  out[n++] = sqrtf(x) + sqrt(x) + std::sqrt(y) + sqrt(y);  // 3
  out[n++] = max(1, 2) + min(1u, 2u) + fmaxf(x, 1.0f) + max(x, 2.0f) + min(y, 3.0);
  out[n++] = __float2int_rn(2.5f) + 10 * __float2int_rz(-2.9f) + 100 * __double2int_ru(1.1);
  out[n++] = __popc(0xF0u) + 10 * __clz(1) + 1000 * __ffs(8);
  out[n++] = __brev(1u) == 0x80000000u && __float_as_int(1.0f) == 0x3f800000 && INFINITY > 1e38f;
  out[n++] = fabsf(-x) + abs(-y) + abs(-3) + twice(x) + thrice(x) + rsqrtf(x);
  out[n++] = fmaf(x, x, 1.0f) + __fdividef(x, 2.0f) + __expf(0.0f) + powf(x, 2.0f) + exp2f(3);
  out[n++] = max(NAN, 7.0f) + __umulhi(1u << 31, 4u) + __saturatef(9.0f) + floorf(1.5f);
}
)");
  Buffer<double> out{std::vector<double>(11)};
  variant.run({1, 1}, out, 4.0F, 9.0);
  const std::vector<double> expected{0,
                                     0,
                                     0,
                                     10,
                                     2 + 1 + 4 + 4 + 3,
                                     2 - 20 + 200,
                                     4 + 310 + 4000,
                                     1,
                                     4 + 9 + 3 + 8 + 12 + 0.5,
                                     17 + 2 + 1 + 16 + 8,
                                     7 + 2 + 1 + 1};
  EXPECT_EQ(out.values, expected);
}

TEST(Execution, ConstantsAreSetByTheHost) {
  auto request = request_for(R"(
namespace filter { __constant__ float weights[3]; }
__constant__ int shift;
extern "C" __global__ void kernel(float* out) { out[threadIdx.x] = filter::weights[threadIdx.x] + shift; }
)");
  request.symbols = {"filter::weights", "shift"};
  Variant variant(request);
  const float weights[] = {1, 2, 3};
  const int shift = 10;
  ASSERT_EQ(variant.result.symbols.size(), 2U);
  const auto& [asked, lowered] = variant.result.symbols[0];
  EXPECT_EQ(asked, "filter::weights");
  variant.backend->set_symbol(variant.kernel, lowered, weights, sizeof weights);
  variant.backend->set_symbol(variant.kernel, variant.result.symbols[1].second, &shift, 4);
  Buffer<float> out{std::vector<float>(3)};
  variant.run({1, 3}, out);
  EXPECT_EQ(out.values, (std::vector<float>{11, 12, 13}));
  EXPECT_THROW(variant.backend->set_symbol(variant.kernel, lowered, weights, 13), sdk::Error);
  EXPECT_THROW(
      variant.backend->set_symbol(variant.kernel, variant.result.symbols[1].second, &shift, 2),
      sdk::Error);
  const float other = 5;
  variant.backend->set_symbol(variant.kernel, lowered, &other, 4);
  variant.run({1, 3}, out);
  EXPECT_EQ(out.values, (std::vector<float>{15, 12, 13})) << "the rest stays";
  EXPECT_THROW(variant.backend->set_symbol(variant.kernel, "printf", weights, 4), sdk::Error);
}

TEST(Execution, NameExpressionsChooseATemplatesInstance) {
  auto request = request_for(R"(
template <typename T, int N> __global__ void scale(T* data) { data[threadIdx.x] *= N; }
template __global__ void scale<float, 5>(float*);
)",
                             "scale<double, FACTOR + 1>");
  request.defines = {{"FACTOR", "6"}};
  Variant variant(request);
  Buffer<double> data{{1, 2}};
  variant.run({1, 2}, data);
  EXPECT_EQ(data.values, (std::vector<double>{7, 14}));
}

// A block of 80 threads: the last warp is half a one.
TEST(Execution, CooperativeGroupsAreBlocksAndTilesOfAWarp) {
  Variant variant(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(int* sums, int* ranks, int* largest, int* votes) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int i = cg::this_grid().thread_rank();
  sums[i] = cg::reduce(tile, i, cg::plus<int>());
  ranks[i] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
  largest[i] = cg::reduce(tile, int(tile.thread_rank()), cg::greater<int>());
  votes[i] = int(tile.ballot(tile.thread_rank() < 3)) + 100 * tile.any(tile.thread_rank() == 15) +
             tile.shfl_down(tile.shfl(int(tile.thread_rank()), 2), 1);
  cg::sync(block);
})");
  Buffer<int> sums{std::vector<int>(160)}, ranks{std::vector<int>(160)};
  Buffer<int> largest{std::vector<int>(160)}, votes{std::vector<int>(160)};
  variant.run({2, 80}, sums, ranks, largest, votes);
  for (int i = 0; i < 160; ++i) {
    const int first = i / 16 * 16;
    ASSERT_EQ(sums.values[i], 16 * first + 120) << i;
    ASSERT_EQ(ranks.values[i], i % 16 + 100 * (i % 80 / 16) + 50000) << i;
    ASSERT_EQ(largest.values[i], 15) << i;
    ASSERT_EQ(votes.values[i], 7 + 100 + 2) << i;
  }
}

TEST(Execution, DeterministicRandomOrderGivesTheSameAnswersWhereBarriersAreRight) {
  const std::string source = R"(
extern "C" __global__ void kernel(int* data) {
  __shared__ int tile[96];
  const int i = threadIdx.x;
  tile[i] = data[i];
  __syncthreads();
  int v = tile[95 - i];
  v += __shfl_xor_sync(0xffffffff, v, 1);
  __syncthreads();
  tile[i] = v;
  __syncthreads();
  data[i] = tile[(i + 1) % 96];
})";
  Buffer<int> in_order{std::vector<int>(96)};
  std::iota(in_order.values.begin(), in_order.values.end(), 0);
  Buffer<int> shuffled = in_order;
  Variant(source).run({1, 96}, in_order);
  Variant(source, "kernel", {{"order", "random"}, {"seed", "7"}}).run({1, 96}, shuffled);
  EXPECT_EQ(in_order.values, shuffled.values);
}

TEST(Execution, OneLaunchMayHaveAnotherOrderOfThreads) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* data) {
  __shared__ int came;
  if (threadIdx.x == 0) came = 0;
  __syncthreads();
  data[threadIdx.x] = atomicAdd(&came, 1);
})");
  const std::uint64_t buffer = variant.backend->allocate(96 * sizeof(int));
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}};
  const tuner_launch launch = launch_of(arguments, {1, 96});
  const auto order = [&](std::optional<std::uint64_t> seed) {
    if (seed) {
      variant.backend->launch_shuffled(variant.kernel, launch, *seed);
    } else {
      variant.backend->launch(variant.kernel, launch);
    }
    std::vector<int> came(96);
    variant.backend->download({buffer, 0}, came.data(), came.size() * sizeof(int));
    return came;
  };
  const auto usual = order(std::nullopt);
  EXPECT_TRUE(std::is_sorted(usual.begin(), usual.end()));
  const auto shuffled = order(1);
  EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  EXPECT_EQ(order(1), shuffled) << "the same seed";
  EXPECT_NE(order(2), shuffled);
  EXPECT_EQ(order(std::nullopt), usual) << "as before";
}

}  // namespace
}  // namespace tuner::cpu
