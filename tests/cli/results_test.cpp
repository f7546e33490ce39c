#include <gtest/gtest.h>

#include <cstdlib>

#include "program.h"
#include "tuner/base/atomic_file.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

class Results : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    const auto done = run_to(0, *sandbox_,
                             {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--strategy",
                              "exhaustive", "--progress", "none"});
  }
  static void TearDownTestSuite() {
    delete sandbox_;
    sandbox_ = nullptr;
  }
  static Sandbox* sandbox_;
};
Sandbox* Results::sandbox_ = nullptr;

TEST_F(Results, ShowsEverySizeOfAStudyOrOfAFolder) {
  for (const std::string& target : {data("studies/tiny.yaml").string(), std::string("results")}) {
    const auto done = run_to(0, *sandbox_, {"results", target});
    EXPECT_TRUE(says(done.out, "n10000"));
    EXPECT_TRUE(says(done.out, "n3000"));
    EXPECT_FALSE(says(done.out, "stale"));
  }
}

TEST_F(Results, CsvOfSeveralRankingsAsksWhich) {
  const auto done = run_to(2, *sandbox_, {"results", data("studies/tiny.yaml"), "--csv", "-"});
  EXPECT_TRUE(says(done.err, "n10000"));
}

TEST_F(Results, OfRankedCsvFilesWithoutADatabaseIsShownWhatTheyTell) {
  const fs::path folder = std::string(TUNER_SOURCE_DIR) + "/results/transpose";
  const auto all = run_to(0, *sandbox_, {"results", folder, "--top", "1"});
  EXPECT_TRUE(says(all.out, "transpose on NVIDIA H200, M16384_N16384"));
  run_to(0, *sandbox_, {"results", folder / "nvidia-h200/M16384_N16384.csv"});
}

TEST_F(Results, NothingMeasuredIsSaidPlainly) {
  const Sandbox empty;
  run_to(2, empty, {"results"});
  run_to(1, *sandbox_, {"results", "--device", "nonesuch"});
}

TEST_F(Results, HeaderExportCompilesAndSelects) {
  run_to(0, *sandbox_,
         {"export", data("studies/tiny.yaml"), "--format", "header", "-o", "axpy.hpp"});
  sandbox_->write("app.cpp", "#include \"axpy.hpp\"\nint main() { return 0; }\n");
  const std::string command = "cd " + sandbox_->path().string() +
                              " && g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror "
                              "app.cpp -o app && ./app";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Contexts, ResultsShowWhatAPlainRunGoesOnWithAndNameTheOthers) {
  const Sandbox sandbox;
  const std::vector<std::string> tune{"run",        data("studies/tiny.yaml"),
                                      "--backend",  "cpu",
                                      "--strategy", "exhaustive",
                                      "--size",     "n=3000",
                                      "--progress", "none"};
  run_to(0, sandbox, tune);
  auto random = tune;
  random.emplace_back("--random-order");
  random.insert(random.end(), {"--budget", "2"});
  run_to(0, sandbox, random);
  for (const std::string& target : {data("studies/tiny.yaml").string(), std::string("results")}) {
    const auto shown = run(sandbox, {"results", target});
    EXPECT_TRUE(says(shown.out, "\n11 trials"));
    EXPECT_FALSE(says(shown.out, "\n2 trials"));
    EXPECT_TRUE(
        says(shown.out, "not shown (--all shows it): 2 valid of 2 measured with order=random"));
    const auto all = run(sandbox, {"results", target, "--all"});
    EXPECT_TRUE(says(all.out, "\n11 trials"));
    EXPECT_TRUE(says(all.out, "\n2 trials"));
  }
}

