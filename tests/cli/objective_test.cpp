// Which way round imported and stored results are ranked.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

// A Kernel Tuner cache of the tiny study; what it lacks, the study's formula gives.
std::string cache_of(const std::string& metric = "") {
  const auto entry = [&](int block, const std::string& ms) {
    return fmt::format(R"("{0}": {{"BLOCK": {0}, "PER": 1, "time": {1}{2}}})", block, ms, metric);
  };
  return R"({"device_name": "A100", "kernel_name": "axpy", "tune_params_keys": ["BLOCK", "PER"],
    "tune_params": {"BLOCK": [32, 64, 128], "PER": [1]}, "cache": {)" +
         entry(32, "0.02") + "," + entry(64, "0.04") + "," + entry(128, "0.01") + "}}";
}

void write_maximising_study(const Sandbox& sandbox) {
  std::string study = text_of(data("studies/tiny.yaml"));
  const std::string old = "{minimize: time}";
  study.replace(study.find(old), old.size(), "{maximize: gbps}");
  sandbox.write("tiny.yaml", study);
  sandbox.write("tiny.cu", text_of(data("studies/tiny.cu")));
}

TEST(Objective, AnImportUnderAMaximisingStudyRanksTheBestFirst) {
  const Sandbox sandbox;
  write_maximising_study(sandbox);
  sandbox.write("cache.json", cache_of());
  run_to(0, sandbox, {"import", "cache.json", "--study", "tiny.yaml", "--size", "n=3000"});
  for (const std::string& target : {std::string("tiny.yaml"), std::string("results")}) {
    run_to(0, sandbox, {"results", target, "--csv", "rows.csv"});
    const Rows rows = read_csv(sandbox.path("rows.csv"));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].at("BLOCK"), "128") << target;
    EXPECT_EQ(rows[2].at("BLOCK"), "64") << target;
    EXPECT_EQ(rows[0].at("gbps"), "3.6") << "by the study's formula: 12 * 3000 / 1e-5 s";
  }
  const auto best =
      run(sandbox, {"export", "tiny.yaml", "--format", "defines", "--device", "A100"});
  EXPECT_EQ(best.out.find("-DTUNE_BLOCK=128\n"), 0U) << best.out << best.err;
}

TEST(Objective, AnObjectiveThatARecordingLacksIsRefusedAndHarmsNothing) {
  const Sandbox sandbox;
  write_maximising_study(sandbox);
  sandbox.write("cache.json", cache_of(", \"GFLOP/s\": 7"));
  const std::vector<std::string> import{"import",    "cache.json", "--study",
                                        "tiny.yaml", "--size",     "n=3000"};
  run_to(0, sandbox, import);
  for (const std::string& wrong : {std::string("GFLOPs"), std::string("GFLOP/s")}) {
    auto words = import;
    words.insert(words.end(), {"--objective", wrong});
    const auto refused = run(sandbox, words);
    EXPECT_EQ(refused.status, 2) << wrong << refused.out;
    EXPECT_TRUE(says(refused.err, "cache"));
  }
  run_to(0, sandbox, {"results", "tiny.yaml", "--csv", "rows.csv"});
  for (const auto& row : read_csv(sandbox.path("rows.csv"))) EXPECT_EQ(row.at("state"), "ok");
}

TEST(Objective, WithoutAStudyMaximizeSaysThatMoreIsBetter) {
  const Sandbox sandbox;
  sandbox.write("cache.json", cache_of());
  std::string text = cache_of();
  for (const auto& [old, by] :
       std::map<std::string, std::string>{{"\"time\": 0.02", "\"GFLOP/s\": 2"},
                                          {"\"time\": 0.04", "\"GFLOP/s\": 4"},
                                          {"\"time\": 0.01", "\"GFLOP/s\": 1"}}) {
    text.replace(text.find(old), old.size(), by);
  }
  sandbox.write("cache.json", text);
  EXPECT_EQ(run(sandbox, {"import", "cache.json", "--size", "n=3000"}).status, 2)
      << "no time in it";
  run_to(0, sandbox,
         {"import", "cache.json", "--size", "n=3000", "--objective", "GFLOP/s", "--maximize"});
  run_to(0, sandbox, {"results", "--csv", "rows.csv"});
  EXPECT_EQ(read_csv(sandbox.path("rows.csv"))[0].at("BLOCK"), "64");
  const auto replayed = run(
      sandbox, {"run", "--replay", "results", "--strategy", "exhaustive", "--progress", "none"});
  EXPECT_TRUE(says(replayed.out, ",4,BLOCK=64")) << replayed.out << replayed.err;
}

TEST(Objective, ResultsOfAFolderAreRankedByTheObjectiveOfTheirStudy) {
  const Sandbox sandbox;
  write_maximising_study(sandbox);
  run_to(0, sandbox,
         {"run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000", "--strategy", "exhaustive",
          "--progress", "none"});
  run_to(0, sandbox, {"results", "tiny.yaml", "--csv", "a.csv"});
  run_to(0, sandbox, {"results", "results", "--csv", "b.csv"});
  auto with_study = read_csv(sandbox.path("a.csv"));
  for (auto& row : with_study) row.at("verified") = "";  // without the study nobody knows
  EXPECT_EQ(with_study, read_csv(sandbox.path("b.csv")));
}

}  // namespace
}  // namespace tuner::cli
