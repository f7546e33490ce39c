// Launches as they are deployed: from graphs, in turns, with attributes, on a cache that is cold.

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda_fixture.h"

namespace tuner::cuda {
namespace {

TEST_F(Cuda, AGraphHoldsTheLaunchesOfASampleAndIsMadeBeforeAnythingIsTimed) {
  const auto first = load();
  tuner_launch next = one_block();
  tuner_launch launch = one_block();
  launch.next_kernel = backend.load_next(first, "finish").kernel;
  launch.next = &next;
  backend.launch(first, launch);
  std::vector<double> ms(2);
  driver.calls.clear();
  const int alive = driver.alive;
  backend.time_graph(first, launch,
                     {sizeof(tuner_timing), 2, 3, 0, nullptr, 0, nullptr, 0, nullptr, 0}, ms);
  EXPECT_EQ(driver.captured, std::vector<std::string>(6, "kernel"));
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"instantiate 6", "upload graph", "synchronize", "gate",
                                      "event", "graph", "event", "synchronize", "gate", "event",
                                      "graph", "event", "synchronize"}));
  EXPECT_EQ(ms, std::vector<double>(2, 2.0));  // 6 ms for three
  EXPECT_LE(driver.alive, alive + 4);          // events; no graph stays
}

TEST_F(Cuda, AGraphIsReplayedOnRestoredBuffersAndAFlushedCache) {
  const auto kernel = load();
  backend.launch(kernel, one_block());
  const auto a = backend.allocate(8);
  const tuner_restore restore{a, a, 8};
  const tuner_timing timing{sizeof timing, 1, 1, 1, &restore, 1, nullptr, 0, nullptr, 0};
  std::vector<double> ms(1);
  backend.time_graph(kernel, one_block(), timing, ms);  // the first use has a prelude
  driver.calls.clear();
  backend.time_graph(kernel, one_block(), timing, ms);
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"instantiate 1", "upload graph", "synchronize", "gate",
                                      "copy", "memset", "event", "graph", "event", "synchronize"}));
}

TEST_F(Cuda, WhatCannotBeCapturedLeavesTheStreamAsItWas) {
  const auto kernel = load();
  backend.launch(kernel, one_block());
  const int alive = driver.alive;
  std::vector<double> ms(1);
  const tuner_timing timing{sizeof timing, 1, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  driver.failing["kernel"] = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  EXPECT_EQ(error_of([&] { backend.time_graph(kernel, one_block(), timing, ms); }).status(),
            TUNER_LAUNCH_REFUSED);
  EXPECT_FALSE(driver.capturing);
  driver.failing = {{"instantiate", CUDA_ERROR_INVALID_VALUE}};
  EXPECT_EQ(error_of([&] { backend.time_graph(kernel, one_block(), timing, ms); }).status(),
            TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(driver.alive, alive);
  DriverApi old = driver.api();
  old.graph_launch = nullptr;
  CudaBackend without(old, 0, "auto");
  const auto loaded = without.load(kImage, "kernel").kernel;
  EXPECT_STREQ(error_of([&] { without.time_graph(loaded, one_block(), timing, ms); }).what(),
               "this driver is too old for graphs");
}

// Each turn has another shape here, which the fake driver tells apart by its zeros.
TEST_F(Cuda, LaunchesTakeTurns) {
  const auto kernel = load();
  tuner_launch plain = one_block();
  tuner_launch zeroed = one_block();
  const tuner_zeros zeros{{backend.allocate(8), 0}, 8};
  zeroed.zeros = &zeros;
  zeroed.zeros_count = 1;
  const tuner_launch* const turns[] = {&plain, &zeroed, &plain};
  const tuner_timing timing{sizeof timing, 2, 2, 0, nullptr, 0, turns, 3, nullptr, 0};
  backend.launch(kernel, plain);
  driver.calls.clear();
  std::vector<double> ms(2);
  backend.time(kernel, plain, timing, ms);
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"gate", "event", "kernel", "memset", "kernel", "event",
                                      "event", "kernel", "kernel", "event", "synchronize"}));
  driver.calls.clear();
  backend.time_graph(kernel, plain, timing,
                     ms);  // one graph for each place that a sample begins at
  EXPECT_EQ(driver.calls, (std::vector<std::string>{
                              "instantiate 3", "upload graph", "instantiate 2", "upload graph",
                              "synchronize", "gate", "event", "graph", "event", "synchronize",
                              "gate", "event", "graph", "event", "synchronize"}));
}

