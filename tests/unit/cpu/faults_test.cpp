#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

TEST(Faults, ABarrierThatNotAllCanReachIsReported) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* out) {
  if (threadIdx.x < 16) out[0] = __shfl_down_sync(0xffffffffu, 1, 1);
  else __syncthreads();
})");
  Buffer<int> out{{0}};
  const std::string fault = variant.fault(TUNER_RUNTIME_FAULT, {1, 32}, out);
  EXPECT_NE(fault.find("barrier divergence"), std::string::npos) << fault;
  EXPECT_NE(fault.find("16 wait in __syncthreads()"), std::string::npos) << fault;
  EXPECT_NE(fault.find("0xffff0000"), std::string::npos) << fault;
}

TEST(Faults, AFailedAssertionNamesConditionPlaceAndThread) {
  for (const char* include : {"", "#include <cassert>"}) {
    Variant variant(std::string(include) + R"(
extern "C" __global__ void kernel(int* out) {
  __syncthreads();
  assert(threadIdx.x != 7 || blockIdx.x != 2);
})");
    Buffer<int> out{{0}};
    EXPECT_EQ(variant.fault(TUNER_RUNTIME_FAULT, {3, 32}, out),
              "assertion failed: threadIdx.x != 7 || blockIdx.x != 2 at kernel.cu:4, in thread "
              "(7,0,0) of block (2,0,0)");
  }
}

TEST(Faults, TheBackendGoesOnAfterAFault) {
  Variant variant(R"(
extern "C" __global__ void kernel(int* out, int trap) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (trap && threadIdx.x == 40) __trap();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
})");
  Buffer<int> out{std::vector<int>(64)};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(variant.fault(TUNER_RUNTIME_FAULT, {8, 64}, out, 1).find("__trap()"),
              std::string::npos);
    EXPECT_EQ(variant.fault(TUNER_RUNTIME_FAULT, {8, 64}, out, 0), "");
    EXPECT_EQ(out.values[0], 63);
  }
}

TEST(Faults, AMaskWithoutTheCallingLaneIsReported) {
  Variant variant("extern \"C\" __global__ void kernel(int* out) { out[0] = __any_sync(1u, 1); }");
  Buffer<int> out{{0}};
  EXPECT_NE(variant.fault(TUNER_RUNTIME_FAULT, {1, 2}, out).find("leaves out the calling lane"),
            std::string::npos);
}

TEST(Faults, RandomOrderExposesAMissingBarrier) {
  const std::string source = R"(
extern "C" __global__ void kernel(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  // no __syncthreads() here
  out[threadIdx.x] = threadIdx.x == 0 ? 0 : tile[threadIdx.x - 1];
})";
  Buffer<int> in_order{std::vector<int>(64)};
  Buffer<int> shuffled = in_order;
  Variant(source).run({1, 64}, in_order);
  Variant(source, "kernel", {{"order", "random"}}).run({1, 64}, shuffled);
  for (int i = 1; i < 64; ++i) ASSERT_EQ(in_order.values[i], i - 1) << "hidden by the order";
  EXPECT_NE(shuffled.values, in_order.values);
}

TEST(Faults, AWriteBeyondTheEndLandsInWhatFollows) {
  Variant variant("extern \"C\" __global__ void kernel(int* data, int n) { data[n] = 7; }");
  const std::uint64_t buffer = variant.backend->allocate(11 * 4);
  variant.backend->fill({buffer, 0}, 11, {TUNER_FILL_CONSTANT, TUNER_INT32, 1, 0, 0});
  const int n = 10;  // elements 0..9 are the kernel's, 10 is a guard
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}, {0, 4, {0, 0}, &n}};
  variant.backend->launch(variant.kernel, launch_of(arguments));
  int guard = 0;
  variant.backend->download({buffer, 40}, &guard, 4);
  EXPECT_EQ(guard, 7);
}

TEST(FaultsDeathTest, AWriteFarBeyondTheEndEndsTheProcess) {
  Variant variant("extern \"C\" __global__ void kernel(int* data, int n) { data[n] = 7; }");
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Buffer<int> data{{1}};
#ifdef TUNER_SANITIZED
  EXPECT_DEATH(variant.run({1, 1}, data, 64), "");
#else
  EXPECT_DEATH(variant.run({1, 1}, data, 64),
               "thread .0,0,0. of block .0,0,0. uses an address 252 bytes behind argument 1, a "
               "buffer of 4 bytes");
#endif
}

#ifndef TUNER_SANITIZED
TEST(FaultsDeathTest, WhatAThreadDidIsSaid) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto variant_of = [](const std::string& body) {
    return Variant(
        "__device__ int deep(int n) { volatile int a[4096]; a[n & 4095] = n;\n"
        "  return n == 0 ? 0 : deep(n - 1) + a[n & 4095]; }\n"
        "extern \"C\" __global__ void kernel(int* x, int n) {\n"
        "  if (threadIdx.x == 5 && blockIdx.x == 1) " +
        body + "\n}");
  };
  Buffer<int> x{{1}};
  EXPECT_DEATH(variant_of("*(int*)(8L * n) = 1;").run({2, 32}, x, 1),
               "thread .5,0,0. of block .1,0,0. uses a null pointer .address 8.");
#ifdef __x86_64__
  EXPECT_DEATH(variant_of("*(int*)(1L << (n + 61)) = 1;").run({2, 32}, x, 1),
               "thread .5,0,0. of block .1,0,0. uses an address that no memory has, or one that is "
               "misaligned");
#endif
  EXPECT_DEATH(variant_of("*x = 7 / (n - 1);").run({2, 32}, x, 1), "divides an integer by zero");
  EXPECT_DEATH(variant_of("*x = deep(100);").run({2, 32}, x, 1),
               "needs more than 128 KiB of local memory .launch: .limits: .stack: BYTES");
  EXPECT_EXIT(
      {
        Fiber::set_stack_bytes(4 << 20);
        variant_of("*x = deep(100);").run({2, 32}, x, 1);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}
#endif

TEST(Faults, ImpossibleLaunchesAreRefusedAndHarmless) {
  Variant variant("extern \"C\" __global__ void kernel(int* out) { out[0] = blockDim.x; }");
  Buffer<int> out{{0}};
  EXPECT_NE(variant.fault(TUNER_LAUNCH_REFUSED, {1, 1025}, out), "");
  EXPECT_NE(variant.fault(TUNER_LAUNCH_REFUSED, {1, 0}, out), "");
  EXPECT_NE(variant.fault(TUNER_LAUNCH_REFUSED, {0, 1}, out), "");
  EXPECT_NE(variant.fault(TUNER_LAUNCH_REFUSED, {0x80000000U, 1}, out), "");
  EXPECT_NE(variant.fault(TUNER_INVALID, {1, 1}), "");
  EXPECT_NE(variant.fault(TUNER_INVALID, {1, 1}, out, 1), "");
  EXPECT_NE(variant.fault(TUNER_INVALID, {1, 1}, 1), "") << "4 bytes for a pointer";
  EXPECT_EQ(variant.fault(TUNER_INVALID, {1, 64}, out), "");
  EXPECT_EQ(out.values[0], 64);
}

}  // namespace
}  // namespace tuner::cpu
