
#include <gtest/gtest.h>

#include "tests/unit/resolve/studies.h"
#include "tuner/resolve/objective.h"

namespace tuner {
namespace {

using test::expr;
using test::scale_study;

Trial compiled_trial() {
  Trial trial;
  trial.state = TrialState::kOk;
  trial.timing.median = 2;
  trial.resources.registers = 168;
  trial.resources.spill_bytes = 0;
  trial.geometry.dynamic_shared_bytes = 4096;
  trial.image_bytes = 9000;
  return trial;
}

TEST(CompiledNames, AreThoseThatAreKnownAndTheStudysOwnGoFirst) {
  const Bindings known = with_compiled({{"registers", std::int64_t{3}}}, compiled_trial());
  EXPECT_EQ(known.at("registers"), Value(std::int64_t{3}));
  EXPECT_EQ(known.at("spill_bytes"), Value(std::int64_t{0}));
  EXPECT_EQ(known.at("dynamic_shared_bytes"), Value(std::int64_t{4096}));
  EXPECT_EQ(known.at("image_bytes"), Value(std::int64_t{9000}));
  EXPECT_FALSE(known.contains("occupancy"));
  EXPECT_FALSE(known.contains("static_shared_bytes"));
}

TEST(CompiledNames, AreSeenByMetricsAndObjectives) {
  Study study = scale_study();
  study.metrics = {{"registers", expr("registers")}, {"waste", expr("time * 1000 * registers")}};
  study.objective = {"registers"};
  Trial trial = compiled_trial();
  score(study, {}, trial);
  EXPECT_EQ(trial.metrics, (Metrics{{"registers", 168}, {"waste", 336}}));
  EXPECT_EQ(trial.objective.value(), 168);
  trial.resources.registers = -1;
  score(study, {}, trial);
  EXPECT_EQ(trial.state, TrialState::kRuntime);
  EXPECT_EQ(trial.message, "the objective 'registers' has no value");
}

TEST(CompiledNames, AConditionThatIsFalseRulesOutAndSaysWhy) {
  Study study = scale_study();
  study.compiled = {expr("spill_bytes == 0"), expr("registers <= 128 or BLOCK > 64"),
                    expr("image_bytes % (BLOCK - 128) >= 0")};
  const auto broken = [&](std::int64_t block) {
    return broken_by_compiled(study, {{"BLOCK", block}}, compiled_trial()).value_or("");
  };
  EXPECT_EQ(broken(32),
            "'compiled' rules it out: registers <= 128 or BLOCK > 64 with registers = 168, BLOCK = "
            "32");
  EXPECT_EQ(broken(256), "");
  EXPECT_EQ(broken(128),
            "'compiled' rules it out: image_bytes % (BLOCK - 128) >= 0 with image_bytes = 9000, "
            "BLOCK = 128: division by zero");
  Trial trial = compiled_trial();
  score(study, {{"BLOCK", std::int64_t{32}}}, trial);
  EXPECT_EQ(trial.state, TrialState::kConstraints);
}

TEST(CompiledNames, WhatNobodySaysRulesNothingOut) {
  Study study = scale_study();
  study.compiled = {expr("static_shared_bytes < 0"), expr("occupancy > 2")};
  EXPECT_FALSE(broken_by_compiled(study, {}, compiled_trial()));
}

}  // namespace
}  // namespace tuner