TEST_F(Cuda, LaunchAttributesReachTheDriver) {
  const auto kernel = load();
  tuner_launch launch = one_block();
  launch.grid[0] = 32;
  const tuner_launch_attributes all{sizeof all, {16, 1, 1}, 1, 50, TUNER_SCHEDULING_LOAD_BALANCING,
                                    1};
  launch.attributes = &all;
  driver.calls.clear();
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.calls, (std::vector<std::string>{"kernel with attributes", "synchronize"}));
  ASSERT_EQ(driver.launched.size(), 4U);
  EXPECT_EQ(driver.launched[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(driver.launched[0].value.clusterDim.x, 16U);
  EXPECT_EQ(driver.launched[1].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(driver.launched[1].value.cooperative, 1);
  EXPECT_EQ(driver.launched[2].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  EXPECT_EQ(driver.launched[2].value.clusterSchedulingPolicyPreference,
            CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
  EXPECT_EQ(driver.launched[3].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EXPECT_EQ(driver.launched[3].value.programmaticStreamSerializationAllowed, 1);
  EXPECT_EQ(driver.set_attributes.at(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), 50);
  EXPECT_EQ(driver.set_attributes.at(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 1);
  launch.attributes = nullptr;
  driver.calls.clear();
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.calls, (std::vector<std::string>{"kernel", "synchronize"}));
  EXPECT_EQ(driver.set_attributes.at(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), -1);
}

TEST_F(Cuda, OneKernelHasOneCarveoutInAChain) {
  const auto kernel = load();
  const tuner_launch_attributes half{sizeof half, {1, 1, 1}, 0, 50, 0, 0};
  tuner_launch next = one_block();
  tuner_launch launch = one_block();
  launch.attributes = &half;
  launch.next_kernel = kernel;
  launch.next = &next;
  EXPECT_STREQ(error_of([&] { backend.launch(kernel, launch); }).what(),
               "launches of the same kernel cannot have different carveouts");
  next.attributes = &half;
  backend.launch(kernel, launch);
}

// Lines that are marked to persist would outlast what is written over the cache: they are unmarked
// before the samples that are queued together.
TEST_F(Cuda, ACacheIsFlushedOfLinesThatPersistToo) {
  DriverApi api = driver.api();
  api.ctx_reset_persisting_l2 = [] { return note_of_the_driver("unmark"); };
  CudaBackend device(api, 0, "auto");
  const auto kernel = device.load(kImage, "kernel").kernel;
  device.launch(kernel, one_block());
  std::vector<double> ms(2);
  const tuner_timing cold{sizeof cold, 2, 1, 1, nullptr, 0, nullptr, 0, nullptr, 0};
  device.time(kernel, one_block(), cold, ms);
  driver.calls.clear();
  device.time(kernel, one_block(), cold, ms);
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"unmark", "gate", "memset", "event", "kernel", "event",
                                      "memset", "event", "kernel", "event", "synchronize"}));
  driver.calls.clear();
  device.time(kernel, one_block(), {sizeof cold, 1, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0}, ms);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "unmark"), 0);
  driver.failing["unmark"] = CUDA_ERROR_NOT_SUPPORTED;  // an older device
  device.time(kernel, one_block(), cold, ms);
  driver.calls.clear();
  device.time(kernel, one_block(), cold, ms);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "unmark"), 0);
  EXPECT_EQ(std::count(driver.calls.begin(), driver.calls.end(), "gate"), 1);
}

}  // namespace
}  // namespace tuner::cuda
