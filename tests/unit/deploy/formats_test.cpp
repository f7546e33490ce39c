#include "tuner/deploy/formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiled.h"
#include "tests/unit/deploy/sample_study.h"

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

TEST(Defines, AValueThatLooksLikeAnOptionStaysAValue) {
  for (const std::string value :
       {"a b -include /etc/hostname", "x' -DINJECTED=1 '", "a\tb #c ; &"}) {
    Study study = sample_study();
    study.parameters[2].values = {value, "dynamic"};
    RankedResults results = sample_results()[0];
    results.trials[0].configuration[2] = value;
    const HeaderFolder folder("");
    folder.write("options", export_defines(study, results));
    folder.write("main.cpp",
                 "#ifdef INJECTED\n#error injected\n#endif\n"
                 "#define TEXT(...) #__VA_ARGS__\n#define VALUE(x) TEXT(x)\n"
                 "const char* text = VALUE(TUNE_SHARED);\n");
    for (const char* compiler : {"g++", "clang++-14"}) {
      if (!has_command(compiler)) continue;
      const auto out = folder.run(std::string(compiler) + " -w -E -P @options main.cpp");
      EXPECT_EQ(out.status, 0) << out.text;
      const std::size_t lines =
          static_cast<std::size_t>(std::count(out.text.begin(), out.text.end(), '\n'));
      EXPECT_LE(lines, 2U) << "something else was included:\n" << out.text;
      EXPECT_NE(out.text.find("const char* text"), std::string::npos) << out.text;
    }
  }
}

TEST(Defines, HoldTheOptionsThatTheKernelWasCompiledWith) {
  Study study = sample_study();
  study.kernel.options = {"-DWIDTH={BM}", "--use_fast_math", "-DTEXT={SHARED} of {M}"};
  const std::string text = export_defines(study, sample_results()[1]);
  EXPECT_NE(text.find("\n-DWIDTH=128\n--use_fast_math\n\"-DTEXT=dynamic of 4096\"\n"),
            std::string::npos)
      << text;
}

TEST(Defines, WhatNoResponseFileCanHoldIsRefused) {
  for (const std::string value : {"a\nb", "$(date)", "`date`", "a\rb", "a\x01"}) {
    Study study = sample_study();
    study.parameters[2].values = {value, "dynamic"};
    RankedResults results = sample_results()[0];
    results.trials[0].configuration[2] = value;
    try {
      export_defines(study, results);
      FAIL() << value;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("a response file cannot hold '-DTUNE_SHARED="),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(Defines, NeedAValidConfiguration) {
  RankedResults results = sample_results()[0];
  results.ranked = 0;
  EXPECT_THROW(export_defines(sample_study(), results), InputError);
}

TEST(SingleResult, ListsWhatThereIsToChooseFrom) {
  const auto all = sample_results();
  EXPECT_EQ(single_result({all[1]}, "t4").size, all[1].size);
  RankedResults failed = all[0];
  failed.ranked = 0;
  EXPECT_EQ(single_result({failed, all[1]}, "t4").size, all[1].size) << "the other has nothing";
  try {
    single_result(all, "t4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "t4 is for one device and size; choose with --device and --size:\n"
                 "  M1024_N1024 on NVIDIA H200\n  M4096_N2048 on NVIDIA H200\n"
                 "  M1024_N1024 on NVIDIA A100");
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

TEST(T4, TheBestRankedIsTheBestOfTheFile) {
  RankedResults results = sample_results()[0];
  results.trials[1].timing.median =
      results.trials[0].timing.median / 2;  // its final says otherwise
  const auto json = nlohmann::json::parse(export_t4(sample_study(), results));
  const auto time = [&](std::size_t at) {
    return json.at("results").at(at).at("measurements").at(0).at("value").get<double>();
  };
  EXPECT_EQ(time(0), results.trials[0].timing.median);
  EXPECT_GT(time(1), time(0));
  EXPECT_NEAR(time(1), time(0), 1e-9);
  EXPECT_EQ(time(2), results.trials[2].timing.median);
  EXPECT_EQ(json.at("metadata").at("objective"), "time");
  EXPECT_EQ(json.at("metadata").at("objective_direction"), "minimize");
}

}  // namespace
}  // namespace tuner
