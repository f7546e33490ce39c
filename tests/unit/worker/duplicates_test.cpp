#include <gtest/gtest.h>

#include "tuner/worker/job.h"

namespace tuner {
namespace {

VariantPlan plan_of(const std::string& image) {
  VariantPlan plan;
  plan.artifact.image = image;
  plan.artifact.entry = "k";
  plan.geometry.grid = {4, 1, 1};
  return plan;
}

TEST(Twins, WhatTheDeviceCannotSeeMakesNoOtherProgram) {
  VariantPlan other = plan_of("code");
  other.artifact.log = "a warning";
  other.artifact.milliseconds = 80;
  other.best_ms = 2;
  EXPECT_EQ(program_of(other), program_of(plan_of("code")));
}

// The same code for another number of time steps: one of the two is wrong.
TEST(Twins, AnotherRightAnswerMakesAnotherProgram) {
  VariantPlan other = plan_of("code");
  other.answer = 1;
  EXPECT_NE(program_of(other), program_of(plan_of("code")));
}

TEST(Twins, CodeEntryLaunchAndArgumentsMakeAnother) {
  const std::string program = program_of(plan_of("code"));
  EXPECT_NE(program_of(plan_of("other code")), program);
  VariantPlan other = plan_of("code");
  other.artifact.entry = "l";
  EXPECT_NE(program_of(other), program);
  other = plan_of("code");
  other.artifact.symbols = {{"weights", "_Z7weights"}};
  EXPECT_NE(program_of(other), program);
  other = plan_of("code");
  other.geometry.dynamic_shared_bytes = 1;
  EXPECT_NE(program_of(other), program);
  other = plan_of("code");
  other.artifact.then = {{"finish", {}}};
  other.then = {{"finish", {}, {0}}};
  EXPECT_NE(program_of(other), program);
  VariantPlan wider = other;
  wider.then[0].geometry.block[0] = 64;
  EXPECT_NE(program_of(wider), program_of(other));
  other = plan_of("code");
  ArgumentPlan scalar;
  scalar.is_scalar = true;
  scalar.scalar = {std::byte{1}};
  other.overrides = {{0, scalar}};
  EXPECT_NE(program_of(other), program);
}

TEST(Twins, AParameterThatMakesNoOtherProgramIsIdle) {
  Duplicates twins;
  const auto tried = [&](std::int64_t items, std::int64_t block, const std::string& program) {
    Trial trial;
    trial.configuration = {items, block};
    if (!twins.answer(program, trial)) twins.add(program, trial);
  };
  tried(1, 32, "a");
  tried(1, 64, "b");
  EXPECT_TRUE(twins.idle().empty());
  tried(2, 32, "a");
  tried(2, 64, "b");
  EXPECT_EQ(twins.idle(), std::vector<std::size_t>{0});
  tried(4, 128, "c");
  EXPECT_TRUE(twins.idle().empty()) << "4 was compared with nothing";
  tried(1, 128, "c");
  EXPECT_EQ(twins.idle(), std::vector<std::size_t>{0});
  tried(4, 64, "d");
  EXPECT_TRUE(twins.idle().empty());
}

TEST(Twins, OneAnswersForTheOtherWhateverTheOutcome) {
  Duplicates twins;
  Trial measured;
  measured.state = TrialState::kCorrectness;
  measured.timing.samples = {1, 2};
  measured.max_error = 0.5;
  measured.message = "3 of 4 elements";
  measured.resources.registers = 32;
  measured.cost_seconds = 9;
  twins.add("p", measured);

  Trial trial;
  trial.index = 7;
  EXPECT_FALSE(twins.answer("q", trial));
  EXPECT_EQ(twins.answered(), 0U);
  ASSERT_TRUE(twins.answer("p", trial));
  EXPECT_EQ(twins.answered(), 1U);
  EXPECT_EQ(trial.index, 7U);
  EXPECT_EQ(trial.state, TrialState::kCorrectness);
  EXPECT_EQ(trial.timing.samples, measured.timing.samples);
  EXPECT_EQ(trial.max_error, 0.5);
  EXPECT_EQ(trial.message, "3 of 4 elements");
  EXPECT_EQ(trial.resources.registers, 32);
  EXPECT_EQ(trial.cost_seconds, 0);
}

}  // namespace
}  // namespace tuner
