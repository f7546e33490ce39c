// Ceilings from samples, without a device.

#include "tuner/trust/ceilings.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

DeviceFacts device(int capability) {
  DeviceFacts facts;
  facts.l2_bytes = 50 << 20;
  facts.compute_capability = capability;
  return facts;
}

TEST(Ceilings, AreTheHighestRatesWithoutWhatALaunchTakes) {
  const Ceilings c = ceilings_of(device(90), {{"nothing", 0.002, 0, true},
                                              {"nothing", 0.001, 0, true},
                                              {"copy", 0.101, 2e8, false},
                                              {"read", 0.201, 3e8, false},
                                              {"copy", 0.006, 2e7, true},
                                              {"float32", 1.001, 5e10, true}});
  EXPECT_EQ(c.launch_ms, 0.001);
  EXPECT_DOUBLE_EQ(c.memory_bytes_per_second, 2e12);
  EXPECT_DOUBLE_EQ(c.cache_bytes_per_second, 4e12);
  ASSERT_EQ(c.operations_per_second.size(), 1U);
  EXPECT_DOUBLE_EQ(c.operations_per_second[0].second, 5e13);
}

// No plain kernel reaches what tensor cores do with doubles.
TEST(Ceilings, OfDoublesAreNotKnownWhereTensorCoresTakeThem) {
  const std::vector<CeilingSample> samples{{"nothing", 0.001, 0, true},
                                           {"float64", 1.001, 3e10, true}};
  EXPECT_TRUE(ceilings_of(device(90), samples).operations_per_second.empty());
  EXPECT_EQ(ceilings_of(device(89), samples).operations_per_second.size(), 1U);
}

TEST(Ceilings, OfDoublesAreThoseOfTensorCoresWhereTheyWereMeasured) {
  const Ceilings c = ceilings_of(device(90), {{"nothing", 0.001, 0, true},
                                              {"float64", 1.001, 3e10, true},
                                              {"float64", 1.001, 6e10, true, true},
                                              {"bfloat16", 1.001, 1e12, true, true}});
  ASSERT_EQ(c.operations_per_second.size(), 2U);
  EXPECT_DOUBLE_EQ(c.operations_per_second[0].second, 6e13);
  EXPECT_EQ(c.operations_per_second[1].first, "bfloat16");
}

// 16 x 8 x 8: 2048 operations of 32 threads; 64 x 256 x 16: 524288 of 128. Four in a round.
TEST(Ceilings, OfTensorCoresAreThoseOfTheInstructionsThatNothingSurpasses) {
  const auto ampere = tensor_kernels(86), hopper = tensor_kernels(90);
  ASSERT_TRUE(ampere && hopper);
  EXPECT_EQ(ampere->forms.at(2).types, std::vector<std::string>{"tf32"});
  EXPECT_EQ(ampere->forms.at(2).operations, 4 * 2048.0 / 32);
  EXPECT_EQ(hopper->forms.at(1).types, std::vector<std::string>{"bfloat16"});
  EXPECT_EQ(hopper->forms.at(1).operations, 4 * 524288.0 / 128);
  EXPECT_NE(hopper->source.find("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%0, %1,"),
            std::string::npos);
  EXPECT_FALSE(tensor_kernels(75));
  EXPECT_FALSE(tensor_kernels(100));
  EXPECT_FALSE(tensor_kernels(0));
}

TEST(Ceilings, ComeBackAsTheyWereKept) {
  const Ceilings c{1e12, 4e12, 1e7, 0.002, {{"float32", 1e13}}};
  EXPECT_EQ(ceilings_from(kept_text(c)), c);
  EXPECT_FALSE(ceilings_from("{}"));
  EXPECT_FALSE(ceilings_from("no JSON"));
}

TEST(Ceilings, OnlyGrow) {
  const Ceilings c = highest({1e12, 4e12, 1e7, 0.002, {{"float32", 1e13}}},
                             {2e12, 3e12, 1e7, 0.003, {{"float32", 2e13}, {"float64", 1e12}}});
  EXPECT_EQ(c, (Ceilings{2e12, 4e12, 1e7, 0.002, {{"float32", 2e13}, {"float64", 1e12}}}));
}

}  // namespace
}  // namespace tuner