TEST(Defines, AreTheWordsThatTheKernelWasCompiledWith) {
  const Sandbox sandbox;
  std::string study = read_file(data("studies/tiny.yaml"));
  const auto replace = [&](const std::string& old, const std::string& by) {
    study.replace(study.find(old), old.size(), by);
  };
  replace("entry: axpy}", "entry: axpy, options: [\"-DWIDTH={n}\"]}");
  replace("PER: [1, 2, 4]", "PER: [1]\n  NAME: [\"a b -include /etc/hostname\"]");
  sandbox.write("tiny.yaml", study);
  sandbox.write("tiny.cu", read_file(data("studies/tiny.cu")));
  run_to(0, sandbox,
         {"run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000", "--budget", "1", "--progress",
          "none"});
  run_to(0, sandbox, {"export", "tiny.yaml", "--format", "defines", "-o", "best.rsp"});
  sandbox.write("text.cpp", "[WIDTH] [TUNE_NAME]\n");
  const std::string command =
      "cd " + sandbox.path().string() + " && g++ -E -P @best.rsp text.cpp > out.txt";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(sandbox.path("out.txt")), "[3000] [a b -include /etc/hostname]\n");
}

std::size_t recalled(const Finished& done) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = done.err.find("\"from_store\":true", at)) != std::string::npos;
       ++at)
    ++count;
  return count;
}

// The study of Results with one text replaced, beside its source with another one replaced.
void edit(const Sandbox& sandbox, const std::string& in_study, const std::string& by,
          const std::string& in_source, const std::string& in_its_place) {
  const auto replaced = [](std::string text, const std::string& old, const std::string& fresh) {
    if (!old.empty()) text.replace(text.find(old), old.size(), fresh);
    return text;
  };
  sandbox.write("tiny.yaml", replaced(read_file(data("studies/tiny.yaml")), in_study, by));
  sandbox.write("tiny.cu", replaced(read_file(data("studies/tiny.cu")), in_source, in_its_place));
}

TEST(Stale, WhatChangedIsNamedAndMeasuredAnewAndNothingElse) {
  const Sandbox sandbox;
  const std::vector<std::string> tune{"run",        "tiny.yaml", "--backend",  "cpu",
                                      "--strategy", "random",    "--budget",   "4",
                                      "--size",     "n=3000",    "--progress", "json"};
  const std::vector<std::string> show{"results", "tiny.yaml", "--here"};
  edit(sandbox, "", "", "", "");
  run_to(0, sandbox, tune);
  EXPECT_FALSE(says(run(sandbox, show).out, "stale"));
  edit(sandbox, "", "", "y[i] = a * x[i] + y[i]", "y[i] = y[i] + a * x[i]");
  EXPECT_TRUE(says(run(sandbox, show).out, "stale, will be measured anew: source: changed"));
  EXPECT_EQ(recalled(run(sandbox, tune)), 0U);
  edit(sandbox, "metrics:", "measure: {cache: hot}\nmetrics:", "", "");
  EXPECT_TRUE(says(run(sandbox, show).out, "measuring: cold"));
  edit(sandbox, "uniform: [-1, 1]", "uniform: [0, 1]", "", "");
  EXPECT_TRUE(says(run(sandbox, show).out, "inputs: changed"));
  edit(sandbox, "entry: axpy}", "entry: axpy, options: [-DX=1]}", "", "");
  EXPECT_TRUE(says(run(sandbox, show).out, "options: changed"));
  // What says only which configurations there are makes nothing stale.
  edit(sandbox, "PER: [1, 2, 4]", "PER: [1, 2, 4, 8]", "", "");
  EXPECT_FALSE(says(run(sandbox, show).out, "stale"));
  edit(sandbox, "", "", "", "");
  EXPECT_EQ(recalled(run(sandbox, tune)), 4U);
}

TEST_F(Results, UnknownFormatSuggestsTheNearest) {
  const auto done =
      run_to(2, *sandbox_, {"export", data("studies/tiny.yaml"), "--format", "haeder", "-o", "x"});
  EXPECT_TRUE(says(done.err, "did you mean 'header'?"));
  EXPECT_FALSE(fs::exists(sandbox_->path("x")));
}

}  // namespace
}  // namespace tuner::cli
