#include "tuner/store/trial_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tuner {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TrialRow row(const std::string& state, const std::string& detail) {
  return {R"({"BM":64,"SCALE":{"float":"-inf"},"SHARED":"static"})",
          state,
          0,
          0,
          {},
          detail,
          "why",
          "2026-01-31T12:00:00Z"};
}

const std::vector<std::string> kNames{"SHARED", "BM", "SCALE"};

TEST(TrialCodec, ARowIsReadFieldByField) {
  const Trial trial = from_row(
      row("ok",
          R"({"ci_low_ms":0.078063,"ci_high_ms":0.125225,"min_ms":0.067466,)"
          R"("metrics":[["gbps",0.348],["odd",{"float":"nan"}]],"grid":[2,1,1],"block":[256,1,1],)"
          R"("dynamic_shared_bytes":16,"resources":{"registers":-1,"static_shared_bytes":8192,)"
          R"("constant_bytes":-1,"local_bytes":-1,"spill_bytes":-1,"max_threads":1024},)"
          R"("occupancy":-1.0,"watts":0.0,"compile_ms":267.343589,"cache_hit":true,)"
          R"("max_error":{"float":"inf"},"cost_seconds":0.51,"median_ms":0.094159,)"
          R"("objective":9.4159e-05,"sources_known":false,"further_files":[["/a.h","12"]],)"
          R"("outdated":true,"counted":7})"),
      kNames);
  EXPECT_EQ(trial.configuration, (Configuration{"static", std::int64_t{64}, -kInf}));
  EXPECT_EQ(trial.state, TrialState::kOk);
  EXPECT_EQ(trial.message, "why");
  EXPECT_FALSE(trial.final);
  EXPECT_EQ(trial.timing.median, 0.094159);
  EXPECT_EQ(trial.timing.ci_low, 0.078063);
  EXPECT_EQ(trial.timing.ci_high, 0.125225);
  ASSERT_EQ(trial.metrics.size(), 2U);
  EXPECT_EQ(trial.metrics[0], (std::pair<std::string, double>{"gbps", 0.348}));
  EXPECT_TRUE(std::isnan(trial.metrics[1].second));
  EXPECT_EQ(trial.geometry.grid, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(trial.geometry.block, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(trial.geometry.dynamic_shared_bytes, 16U);
  EXPECT_EQ(trial.resources.static_shared_bytes, 8192);
  EXPECT_EQ(trial.resources.max_threads, 1024);
  EXPECT_EQ(trial.compile_ms, 267.343589);
  EXPECT_TRUE(trial.cache_hit);
  EXPECT_EQ(trial.max_error, kInf);
  EXPECT_EQ(trial.cost_seconds, 0.51);
  EXPECT_EQ(trial.objective, SearchFigure(9.4159e-05));
  EXPECT_FALSE(trial.sources_known);
  EXPECT_TRUE(trial.outdated);
  EXPECT_EQ(trial.further_files, (std::vector<FileState>{{"/a.h", "12"}}));
  EXPECT_TRUE(trial.from_store);
}

TEST(TrialCodec, WhatMostTrialsHaveAlikeIsLeftOut) {
  const std::vector<std::string> none;
  const std::string usual = to_row(Trial{}, none).detail;
  for (const char* name :
       {"final", "counted", "further_files", "sources_known", "outdated", "deterministic",
        "reference_ms", "attributes", "conditions", "evidence", "registers"}) {
    EXPECT_EQ(usual.find(name), std::string::npos) << name;
  }
  EXPECT_NE(usual.find("\"median_ms\":0.0"), std::string::npos) << usual;
}

TEST(TrialCodec, ARowThatLacksAFieldIsRefused) {
  EXPECT_THROW(from_row(row("ok", "{}"), kNames), nlohmann::json::exception);
  EXPECT_THROW(from_row(row("ok", "[]"), kNames), nlohmann::json::exception);
}

}  // namespace
}  // namespace tuner
