#include "tuner/plugins/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda_fixture.h"

namespace tuner::cuda {
namespace {

TEST_F(Cuda, FactsComeFromTheDriver) {
  const tuner_device_facts facts = backend.facts();
  EXPECT_STREQ(facts.name, "Fake H200");
  EXPECT_STREQ(facts.uuid, "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
  EXPECT_STREQ(facts.arch, "sm_90");
  EXPECT_EQ(facts.compute_capability, 90);
  EXPECT_EQ(facts.max_shared_memory_per_block_optin, 232448);
  EXPECT_EQ(facts.memory_bytes, std::int64_t{1} << 37);
  EXPECT_STREQ(CudaBackend(driver.api(), 0, "sm_90a").facts().arch, "sm_90a");
}

TEST_F(Cuda, ADeviceThatIsNotThereIsNamed) {
  const auto error = error_of([&] { CudaBackend(driver.api(), 2, "auto"); });
  EXPECT_EQ(error.status(), TUNER_UNSUPPORTED);
  EXPECT_STREQ(error.what(),
               "there is no CUDA device 2; devices are counted from 0 and there are 2");
}

TEST_F(Cuda, AdoptedMemoryIsNotFreed) {
  const std::uint64_t own = backend.allocate(64);
  std::vector<char> theirs(64, 'x');
  const std::uint64_t adopted = backend.adopt(reinterpret_cast<std::uintptr_t>(theirs.data()), 64);
  backend.copy({own, 0}, {adopted, 32}, 32);
  EXPECT_THROW(backend.copy({own, 0}, {adopted, 32}, 33), sdk::Error);
  const int alive = driver.alive;
  backend.release(adopted);
  EXPECT_EQ(driver.alive, alive);
  EXPECT_THROW(backend.copy({own, 0}, {adopted, 0}, 1), sdk::Error);
  EXPECT_STREQ(error_of([&] { backend.adopt(own, 64); }).what(),
               "this memory is the backend's own");
  EXPECT_STREQ(error_of([&] { backend.adopt(0, 64); }).what(),
               "a null pointer is no device memory");
}

TEST_F(Cuda, ADeviceForOneProcessSaysSo) {
  driver.failing["retain"] = CUDA_ERROR_DEVICE_UNAVAILABLE;
  driver.compute_mode = CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
  const auto error = error_of([&] { backend.allocate(1); });
  EXPECT_EQ(error.status(), TUNER_DEVICE_LOST);
  EXPECT_TRUE(std::string(error.what()).starts_with("the device is in exclusive compute mode"));
  driver.compute_mode = CU_COMPUTEMODE_DEFAULT;
  EXPECT_TRUE(std::string(error_of([&] { backend.allocate(1); }).what()).starts_with("cuDevice"));
}

TEST_F(Cuda, LimitsOfTheContextAreThoseOfTheStudyAndThenTheOnesBefore) {
  {
    CudaBackend other(driver.api(), 0, "auto");
    other.set_limits(64 << 20, 16384, 0);
    EXPECT_EQ(driver.limits.at(CU_LIMIT_MALLOC_HEAP_SIZE), 64U << 20);
    EXPECT_EQ(driver.limits.at(CU_LIMIT_STACK_SIZE), 16384U);
    EXPECT_FALSE(driver.limits.contains(CU_LIMIT_PRINTF_FIFO_SIZE));
    other.set_limits(64 << 20, 0, 0);
    EXPECT_EQ(driver.limits.at(CU_LIMIT_STACK_SIZE), 1024U);
  }
  EXPECT_EQ(driver.limits.at(CU_LIMIT_MALLOC_HEAP_SIZE), 8U << 20);
  driver.failing["limit"] = CUDA_ERROR_INVALID_VALUE;
  const auto error = error_of([&] { backend.set_limits(0, 1 << 30, 0); });
  EXPECT_EQ(error.status(), TUNER_UNSUPPORTED);
  EXPECT_TRUE(std::string(error.what()).starts_with("limits: {stack: 1073741824} is more than"));
}

TEST_F(Cuda, EverythingEndsWithTheBackend) {
  FakeDriver other;
  {
    CudaBackend second(other.api(), 0, "auto");
    second.allocate(100);
    second.load(kImage, "kernel");
    second.release(second.allocate(8));
    std::vector<double> ms(2);
    const tuner_timing timing{sizeof timing, 2, 1, 1, nullptr, 0, nullptr, 0, nullptr, 0};
    second.time(second.load(kImage, "kernel").kernel, one_block(), timing, ms);
    EXPECT_GT(other.alive, 0);
  }
  EXPECT_EQ(other.alive, 0);
}

TEST_F(Cuda, AccessOutsideABufferIsRefused) {
  const auto buffer = backend.allocate(16);
  char data[16] = {};
  backend.upload({buffer, 8}, data, 8);
  EXPECT_EQ(error_of([&] { backend.upload({buffer, 9}, data, 8); }).status(), TUNER_INVALID);
  EXPECT_EQ(error_of([&] { backend.download({buffer, 17}, data, 0); }).status(), TUNER_INVALID);
  EXPECT_EQ(error_of([&] { backend.download({buffer + 1, 0}, data, 1); }).status(), TUNER_INVALID);
  EXPECT_EQ(error_of([&] {
              backend.fill({buffer, 0}, 5, {TUNER_FILL_BYTES, TUNER_INT32, 0, 0, 0});
            }).status(),
            TUNER_INVALID);
}

TEST_F(Cuda, BytesAreFilledWithoutAKernel) {
  const auto buffer = backend.allocate(8);
  backend.fill({buffer, 4}, 2, {TUNER_FILL_BYTES, TUNER_INT16, 255, 0, 0});
  std::uint64_t back = 0;
  backend.download({buffer, 0}, &back, 8);
  EXPECT_EQ(back, 0xFFFFFFFF00000000ULL);
}

TEST_F(Cuda, AnImageThatIsNoneDoesNotReachTheDriver) {
  EXPECT_STREQ(error_of([&] { backend.load("garbage", "k"); }).what(), "neither a cubin nor PTX");
  driver.failing["load"] = CUDA_ERROR_NO_BINARY_FOR_GPU;
  const auto error = error_of([&] { backend.load(kImage, "k"); });
  EXPECT_EQ(error.status(), TUNER_INVALID);
  EXPECT_STREQ(error.what(), "cuModuleLoadData: CUDA_ERROR_SET_BY_TEST (a failure)");
}

TEST_F(Cuda, PtxThatIsTooNewForTheDriverIsSaidWithBothVersions) {
  driver.failing["load"] = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  const std::string said =
      error_of([&] { backend.load("//\n.version 9.1\n.target sm_90\n", "k"); }).what();
  EXPECT_NE(said.find(": it is PTX 9.1, and the driver is "), said.npos) << said;
  EXPECT_NE(said.find("CUDA 13.0"), said.npos) << said;
}

TEST_F(Cuda, ArgumentsMustFitTheKernel) {
  driver.parameters = {8, 4};
  const auto kernel = load();
  const auto buffer = backend.allocate(64);
  const double wide = 1;
  tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}, {0, sizeof wide, {}, &wide}};
  tuner_launch launch = one_block();
  launch.arguments = arguments;
  launch.argument_count = 1;
  EXPECT_STREQ(error_of([&] { backend.launch(kernel, launch); }).what(),
               "the kernel takes 2 arguments, 1 are given");
  launch.argument_count = 2;
  EXPECT_STREQ(error_of([&] { backend.launch(kernel, launch); }).what(),
               "argument 2 has 8 bytes, the kernel expects 4");
  arguments[1].scalar_size = 4;
  backend.launch(kernel, launch);
}

TEST_F(Cuda, DynamicSharedMemoryIsOptedInOnlyAboveTheDefault) {
  const auto kernel = load();  // 1024 bytes static
  tuner_launch launch = one_block();
  launch.dynamic_shared_bytes = 49152 - 1024;
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.dynamic_shared_limit, 0);
  launch.dynamic_shared_bytes = 49152;
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.dynamic_shared_limit, 49152);
  launch.dynamic_shared_bytes = 232448 - 1023;
  const auto error = error_of([&] { backend.launch(kernel, launch); });
  EXPECT_EQ(error.status(), TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(driver.dynamic_shared_limit, 49152);
}

