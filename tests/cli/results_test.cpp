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
    const auto done = run(*sandbox_, {"run", data("studies/tiny.yaml"), "--backend", "cpu",
                                      "--strategy", "exhaustive", "--progress", "none"});
    ASSERT_EQ(done.status, 0) << done.err;
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
    const auto done = run(*sandbox_, {"results", target});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_NE(done.out.find("n10000"), std::string::npos) << done.out;
    EXPECT_NE(done.out.find("n3000"), std::string::npos) << done.out;
    EXPECT_EQ(done.out.find("stale"), std::string::npos) << done.out;
  }
}

TEST_F(Results, CsvIsTheFileThatTheRunWrote) {
  const auto done = run(
      *sandbox_, {"results", data("studies/tiny.yaml"), "--size", "n=3000", "--csv", "again.csv"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto again = read_csv(sandbox_->path("again.csv"));
  ASSERT_EQ(again.size(), 11U);
  for (const auto& device : fs::directory_iterator(sandbox_->path("results/axpy"))) {
    EXPECT_EQ(again.front(), read_csv(device.path() / "n3000.csv").front());
  }
}

TEST_F(Results, CsvOfSeveralRankingsAsksWhich) {
  const auto done = run(*sandbox_, {"results", data("studies/tiny.yaml"), "--csv", "-"});
  EXPECT_EQ(done.status, 2);
  EXPECT_NE(done.err.find("n10000"), std::string::npos) << done.err;
}

TEST_F(Results, OfRankedCsvFilesWithoutADatabaseIsShownWhatTheyTell) {
  const fs::path folder = std::string(TUNER_SOURCE_DIR) + "/results/transpose";
  const auto all = run(*sandbox_, {"results", folder, "--top", "1"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.out.find("transpose on NVIDIA H200, M16384_N16384"), std::string::npos) << all.out;
  EXPECT_EQ(run(*sandbox_, {"results", folder / "nvidia-h200/M16384_N16384.csv"}).status, 0);
}

TEST_F(Results, NothingMeasuredIsSaidPlainly) {
  const Sandbox empty;
  EXPECT_EQ(run(empty, {"results"}).status, 2);
  EXPECT_EQ(run(*sandbox_, {"results", "--device", "nonesuch"}).status, 1);
}

TEST_F(Results, HeaderExportCompilesAndSelects) {
  const auto done =
      run(*sandbox_, {"export", data("studies/tiny.yaml"), "--format", "header", "-o", "axpy.hpp"});
  ASSERT_EQ(done.status, 0) << done.err;
  sandbox_->write("app.cpp", "#include \"axpy.hpp\"\nint main() { return 0; }\n");
  const std::string command = "cd " + sandbox_->path().string() +
                              " && g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror "
                              "app.cpp -o app && ./app";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Results, JsonAndDefinesAreExported) {
  const auto json = run(*sandbox_, {"export", data("studies/tiny.yaml"), "--format", "json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(json.out.front(), '{');
  const auto defines = run(
      *sandbox_, {"export", data("studies/tiny.yaml"), "--format", "defines", "--size", "n=3000"});
  ASSERT_EQ(defines.status, 0) << defines.err;
  EXPECT_EQ(defines.out.find("-DTUNE_BLOCK="), 0U) << defines.out;
  EXPECT_NE(defines.out.find("\n-DTUNE_PER="), std::string::npos) << defines.out;
}

TEST(Contexts, ResultsShowWhatAPlainRunGoesOnWithAndNameTheOthers) {
  const Sandbox sandbox;
  const std::vector<std::string> tune{"run",        data("studies/tiny.yaml"),
                                      "--backend",  "cpu",
                                      "--strategy", "exhaustive",
                                      "--size",     "n=3000",
                                      "--progress", "none"};
  ASSERT_EQ(run(sandbox, tune).status, 0);
  auto random = tune;
  random.emplace_back("--random-order");
  random.insert(random.end(), {"--budget", "2"});
  ASSERT_EQ(run(sandbox, random).status, 0);
  for (const std::string& target : {data("studies/tiny.yaml").string(), std::string("results")}) {
    const auto shown = run(sandbox, {"results", target});
    EXPECT_NE(shown.out.find("\n11 trials"), std::string::npos) << shown.out;
    EXPECT_EQ(shown.out.find("\n2 trials"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("not shown (--all shows it): 2 valid of 2 measured with order=random"),
              std::string::npos)
        << shown.out;
    const auto all = run(sandbox, {"results", target, "--all"});
    EXPECT_NE(all.out.find("\n11 trials"), std::string::npos) << all.out;
    EXPECT_NE(all.out.find("\n2 trials"), std::string::npos) << all.out;
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
  ASSERT_EQ(run(sandbox, {"run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000", "--budget",
                          "1", "--progress", "none"})
                .status,
            0);
  const auto done = run(sandbox, {"export", "tiny.yaml", "--format", "defines", "-o", "best.rsp"});
  ASSERT_EQ(done.status, 0) << done.err;
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
  ASSERT_EQ(run(sandbox, tune).status, 0);
  EXPECT_EQ(run(sandbox, show).out.find("stale"), std::string::npos) << run(sandbox, show).out;
  edit(sandbox, "", "", "y[i] = a * x[i] + y[i]", "y[i] = y[i] + a * x[i]");
  EXPECT_NE(run(sandbox, show).out.find("stale, will be measured anew: source: changed"),
            std::string::npos)
      << run(sandbox, show).out;
  EXPECT_EQ(recalled(run(sandbox, tune)), 0U);
  edit(sandbox, "metrics:", "measure: {cache: hot}\nmetrics:", "", "");
  EXPECT_NE(run(sandbox, show).out.find("measuring: cold"), std::string::npos)
      << run(sandbox, show).out;
  edit(sandbox, "uniform: [-1, 1]", "uniform: [0, 1]", "", "");
  EXPECT_NE(run(sandbox, show).out.find("inputs: changed"), std::string::npos);
  edit(sandbox, "entry: axpy}", "entry: axpy, options: [-DX=1]}", "", "");
  EXPECT_NE(run(sandbox, show).out.find("options: changed"), std::string::npos);
  // What says only which configurations there are makes nothing stale.
  edit(sandbox, "PER: [1, 2, 4]", "PER: [1, 2, 4, 8]", "", "");
  EXPECT_EQ(run(sandbox, show).out.find("stale"), std::string::npos);
  edit(sandbox, "", "", "", "");
  EXPECT_EQ(recalled(run(sandbox, tune)), 4U);
}

TEST_F(Results, UnknownFormatSuggestsTheNearest) {
  const auto done =
      run(*sandbox_, {"export", data("studies/tiny.yaml"), "--format", "haeder", "-o", "x"});
  EXPECT_EQ(done.status, 2);
  EXPECT_NE(done.err.find("did you mean 'header'?"), std::string::npos) << done.err;
  EXPECT_FALSE(fs::exists(sandbox_->path("x")));
}

}  // namespace
}  // namespace tuner::cli
