// Backends made of tables by hand: what is missing is not asked for, what is there crosses whole.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tuner/plugin/adapters.h"

namespace tuner {
namespace {

// The least that a plugin may offer, made by hand; whatever it is asked is fine.
template <typename... T>
int fine(T... /*unused*/) {
  return TUNER_OK;
}
template <typename... T>
void nothing(T... /*unused*/) {}

const tuner_memory kMemory{sizeof(tuner_memory), fine, nothing, fine, fine, fine, fine, fine};
const tuner_kernels kKernels{sizeof(tuner_kernels), fine, nothing, fine, fine, fine};
const tuner_kernels kNoTime{sizeof(tuner_kernels), fine, nothing, fine, fine, nullptr};
const tuner_memory kShortMemory{
    offsetof(tuner_memory, compare), fine, nothing, fine, fine, fine, fine, nullptr};

// What open() gives; a factory is a C function, which cannot hold it.
tuner_backend offered{};

DeviceResult<std::unique_ptr<Backend>> opened_by_hand() {
  tuner_backend_factory factory{};
  factory.open = [](std::uint32_t, std::uint32_t, const tuner_pair*, std::size_t,
                    tuner_backend* out, tuner_sink) {
    *out = offered;
    return static_cast<int>(TUNER_OK);
  };
  PluginItem item{"bare", "", {}, "", "", &factory};
  return open_plugin_backend(item, 0, {});
}

class BareBackend : public testing::Test {
 protected:
  BareBackend() {
    offered = {sizeof(tuner_backend),
               nullptr,
               &kMemory,
               &kKernels,
               nothing,
               nothing,
               [](void*, const char*) { return static_cast<const void*>(nullptr); }};
  }
};

TEST_F(BareBackend, WithoutAnAbilityIsAskedForNothingThatNeedsIt) {
  const auto backend = opened_by_hand();
  ASSERT_TRUE(backend) << backend.error().message;
  LaunchSequence sequence{KernelLaunch{1, {}, {}}};
  EXPECT_TRUE((*backend)->launch(sequence));
  EXPECT_EQ((*backend)->power(sequence).error().message, "this backend measures no power");
  const DeviceFailure unordered = (*backend)->launch_shuffled(sequence, 1).error();
  EXPECT_EQ(unordered.error, DeviceError::kUnsupported);
  EXPECT_EQ(unordered.message, "this backend cannot choose the order of threads");
  sequence.front().arguments.push_back({true, {1, 0}, {}, TensorMap{}});
  const DeviceFailure refused[] = {(*backend)->launch(sequence).error(),
                                   (*backend)->time(sequence, {}).error()};
  for (const DeviceFailure& one : refused) {
    EXPECT_EQ(one.error, DeviceError::kUnsupported);
    EXPECT_EQ(
        one.message,
        "tensor maps are not supported by bare: there is no copy engine that could read them");
  }
}

TEST_F(BareBackend, WhatItCannotDoIsNotInItsFactsAndRefused) {
  const auto backend = opened_by_hand();
  EXPECT_TRUE((*backend)->facts().abilities.empty());
  LaunchSequence sequence{KernelLaunch{1, {}, {}}};
  TimingRequest request;
  request.graph = true;
  const auto message = [&] { return (*backend)->time(sequence, request).error().message; };
  EXPECT_EQ(message(), "bare launches nothing from a graph");
  request = {};
  request.turns = {sequence, sequence};
  EXPECT_EQ(message(), "bare cannot rotate buffers");
  request = {};
  sequence.front().geometry.attributes.cooperative = true;
  EXPECT_EQ(message(), "launch attributes are not supported by bare");
  EXPECT_EQ((*backend)->launch(sequence).error().error, DeviceError::kUnsupported);
  EXPECT_EQ((*backend)->conditions(), Conditions{});
}

TEST_F(BareBackend, TurnsAttributesAndConditionsCrossTheInterface) {
  static tuner_launch_attributes seen;
  static std::vector<std::uint32_t> grids;
  offered.ability = [](void*, const char* name) -> const void* {
    static const tuner_graph graph{
        sizeof graph,
        [](void*, std::uint64_t, const tuner_launch* launch, const tuner_timing* timing,
           double* milliseconds, tuner_sink) -> int {
          seen = *launch->attributes;
          for (std::size_t i = 0; i < timing->turn_count; ++i) {
            grids.push_back(timing->turns[i]->grid[0]);
          }
          milliseconds[0] = 0.5;
          return TUNER_OK;
        }};
    static const tuner_rotation rotation{sizeof rotation, 0};
    static const tuner_launch_attribute_use use{sizeof use, 0};
    static const tuner_conditions conditions{
        sizeof conditions,
        [](void*, double* megahertz, double* watts, tuner_sink) -> int {
          *megahertz = 1500;
          *watts = std::nan("");
          return TUNER_OK;
        },
        nullptr};
    const std::string asked = name;
    if (asked == TUNER_ABILITY_GRAPH) return &graph;
    if (asked == TUNER_ABILITY_ROTATION) return &rotation;
    if (asked == TUNER_ABILITY_LAUNCH_ATTRIBUTES) return &use;
    return asked == TUNER_ABILITY_CONDITIONS ? &conditions : nullptr;
  };
  grids.clear();
  const auto backend = opened_by_hand();
  for (const auto ability : {kTimesGraphs, kRotatesBuffers, kSetsLaunchAttributes}) {
    EXPECT_TRUE((*backend)->facts().can(ability)) << ability;
  }
  LaunchSequence sequence{KernelLaunch{1, {}, {}}};
  sequence.front().geometry.attributes = {{2, 1, 4}, true, 75, ClusterScheduling::kSpread, true};
  TimingRequest request;
  request.graph = true;
  request.turns = {sequence, sequence};
  request.turns[1].front().geometry.grid[0] = 9;
  const auto times = (*backend)->time(sequence, request);
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(*times, std::vector<double>{0.5});
  EXPECT_EQ(grids, (std::vector<std::uint32_t>{1, 9}));
  EXPECT_EQ(seen.cluster[2], 4U);
  EXPECT_EQ(seen.cooperative, 1U);
  EXPECT_EQ(seen.carveout, 75);
  EXPECT_EQ(seen.scheduling, static_cast<std::uint32_t>(TUNER_SCHEDULING_SPREAD));
  EXPECT_EQ(seen.programmatic, 1U);
  EXPECT_EQ((*backend)->conditions(), (Conditions{1500, 0}))
      << "a number that is none is not known";
}

TEST_F(BareBackend, MapsOfMoreDimensionsThanItTakesAreRefused) {
  offered.ability = [](void*, const char* name) -> const void* {
    static const tuner_tensor_maps two{sizeof(tuner_tensor_maps), 2};
    return std::string(name) == TUNER_ABILITY_TENSOR_MAPS ? &two : nullptr;
  };
  const auto backend = opened_by_hand();
  LaunchSequence sequence{KernelLaunch{1, {}, {}}};
  sequence.front().arguments.push_back({true, {1, 0}, {}, TensorMap{}});
  sequence.front().arguments.front().map->extents = {4, 4};
  sequence.front().arguments.front().map->box = {2, 2};
  EXPECT_TRUE((*backend)->launch(sequence));
  sequence.front().arguments.front().map->extents.push_back(4);
  sequence.front().arguments.front().map->box.push_back(2);
  EXPECT_EQ((*backend)->launch(sequence).error().message,
            "tensor maps of this backend have at most 2 dimensions");
}

TEST_F(BareBackend, IsRefusedWhenATableIsShortOrAbsent) {
  const auto reason = [] { return opened_by_hand().error().message; };
  const std::string expected =
      "a table of this backend plugin is too short for this program, or not whole";
  offered.memory = nullptr;
  EXPECT_EQ(reason(), expected);
  offered.memory = &kShortMemory;
  EXPECT_EQ(reason(), expected);
  offered.memory = &kMemory;
  offered.kernels = &kNoTime;
  EXPECT_EQ(reason(), expected);
  offered.kernels = &kKernels;
  offered.struct_size = offsetof(tuner_backend, ability);
  EXPECT_EQ(reason(), expected);
}

TEST(BareCompiler, ThatNamesOneKernelOnlyCompilesNoSequence) {
  tuner_compiler_factory factory{};
  factory.create = [](std::uint32_t, const tuner_pair*, std::size_t, tuner_compiler* out,
                      tuner_sink) {
    *out = {sizeof(tuner_compiler), nullptr, nothing, nothing, fine};
    return static_cast<int>(TUNER_OK);
  };
  const auto compiler = make_plugin_compiler({"bare", "", {}, "", "", &factory}, {});
  ASSERT_TRUE(compiler);
  CompileRequest request;
  EXPECT_TRUE((*compiler)->compile(request));
  request.then = {"finish"};
  const auto refused = (*compiler)->compile(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().log,
            "this compiler plugin did not name every kernel of the sequence ('then')");
}

}  // namespace
}  // namespace tuner
