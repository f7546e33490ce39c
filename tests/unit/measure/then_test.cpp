// Launches that follow the main one: resolved, held to the device's limits, run in their order.

#include <gtest/gtest.h>

#include "tests/unit/measure/evaluation_fixture.h"
#include "tests/unit/resolve/studies.h"
#include "tuner/model/limits.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

using test::expr;
using test::h200;
using test::reference_of;
using test::scale_study;
using test::space_of;

// One more launch, for VEC above 1 only.
Study two_kernel_study() {
  Study study = scale_study();
  NextLaunchSpec next;
  next.entry = "finish<{VEC}>";
  next.launch.block[0] = expr("BLOCK * 2");
  next.launch.grid[0] = expr("half");
  next.launch.dynamic_shared_bytes = expr("4 * VEC");
  next.arguments = {"n", "y"};
  next.when = expr("VEC > 1");
  study.then = {next};
  return study;
}

const Configuration kWithout{std::int64_t{64}, std::int64_t{1}};
const Configuration kWith{std::int64_t{64}, std::int64_t{4}};

TEST(Then, ALaunchFollowsWhereItsConditionHolds) {
  const Study study = two_kernel_study();
  const auto plan = variant_plan(study, space_of(study), kWith);
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_EQ(plan->then.size(), 1U);
  EXPECT_EQ(plan->then[0].name, "finish<{VEC}>");
  EXPECT_EQ(plan->then[0].geometry.block[0], 128U);
  EXPECT_EQ(plan->then[0].geometry.grid[0], 500U);
  EXPECT_EQ(plan->then[0].geometry.dynamic_shared_bytes, 16U);
  EXPECT_EQ(plan->then[0].arguments, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_TRUE(variant_plan(study, space_of(study), kWithout)->then.empty());
}

TEST(Then, WithoutConditionAndArgumentsItFollowsAlwaysAndTakesAll) {
  Study study = two_kernel_study();
  study.then[0].when = {};
  study.then[0].arguments.clear();
  const auto plan = variant_plan(study, space_of(study), kWithout);
  ASSERT_TRUE(plan) << plan.error();
  ASSERT_EQ(plan->then.size(), 1U);
  EXPECT_EQ(plan->then[0].arguments, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Then, TheCompilerIsAskedForTheKernelsOfThePlan) {
  const Study study = two_kernel_study();
  const auto kernels = [&](const Configuration& configuration) {
    const SearchSpace space = space_of(study);
    const auto plan = variant_plan(study, space, configuration);
    return compile_request(study, space, configuration, plan->then, h200(), "source")->then;
  };
  EXPECT_EQ(kernels(kWith), std::vector<std::string>{"finish<4>"});
  EXPECT_TRUE(kernels(kWithout).empty());
  EXPECT_TRUE(reference_of(study)->then.empty());
}

TEST(Then, WhichFollowIsForThePlanToSayAndNotAskedAgainForTheCompiler) {
  Study study = two_kernel_study();
  study.then[0].when = expr("n // (VEC - 1)");  // has no value here
  const std::vector<NextLaunchPlan> follows{{"finish<{VEC}>", {}, {}}};
  const auto request = compile_request(study, space_of(study), kWithout, follows, h200(), "source");
  ASSERT_TRUE(request) << request.error();
  EXPECT_EQ(request->then, std::vector<std::string>{"finish<1>"});
}

TEST(Then, AKernelNameThatCannotBeFilledInIsSaid) {
  const Study study = two_kernel_study();
  const std::vector<NextLaunchPlan> follows{{"finish<{WIDTH}>", {}, {}}};
  const auto request = compile_request(study, space_of(study), kWith, follows, h200(), "source");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error(), "'finish<{WIDTH}>' has no value for {WIDTH}");
}

TEST(Then, WhatHasNoValueIsSaidWithTheKernelsName) {
  Study study = two_kernel_study();
  const auto reason = [&] {
    const auto plan = variant_plan(study, space_of(study), kWith);
    return plan ? "none" : plan.error();
  };
  study.then[0].launch.grid[0] = expr("n - 1000");
  EXPECT_EQ(reason(),
            "finish<{VEC}>: grid.x 'n - 1000' is 0, must be a whole number from 1 to 4294967295");
  study.then[0].when = expr("n // (VEC - 4)");
  EXPECT_EQ(reason(), "finish<{VEC}>: when 'n // (VEC - 4)': division by zero");
}

TEST(Then, EachLaunchHasToFitTheDevice) {
  VariantPlan plan;
  plan.then = {{"finish", {}, {}}};
  EXPECT_EQ(over_limits(plan, h200()), std::nullopt);
  plan.then[0].geometry.block[0] = 2048;
  EXPECT_EQ(over_limits(plan, h200()), "finish: block.x is 2048, the device allows 1024");
  plan.then[0].geometry.block[0] = 512;
  Artifact artifact;
  artifact.then = {{"_Z6finish", {}}};
  artifact.then[0].resources.max_threads = 256;
  EXPECT_EQ(over_limits(plan, kernels_of(artifact), h200()),
            "finish: 512 threads per block, the compiled kernel allows 256");
  plan.geometry.block[0] = 4096;  // the main one's comes first, without a name
  EXPECT_EQ(over_limits(plan, kernels_of(artifact), h200()),
            "block.x is 4096, the device allows 1024");
}

// y = x by the first kernel, y = 2 y by the second.
class ThenEvaluation : public test::EvaluationTest {
 protected:
  ThenEvaluation() {
    add_kernel("copy", [](const FakeBackend::Call& call) {
      for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] = call.buffer<float>(kX)[i];
    }).milliseconds = [](int) { return 3.0; };
    add_kernel("double", [](const FakeBackend::Call& call) {
      for (int i = 0; i < call.scalar<std::int32_t>(0); ++i) call.buffer<float>(1)[i] *= 2;
    });
    backend_.kernels.at("copy").resources.registers = 20;
    backend_.kernels.at("double").resources.registers = 30;
    plan_two_.artifact.then = {{"double", {}}};
    plan_two_.then = {{"double", {}, {kN, kY}}};
  }
  VariantPlan plan_two_ = variant("copy");
};

TEST_F(ThenEvaluation, IsVerifiedAndTimedAsOne) {
  const Verdict verdict = evaluate(plan_two_);
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_DOUBLE_EQ(verdict.timing.median, 4.0);
  EXPECT_EQ(verdict.resources.registers, 20) << "those of the main kernel";
  EXPECT_EQ(backend_.kernels.at("double").launches, backend_.kernels.at("copy").launches);
  EXPECT_EQ(backend_.loaded_kernels(), 0U);
}

TEST_F(ThenEvaluation, AFailureOfTheSecondIsTheVariants) {
  backend_.kernels.at("double").launch_failure = {DeviceError::kRuntime, "an illegal access"};
  EXPECT_EQ(evaluate(plan_two_).state, TrialState::kRuntime);
  backend_.kernels.at("double").launch_failure.reset();
  evaluation_.reset();
  plan_two_.then[0].geometry.block[0] = 2048;
  const Verdict verdict = evaluate(plan_two_);
  EXPECT_EQ(verdict.state, TrialState::kConstraints);
  EXPECT_EQ(verdict.message, "double: block.x is 2048, the device allows 1024");
}

TEST_F(ThenEvaluation, WithoutTheSecondTheAnswerIsWrong) {
  plan_two_.artifact.then.clear();
  plan_two_.then.clear();
  EXPECT_EQ(evaluate(plan_two_).state, TrialState::kCorrectness);
}

}  // namespace
}  // namespace tuner
