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

}  // namespace
}  // namespace tuner::opencl
