// Images, and the arguments of their kernels.

#include "tuner/plugins/opencl/image.h"

#include <gtest/gtest.h>

namespace tuner::opencl {
namespace {

TEST(Image, IsReadAsItWasWritten) {
  const std::string binary("\0\n\nbinary\n", 10);
  const Image image{{{"turn", {Takes::kBuffer, Takes::kLocal, Takes::kValue}}, {"none", {}}},
                    binary};
  const Image read = unpacked(packed(image));
  ASSERT_EQ(read.kernels.size(), 2U);
  EXPECT_EQ(read.kernels[0].name, "turn");
  EXPECT_EQ(read.kernels[0].arguments, image.kernels[0].arguments);
  EXPECT_EQ(read.kernels[1].name, "none");
  EXPECT_TRUE(read.kernels[1].arguments.empty());
  EXPECT_EQ(read.binary, binary);
}

TEST(Image, WhatIsNoneIsRefused) {
  const std::string good = packed({{{"k", {Takes::kBuffer}}}, "x"});
  const std::string mark = "tuner OpenCL image 1\n";
  const std::vector<std::string> all{"", "no image", good.substr(0, 22), mark + "k b",
                                     mark + "k z\n\n"};
  for (const std::string& bad : all) EXPECT_THROW(unpacked(bad), sdk::Error) << bad;
}

TEST(Devices, ADeviceThatLiesIsNotUsed) {
  tuner_device_facts facts{};
  EXPECT_EQ(fault_in(facts), "it has no name");
  facts.name[0] = 'x';
  EXPECT_EQ(fault_in(facts), "it says that it has 0 compute units");
  facts.multiprocessors = 2;
  facts.max_threads_per_block = -1;
  EXPECT_EQ(fault_in(facts), "it says that it has -1 work-items in a group");
  facts.max_threads_per_block = 256;
  for (auto& size : facts.max_block) size = 256;
  facts.max_block[2] = 0;
  EXPECT_EQ(fault_in(facts), "it says that it has 0 work-items along a dimension of a group");
  facts.max_block[2] = 64;
  facts.memory_bytes = 1 << 20;
  EXPECT_EQ(fault_in(facts), "");
}

TEST(Devices, WordsOfExtensionsAreWhole) {
  EXPECT_TRUE(has_word("cl_khr_fp64 cl_khr_fp16 ", "cl_khr_fp16"));
  EXPECT_FALSE(has_word("cl_khr_fp64_more", "cl_khr_fp64"));
  EXPECT_FALSE(has_word("", "cl_khr_fp64"));
}

// ---- arguments ----------------------------------------------------------------------------------

constexpr Takes kB = Takes::kBuffer, kL = Takes::kLocal, kV = Takes::kValue;

std::string reason_of(const std::function<void()>& call, tuner_status status) {
  try {
    call();
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  return "nothing is wrong";
}

TEST(Errors, MeanWhatTheyCanWhereTheyHappen) {
  constexpr cl_int kInvalidWorkGroupSize = -54;
  EXPECT_EQ(classify(CL_SUCCESS, Phase::kWait), TUNER_OK);
  EXPECT_EQ(classify(CL_OUT_OF_RESOURCES, Phase::kCall), TUNER_OUT_OF_MEMORY);
  EXPECT_EQ(classify(CL_OUT_OF_RESOURCES, Phase::kLaunch), TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(classify(CL_OUT_OF_RESOURCES, Phase::kWait), TUNER_RUNTIME_FAULT);
  EXPECT_EQ(classify(kInvalidWorkGroupSize, Phase::kLaunch), TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(classify(CL_MEM_OBJECT_ALLOCATION_FAILURE, Phase::kLaunch), TUNER_OUT_OF_MEMORY);
  EXPECT_EQ(classify(CL_INVALID_COMMAND_QUEUE, Phase::kCall), TUNER_RUNTIME_FAULT);
  EXPECT_EQ(describe(kInvalidWorkGroupSize, "clEnqueueNDRangeKernel"),
            "clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE");
  EXPECT_EQ(describe(-9999, "clFinish"), "clFinish: error -9999");
}

TEST(ArgumentPlaces, LocalMemoryStandsWhereverItIsDeclared) {
  EXPECT_EQ(argument_places({"k", {kB, kL, kV}}, 2, 64), (std::vector<int>{0, -1, 1}));
  EXPECT_EQ(argument_places({"k", {kL, kB}}, 1, 64), (std::vector<int>{-1, 0}));
  EXPECT_EQ(argument_places({"k", {Takes::kUnknown, Takes::kUnknown}}, 2, 0),
            (std::vector<int>{0, 1}));
}

TEST(ArgumentPlaces, WhatDoesNotFitIsSaid) {
  const auto said = [](std::vector<Takes> takes, std::size_t given, std::uint64_t bytes,
                       tuner_status status) {
    return reason_of([&] { argument_places({"k", std::move(takes)}, given, bytes); }, status);
  };
  EXPECT_EQ(said({kB, kV}, 1, 0, TUNER_INVALID), "kernel 'k' takes 2 arguments, not 1");
  EXPECT_EQ(said({kB, kL}, 2, 64, TUNER_INVALID),
            "kernel 'k' takes 1 argument beside its __local one, not 2");
  EXPECT_EQ(said({kB, kL}, 1, 0, TUNER_LAUNCH_REFUSED),
            "kernel 'k' has a __local argument, and 'dynamic_shared_bytes' is 0");
  EXPECT_EQ(said({kB}, 1, 64, TUNER_LAUNCH_REFUSED),
            "kernel 'k' has no __local argument that 64 'dynamic_shared_bytes' could be");
  EXPECT_EQ(said({kB, kL, kL}, 1, 64, TUNER_INVALID),
            "kernel 'k' has 2 __local arguments: a launch gives one, of 'dynamic_shared_bytes'");
}

class Bound : public testing::Test {
 protected:
  Bound() {
    entry_.image = {"k", {kB, kV}};
    entry_.resources = {-1, 100, -1, -1, -1, 128};
    facts_.max_threads_per_block = 256;
    facts_.max_shared_memory_per_block = 1000;
    for (int i = 0; i < 3; ++i) {
      facts_.max_block[i] = 256;
      facts_.max_grid[i] = 1000;
    }
    arguments_[0].is_buffer = 1;
    arguments_[1].scalar = &number_;
    arguments_[1].scalar_size = sizeof number_;
    launch_.arguments = arguments_;
    launch_.argument_count = 2;
    for (int i = 0; i < 3; ++i) launch_.grid[i] = launch_.block[i] = 1;
  }

  BoundLaunch make() const {
    return bound(entry_, launch_, facts_, [](tuner_range) { return cl_mem{}; });
  }
  std::string refusal(tuner_status status) const {
    return reason_of([this] { make(); }, status);
  }

  LoadedEntry entry_;
  tuner_device_facts facts_{};
  int number_ = 7;
  tuner_argument arguments_[2]{};
  tuner_launch launch_{};
};

TEST_F(Bound, GlobalSizesAreBlocksTimesThreads) {
  launch_.block[0] = 64;
  launch_.grid[0] = 3;
  launch_.grid[1] = 5;
  const BoundLaunch made = make();
  EXPECT_EQ(made.global, (std::array<std::size_t, 3>{192, 5, 1}));
  EXPECT_EQ(made.local, (std::array<std::size_t, 3>{64, 1, 1}));
  EXPECT_EQ(made.arguments[1].value, &number_);
  EXPECT_EQ(made.arguments[1].bytes, sizeof number_);
}

TEST_F(Bound, GroupsOverALimitAreRefused) {
  launch_.block[0] = 257;
  EXPECT_EQ(refusal(TUNER_LAUNCH_REFUSED), "block.x is 257; it must be from 1 to 256");
  launch_.block[0] = 129;
  EXPECT_EQ(refusal(TUNER_LAUNCH_REFUSED),
            "129 work-items in a group; of this kernel there may be 128");
  launch_.block[0] = 1;
  launch_.grid[1] = 0;
  EXPECT_EQ(refusal(TUNER_LAUNCH_REFUSED), "grid.y is 0; it must be from 1 to 1000");
  launch_.grid[1] = 1;
  launch_.dynamic_shared_bytes = 901;
  EXPECT_EQ(refusal(TUNER_LAUNCH_REFUSED),
            "100 bytes of static and 901 of dynamic local memory; together there may be 1000");
}

TEST_F(Bound, BuffersAndNumbersAreToldApart) {
  entry_.image.arguments = {kV, kB};
  EXPECT_EQ(refusal(TUNER_INVALID), "argument 1 of kernel 'k' is a number, and a buffer is given");
  entry_.image.arguments = {kB, kB};
  EXPECT_EQ(refusal(TUNER_INVALID), "argument 2 of kernel 'k' is a buffer, and a number is given");
  entry_.image.arguments = {kB, Takes::kOther};
  EXPECT_EQ(refusal(TUNER_INVALID),
            "argument 2 of kernel 'k' is an image or a sampler: a study gives buffers and numbers");
}

}  // namespace
}  // namespace tuner::opencl