TEST_F(Cuda, FaultsAreToldFromRefusals) {
  const auto kernel = load();
  driver.failing["kernel"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_EQ(error_of([&] { backend.launch(kernel, one_block()); }).status(), TUNER_LAUNCH_REFUSED);
  driver.failing.clear();
  driver.failing["synchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_EQ(error_of([&] { backend.launch(kernel, one_block()); }).status(), TUNER_RUNTIME_FAULT);
  driver.failing["synchronize"] = CUDA_ERROR_ECC_UNCORRECTABLE;
  EXPECT_EQ(error_of([&] { backend.launch(kernel, one_block()); }).status(), TUNER_DEVICE_LOST);
  driver.failing.clear();
  driver.failing["alloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(error_of([&] { backend.allocate(8); }).status(), TUNER_OUT_OF_MEMORY);
}

TEST_F(Cuda, SymbolsMustHaveRoomForWhatIsWritten) {
  const auto kernel = load();
  const char data[32] = {};
  backend.set_symbol(kernel, "table", data, 16);
  backend.set_symbol(kernel, "table", data, 12);
  EXPECT_STREQ(error_of([&] { backend.set_symbol(kernel, "table", data, 17); }).what(),
               "'table' has 16 bytes in the kernel, 17 are to be written");
}

TEST_F(Cuda, OnlyTheKernelIsBetweenTheEvents) {
  const auto a = backend.allocate(8);
  const auto b = backend.allocate(8);
  const tuner_restore restore{a, b, 8};
  EXPECT_EQ(timed({sizeof(tuner_timing), 2, 1, 1, &restore, 1, nullptr, 0, nullptr, 0}),
            (std::vector<std::string>{"gate", "copy", "memset", "event", "kernel", "event", "copy",
                                      "memset", "event", "kernel", "event", "synchronize"}));
  EXPECT_EQ(timed({sizeof(tuner_timing), 1, 3, 0, nullptr, 0, nullptr, 0, nullptr, 0}),
            (std::vector<std::string>{"gate", "event", "kernel", "kernel", "kernel", "event",
                                      "synchronize"}));
}

TEST_F(Cuda, WhatIsFilledBeforeASampleIsNotTimed) {
  const tuner_byte_fill fill{{backend.allocate(8), 4}, 4, 0xFF, 0};
  EXPECT_EQ(
      timed({sizeof(tuner_timing), 1, 1, 0, nullptr, 0, nullptr, 0, &fill, 1}),
      (std::vector<std::string>{"gate", "memset", "event", "kernel", "event", "synchronize"}));
}

TEST_F(Cuda, TheStreamIsHeldBackUntilABatchIsQueued) {
  std::vector<double> milliseconds;
  const auto calls =
      timed({sizeof(tuner_timing), 100, 2, 0, nullptr, 0, nullptr, 0, nullptr, 0}, &milliseconds);
  EXPECT_FALSE(driver.gate_open_while_queueing);
  ASSERT_NE(driver.gate, nullptr);
  EXPECT_NE(*driver.gate, 0U);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "synchronize"), 2);
  EXPECT_EQ(milliseconds, std::vector<double>(100, 3.0));  // 6 ms for two launches
}

TEST_F(Cuda, LaunchesThatFollowAreTimedAsOne) {
  const auto first = load();
  const auto second = backend.load_next(first, "finish").kernel;
  tuner_launch next = one_block();
  tuner_launch launch = one_block();
  launch.next_kernel = second;
  launch.next = &next;
  std::vector<double> ms(2);
  const tuner_timing timing{sizeof timing, 2, 1, 1, nullptr, 0, nullptr, 0, nullptr, 0};
  backend.time(first, launch, timing, ms);  // the first use has a prelude, and no gate
  EXPECT_EQ(driver.gate, nullptr);
  driver.calls.clear();
  backend.time(first, launch, timing, ms);
  EXPECT_EQ(driver.calls, (std::vector<std::string>{"gate", "memset", "event", "kernel", "kernel",
                                                    "event", "memset", "event", "kernel", "kernel",
                                                    "event", "synchronize"}));
  EXPECT_EQ(ms, std::vector<double>(2, 6.0));
}

TEST_F(Cuda, WhatIsZeroedBeforeAKernelIsTimedWithIt) {
  const auto kernel = load();
  tuner_launch launch = one_block();
  const tuner_zeros zeros{{backend.allocate(16), 8}, 8};
  launch.zeros = &zeros;
  launch.zeros_count = 1;
  backend.launch(kernel, launch);
  driver.calls.clear();
  std::vector<double> ms(1);
  backend.time(kernel, launch, {sizeof(tuner_timing), 1, 2, 0, nullptr, 0, nullptr, 0, nullptr, 0},
               ms);
  EXPECT_EQ(driver.calls, (std::vector<std::string>{"gate", "event", "memset", "kernel", "memset",
                                                    "kernel", "event", "synchronize"}));
  const tuner_zeros outside{{zeros.at.buffer, 8}, 9};
  launch.zeros = &outside;
  EXPECT_EQ(error_of([&] { backend.launch(kernel, launch); }).status(), TUNER_INVALID);
}

TEST_F(Cuda, NothingIsLaunchedWhenALaterOneIsRefused) {
  const auto first = load();
  tuner_launch next = one_block();
  tuner_launch launch = one_block();
  launch.next_kernel = backend.load_next(first, "finish").kernel;
  launch.next = &next;
  next.block[0] = 2048;
  driver.calls.clear();
  const auto error = error_of([&] { backend.launch(first, launch); });
  EXPECT_EQ(error.status(), TUNER_LAUNCH_REFUSED);
  EXPECT_STREQ(error.what(), "launch 2: block.x is 2048, the device allows 1024");
  EXPECT_TRUE(driver.calls.empty());
}

// Asking for little would take from an earlier launch of the same kernel what it was allowed.
TEST_F(Cuda, AKernelThatIsLaunchedTwiceIsAllowedTheMostThatItNeeds) {
  const auto first = load();
  const auto again = backend.load_next(first, "kernel");
  EXPECT_EQ(again.kernel, first);
  tuner_launch next = one_block();
  tuner_launch launch = one_block();
  launch.next_kernel = again.kernel;
  launch.next = &next;
  launch.dynamic_shared_bytes = 100000;
  next.dynamic_shared_bytes = 60000;
  backend.launch(first, launch);
  EXPECT_EQ(driver.dynamic_shared_limit, 100000);
  const auto other = backend.load_next(first, "finish").kernel;
  EXPECT_EQ(backend.load_next(first, "finish").kernel, other);
  backend.unload(first);
  EXPECT_STREQ(error_of([&] { backend.launch(other, one_block()); }).what(), "no such kernel");
}

// Behind a closed gate a driver that waits for the device would wait for ever.
TEST_F(Cuda, NothingHappensForTheFirstTimeBehindTheGate) {
  const auto kernel = load();
  const auto a = backend.allocate(8);
  const tuner_restore restore{a, a, 8};
  std::vector<double> ms(1);
  const tuner_timing timing{sizeof timing, 1, 1, 1, &restore, 1, nullptr, 0, nullptr, 0};
  driver.calls.clear();
  backend.time(kernel, one_block(), timing, ms);
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"memset", "copy", "synchronize", "copy", "memset", "event",
                                      "kernel", "event", "synchronize"}));
  driver.calls.clear();
  backend.time(kernel, one_block(), timing, ms);
  EXPECT_EQ(driver.calls.front(), "gate");
}

