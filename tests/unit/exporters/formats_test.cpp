#include "tuner/exporters/formats.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiled.h"
#include "sample_study.h"

namespace tuner {
namespace {

TEST(Defines, AreWhatTheKernelWasTunedWith) {
  EXPECT_EQ(export_defines(sample_study(), sample_results()[1]),
            "-DTUNE_BM=128\n-DTUNE_VEC=4\n-DTUNE_SHARED=dynamic\n-DTUNE_SHARED_IS_static=0\n"
            "-DTUNE_SHARED_IS_STATIC=0\n-DTUNE_SHARED_IS_dynamic=1\n-DTUNE_SHARED_IS_DYNAMIC=1\n"
            "-DTUNE_SCALE=0.5\n-DTUNE_FAST=0\n");
}

TEST(Defines, AreAResponseFileForACompiler) {
  Study study = sample_study();
  study.parameters[2].values = {"a \"b\\c\"", "dynamic"};
  RankedResults results = sample_results()[0];
  results.trials[0].configuration[2] = "a \"b\\c\"";
  const HeaderFolder folder("");
  folder.write("options", export_defines(study, results));
  folder.write("main.cpp",
               "static_assert(TUNE_BM == 32); static_assert(TUNE_SCALE == 0.5);\n"
               "static_assert(TUNE_SHARED_IS_a__b_c_ == 1); int main() {}\n");
  const auto out = folder.run("g++ -std=c++17 -fsyntax-only @options main.cpp");
  EXPECT_EQ(out.status, 0) << out.text;
}

TEST(Defines, NeedAValidConfiguration) {
  RankedResults results = sample_results()[0];
  results.ranked = 0;
  EXPECT_THROW(export_defines(sample_study(), results), InputError);
}

TEST(SingleResult, ListsWhatThereIsToChooseFrom) {
  const auto all = sample_results();
  EXPECT_EQ(single_result({all[1]}, "t4").size, all[1].size);
  try {
    single_result(all, "t4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the format t4 holds one device and one size; choose from\n"
                 "  NVIDIA H200, M1024_N1024\n  NVIDIA H200, M4096_N2048\n"
                 "  NVIDIA A100, M1024_N1024");
  }
  EXPECT_THROW(single_result({}, "t4"), InputError);
}

TEST(T4, HoldsEveryTrial) {
  RankedResults results = sample_results()[0];
  results.trials[0].compile_ms = 80;
  results.trials[0].cost_seconds = 0.1;
  Trial failed = sample_trial(sample_configuration(16, 1, "static", true), 0);
  failed.state = TrialState::kLaunch;
  failed.message = "bytes \xff";
  results.trials.push_back(failed);
  const auto json = nlohmann::json::parse(export_t4(sample_study(), results, "1.2.3"));
  EXPECT_EQ(json.at("schema_version"), "1.1.0");
  EXPECT_EQ(json.at("metadata").at("device"), "NVIDIA H200");
  EXPECT_EQ(json.at("metadata").at("compute_api"), "CUDA");
  EXPECT_EQ(json.at("metadata").at("timeunit"), "milliseconds");
  EXPECT_EQ(json.at("metadata").at("problem_size").at("M"), 1024);
  ASSERT_EQ(json.at("results").size(), 5U);
  const auto& first = json.at("results").at(0);
  EXPECT_EQ(first.at("configuration").at("BM"), 32);
  EXPECT_EQ(first.at("configuration").at("SHARED"), "static");
  EXPECT_EQ(first.at("configuration").at("FAST"), false);
  EXPECT_EQ(first.at("times").at("compilation_time"), 80);
  EXPECT_DOUBLE_EQ(first.at("times").at("benchmark").get<double>(), 20);
  EXPECT_EQ(first.at("times").at("runtimes").size(), 3U);
  EXPECT_EQ(first.at("invalidity"), "correct");
  EXPECT_EQ(first.at("correctness"), 1);
  EXPECT_EQ(first.at("measurements").at(0).at("value"), 1.0);
  EXPECT_EQ(first.at("measurements").at(1).at("name"), "gflops");
  EXPECT_EQ(first.at("objectives").at(0), "time");
  const auto& last = json.at("results").at(4);
  EXPECT_EQ(last.at("invalidity"), "runtime");
  EXPECT_EQ(last.at("correctness"), 0);
  EXPECT_TRUE(last.at("measurements").empty());
}

}  // namespace
}  // namespace tuner
