#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/unit/resolve/studies.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

using test::buffer;
using test::expr;
using test::h200;
using test::scalar;
using test::scale_study;
using test::space_of;

const Configuration kFirst{std::int64_t{64}, std::int64_t{1}};

Expected<SizePlan, std::string> plan_of(const Study& study) {
  return size_plan(study, study.sizes[0], h200(), reference_cases(study, space_of(study)));
}

std::string plan_error(const Study& study) {
  const auto plan = plan_of(study);
  return plan ? "none" : plan.error();
}

template <typename T>
T read(const std::vector<std::byte>& bytes) {
  EXPECT_EQ(bytes.size(), sizeof(T));
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

TEST(SizePlan, SizesBuffersAndEvaluatesScalars) {
  Study study = scale_study();
  study.arguments[0].shape = {expr("n"), expr("2"), expr("half")};
  const auto plan = plan_of(study);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_EQ(plan->arguments.size(), 3U);
  EXPECT_EQ(plan->arguments[0].elements, 1000U * 2 * 500) << "derived from the size alone";
  EXPECT_EQ(plan->arguments[0].fill.kind, FillSpec::Kind::kUniform);
  EXPECT_EQ(plan->arguments[1].role, Role::kOut);
  EXPECT_EQ(read<std::int32_t>(plan->arguments[2].scalar), 1000);
}

TEST(SizePlan, SeedsDifferByNameAndNeverChange) {
  const auto plan = plan_of(scale_study());
  EXPECT_NE(plan->arguments[0].seed, plan->arguments[1].seed);
  EXPECT_EQ(plan->arguments[0].seed, plan_of(scale_study())->arguments[0].seed);
}

TEST(SizePlan, WhatIsFilledAsAnotherHasItsSeed) {
  Study study = scale_study();
  study.constants.push_back(buffer("c", DataType::kFloat32, "n", Role::kIn));
  study.constants.back().fill = study.arguments[0].fill;
  EXPECT_NE(plan_of(study)->constants[0].seed, plan_of(study)->arguments[0].seed);
  study.constants.back().fill.same_as = study.arguments[0].name;
  EXPECT_EQ(plan_of(study)->constants[0].seed, plan_of(study)->arguments[0].seed);
}

TEST(SizePlan, PlansTheReference) {
  Study study = scale_study();
  study.reference->arguments = {"n", "y", "x"};
  const auto plan = plan_of(study);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_TRUE(plan->reference.has_value());
  EXPECT_EQ(plan->reference->answers.at(0).geometry.grid[0], 4U);
  EXPECT_EQ(plan->reference->arguments, (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(SizePlan, ChecksOutputsWithTheStudysToleranceOrTheTypesOwn) {
  Study study = scale_study();
  study.arguments.push_back(buffer("z", DataType::kInt32, "n", Role::kOut));
  study.verify = {{"y", {expr("1e-6"), expr("1e-3 * n")}}};
  const auto plan = plan_of(study);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_EQ(plan->checks.size(), 2U);
  EXPECT_EQ(plan->checks[0].argument, 1U);
  EXPECT_DOUBLE_EQ(plan->checks[0].rtol, 1e-6);
  EXPECT_DOUBLE_EQ(plan->checks[0].atol, 1.0);
  EXPECT_EQ(plan->checks[1].argument, 3U);
  EXPECT_EQ(plan->checks[1].rtol, 0) << "integers are exact";
}

TEST(SizePlan, ChecksInPlaceArgumentsAndLeavesScratchAlone) {
  Study study = scale_study();
  study.arguments.push_back(buffer("sorted", DataType::kUInt32, "1", Role::kInOut));
  study.arguments.push_back(buffer("arrivals", DataType::kUInt32, "1", Role::kScratch));
  const auto plan = plan_of(study);
  ASSERT_EQ(plan->checks.size(), 2U);
  EXPECT_EQ(plan->checks[1].argument, 3U);
}

TEST(SizePlan, SaysWhatIsWrong) {
  Study study = scale_study();
  study.arguments[0].shape = {expr("n - 1000")};
  EXPECT_EQ(plan_error(study),
            "the shape of x 'n - 1000' is 0, must be a whole number from 1 to 1152921504606846976");
  study = scale_study();
  study.arguments[0].shape = {expr("2 ** 40"), expr("2 ** 40")};
  EXPECT_EQ(plan_error(study), "x has more than 2^60 bytes");
  study = scale_study();
  study.arguments[0].shape = {expr("2 ** 57")};  // of float4: 2^61 bytes
  study.arguments[0].lanes = 4;
  EXPECT_EQ(plan_error(study), "x has more than 2^60 bytes");
  study = scale_study();
  study.arguments[2] = scalar("n", DataType::kInt32, "n * 2 ** 22");
  EXPECT_EQ(plan_error(study), "n 'n * 2 ** 22' is 4194304000, does not fit int32");
  study = scale_study();
  study.arguments[1].shape = {expr("n * VEC")};
  EXPECT_EQ(plan_error(study),
            "the shape of y depends on the parameters; only scratch's or a workspace's may");
  study = scale_study();
  study.arguments[2] = scalar("n", DataType::kInt32, "n // VEC");
  EXPECT_EQ(plan_error(study),
            "reference: argument 'n' depends on the parameters; name the reference's arguments, or "
            "say the "
            "values in its 'configuration'");
  study = scale_study();
  study.verify = {{"y", {expr("-1"), {}}}};
  EXPECT_EQ(plan_error(study), "rtol of y '-1' is -1, must not be negative");
}

TEST(SizePlan, TakesTheExtremesOfIntegerTypes) {
  Study study = scale_study();
  study.reference.reset();
  study.arguments = {scalar("a", DataType::kUInt8, "255"),
                     scalar("b", DataType::kInt8, "-128"),
                     scalar("c", DataType::kInt64, "2 ** 62 + (2 ** 62 - 1)"),
                     scalar("d", DataType::kUInt64, "2 ** 62"),
                     scalar("e", DataType::kFloat32, "n / 3"),
                     scalar("f", DataType::kInt32, "n / 2")};
  const auto plan = plan_of(study);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(read<std::uint8_t>(plan->arguments[0].scalar), 255);
  EXPECT_EQ(read<std::int8_t>(plan->arguments[1].scalar), -128);
  EXPECT_EQ(read<std::int64_t>(plan->arguments[2].scalar),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read<float>(plan->arguments[4].scalar), 1000.0F / 3);
  EXPECT_EQ(read<std::int32_t>(plan->arguments[5].scalar), 500) << "a whole float";
  for (const char* value : {"256", "-1", "0.5", "'x'"}) {
    study.arguments = {scalar("a", DataType::kUInt8, value)};
    EXPECT_NE(plan_error(study), "none") << value;
  }
}

TEST(VariantPlan, ResolvesGeometryAndWhatDependsOnTheConfiguration) {
  Study study = scale_study();
  study.reference.reset();
  study.arguments.push_back(scalar("chunk", DataType::kInt32, "per_block"));
  study.arguments.push_back(buffer("work", DataType::kFloat64, "BLOCK * 3", Role::kScratch));
  study.constants = {scalar("size", DataType::kInt32, "n"), scalar("vec", DataType::kInt32, "VEC")};
  const auto size = plan_of(study);
  ASSERT_TRUE(size.has_value()) << size.error();
  EXPECT_EQ(size->arguments[4].elements, 0U) << "a placeholder";
  const auto plan = variant_plan(study, space_of(study), {std::int64_t{128}, std::int64_t{4}});
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(plan->geometry.block[0], 128U);
  EXPECT_EQ(plan->geometry.grid[0], 2U);
  ASSERT_EQ(plan->overrides.size(), 3U);
  EXPECT_EQ(plan->overrides[0].first, 3U);
  EXPECT_EQ(read<std::int32_t>(plan->overrides[0].second.scalar), 512);
  EXPECT_EQ(plan->overrides[1].first, 4U);
  EXPECT_EQ(plan->overrides[1].second.elements, 384U);
  EXPECT_EQ(plan->overrides[2].first, 6U) << "constants count on behind the arguments";
  EXPECT_EQ(read<std::int32_t>(plan->overrides[2].second.scalar), 4);
}

TEST(VariantPlan, SaysWhatHasNoValue) {
  Study study = scale_study();
  study.derived.push_back({"broken", expr("1 // (VEC - 1)")});
  study.reference.reset();
  study.arguments.push_back(scalar("chunk", DataType::kInt32, "broken"));
  const SearchSpace space = space_of(study);
  EXPECT_TRUE(variant_plan(study, space, {std::int64_t{64}, std::int64_t{2}}).has_value());
  const auto plan = variant_plan(study, space, kFirst);
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().find("chunk 'broken'"), std::string::npos) << plan.error();
}

}  // namespace
}  // namespace tuner