// As with CUDA_LAUNCH_BLOCKING=1 or under a profiler: a launch returns when its kernel has ended.
TEST_F(Cuda, WhereLaunchesWaitForTheDeviceNothingIsHeldBackAnyMore) {
  const auto kernel = load();
  backend.launch(kernel, one_block());
  std::vector<double> ms(3);
  const tuner_timing timing{sizeof timing, 3, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  driver.blocks = true;
  backend.time(kernel, one_block(), timing, ms);
  EXPECT_EQ(ms, (std::vector<double>{6, 6, 6}));
  driver.calls.clear();
  backend.time(kernel, one_block(), timing, ms);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "gate"), 0);
  EXPECT_NE(backend.remark().find("each launch waits for the device"), std::string::npos);
}

TEST_F(Cuda, ALaunchThatWaitsOnceIsTimedAgainBehindTheGate) {
  const auto kernel = load();
  backend.launch(kernel, one_block());
  std::vector<double> ms(3);
  const tuner_timing timing{sizeof timing, 3, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  driver.waits = 1;
  driver.calls.clear();
  backend.time(kernel, one_block(), timing, ms);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "gate"), 2);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "kernel"), 6);
  EXPECT_EQ(backend.remark(), "");
}

TEST_F(Cuda, AFailureWhileQueueingOpensTheGate) {
  const auto kernel = load();
  backend.launch(kernel, one_block());
  driver.failing["kernel"] = CUDA_ERROR_INVALID_VALUE;
  std::vector<double> ms(3);
  const tuner_timing timing{sizeof timing, 3, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  EXPECT_EQ(error_of([&] { backend.time(kernel, one_block(), timing, ms); }).status(),
            TUNER_LAUNCH_REFUSED);
  EXPECT_NE(*driver.gate, 0U);
}

TEST_F(Cuda, BatchesNeverFillTheStreamsQueue) {
  const auto size = [](std::uint32_t launches, std::size_t restores) {
    return batch_size(
        {sizeof(tuner_timing), 1000, launches, 1, nullptr, restores, nullptr, 0, nullptr, 0}, 1);
  };
  EXPECT_EQ(size(1, 0), 64U);
  EXPECT_EQ(size(1, 4), 32U);
  EXPECT_EQ(size(100, 0), 2U);
  EXPECT_EQ(size(10000, 0), 1U);
  // Three kernels that follow each other, ten times a sample.
  EXPECT_EQ(batch_size({sizeof(tuner_timing), 1000, 10, 1, nullptr, 0, nullptr, 0, nullptr, 0}, 3),
            7U);
}

}  // namespace
}  // namespace tuner::cuda
