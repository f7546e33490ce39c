// What a study does not have any more, what it says of answers that are mostly wrong, and what a
// mistake on the command line leaves behind.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

// y = 2 x, where each thread does VEC elements.
std::string study_with(const std::string& vec, const std::string& more = "") {
  return R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 2000}]
parameters: {BLOCK: [32, 64], VEC: )yaml" +
         vec + R"yaml(}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK * VEC)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: reference, block: [64], grid: ["ceil_div(N, 64)"]}
measure: {drop_above: 0}
)yaml" + more;
}

const std::string kReference =
    "extern \"C\" __global__ void reference(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = x[i] + x[i];\n}\n";

void write_kernel(const Sandbox& sandbox, const std::string& block) {
  sandbox.write("twice.cu",
                "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
                "  for (int v = 0; v < TUNE_VEC; ++v) {\n    const int i = (blockIdx.x * " +
                    block +
                    " + threadIdx.x) * TUNE_VEC + v;\n"
                    "    if (i < n) y[i] = 2 * x[i];\n  }\n}\n" +
                    kReference);
}

Finished tune(const Sandbox& sandbox, const std::string& study,
              const std::vector<std::string>& more = {}, int status = 0) {
  sandbox.write("twice.yaml", study);
  std::vector<std::string> words{"run",        "twice.yaml", "--backend",  "cpu",
                                 "--strategy", "exhaustive", "--progress", "none"};
  words.insert(words.end(), more.begin(), more.end());
  return run_to(status, sandbox, words);
}

constexpr const char* kOutside = "4 stored results are outside of the study now: kept, not ranked";

// The study in this form after it was measured with VEC of 1, 2 and 4.
void expect_vec_of_1_alone(const std::string& narrowed) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  tune(sandbox, study_with("[1, 2, 4]"));
  sandbox.write("twice.yaml", narrowed);
  const auto shown = run_to(0, sandbox, {"results", "twice.yaml"});
  EXPECT_TRUE(says(shown.out, "\n2 trials"));
  EXPECT_TRUE(says(shown.out, kOutside));
  const auto json = run_to(0, sandbox, {"export", "twice.yaml", "--format", "json", "-o", "-"});
  EXPECT_TRUE(says(json.err, kOutside));
  const auto results = nlohmann::json::parse(json.out).at("results").at(0);
  EXPECT_EQ(results.at("outside"), 4);
  ASSERT_EQ(results.at("trials").size(), 2U);
  for (const auto& trial : results.at("trials")) EXPECT_EQ(trial.at("configuration").at("VEC"), 1);
  run_to(0, sandbox, {"export", "twice.yaml", "--format", "header", "-o", "twice.h"});
  EXPECT_FALSE(says(text_of(sandbox.path("twice.h")), "{32, 4}"));
  EXPECT_FALSE(says(text_of(sandbox.path("twice.h")), "{64, 4}"));
  run_to(0, sandbox, {"report", "twice.yaml", "-o", "twice.html"});
  EXPECT_TRUE(says(text_of(sandbox.path("twice.html")), kOutside));
  tune(sandbox, narrowed);
  EXPECT_EQ(ranking_of(sandbox, "twice").size(), 2U);
  const auto folder = run_to(0, sandbox, {"results", "results"});
  EXPECT_TRUE(says(folder.out, kOutside)) << "also without the study";
}

TEST(Excluded, ByAShorterListIsInNoRankingAndInNoExport) {
  expect_vec_of_1_alone(study_with("[1]"));
}

TEST(Excluded, ByAConstraintIsInNoRankingAndInNoExport) {
  expect_vec_of_1_alone(study_with("[1, 2, 4]", "constraints: [VEC < 2]\n"));
}

TEST(Excluded, ByAListOfConfigurationsIsInNoRankingAndInNoExport) {
  expect_vec_of_1_alone(
      study_with("[1, 2, 4]", "configurations: [{BLOCK: 32, VEC: 1}, {BLOCK: 64, VEC: 1}]\n"));
}

TEST(Where, ExcludesNothing) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  tune(sandbox, study_with("[1, 2, 4]"));
  const auto part = tune(sandbox, study_with("[1, 2, 4]"), {"--where", "VEC == 1"});
  EXPECT_TRUE(says(part.out, "6 trials"));
  EXPECT_FALSE(says(part.out, "outside of the study"));
}

TEST(Where, AMistakeInItLeavesNothingBehind) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  const auto done = tune(sandbox, study_with("[1]"), {"--where", "BLOK == 64"}, 2);
  EXPECT_TRUE(says(done.err, "'BLOK'"));
  EXPECT_FALSE(fs::exists(sandbox.path("results")));
}

TEST(Where, OfNothingThatWasMeasuredIsSaidTheSameWithADatabaseAndWithout) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  tune(sandbox, study_with("[1]"), {"--where", "VEC == 7"}, 1);
  EXPECT_TRUE(fs::exists(sandbox.path("results/tuner.sqlite")));
  const auto done =
      run_to(2, sandbox, {"export", "twice.yaml", "--format", "header", "-o", "twice.h"});
  EXPECT_TRUE(says(done.err, "run 'tuner run twice.yaml' first"));
  EXPECT_TRUE(says(run_to(2, sandbox, {"results", "twice.yaml"}).err, "run 'tuner run' first"));
}

// The grid follows BLOCK, and the kernel does not.
TEST(MostlyWrong, AsksForALookAtTheStudyAndProposesNoExport) {
  const Sandbox sandbox;
  write_kernel(sandbox, "64");
  std::string study = study_with("[1]", "baseline: {BLOCK: 64, VEC: 1}\n");
  study.replace(study.find("[32, 64]"), 8, "[16, 32, 64]");
  sandbox.write("twice.yaml", study);
  const auto done = run_to(
      0, sandbox,
      {"run", "twice.yaml", "--backend", "cpu", "--strategy", "exhaustive", "--color", "never"});
  EXPECT_TRUE(says(done.out, "only the baseline gave the right answer, 2 did not"));
  EXPECT_TRUE(says(done.out, "right ones have 64: elements are not written. The grid covers too"));
  EXPECT_TRUE(says(done.out, "is the only valid configuration"));
  EXPECT_FALSE(says(done.out, "per: ["));
  EXPECT_FALSE(says(done.err, "tuner export"));
  EXPECT_TRUE(says(done.err, "tuner results twice.yaml --failures"));
}

TEST(Warnings, AreSaidWithoutProgressAndKept) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  const auto done = tune(sandbox, study_with("[1]", "verify: {y: {atol: 1.5, rtol: 0.1}}\n"));
  EXPECT_TRUE(says(done.out, "warning: the same number everywhere ("));
  EXPECT_TRUE(says(done.out, "warning: atol of y, 1.5, is "));
  for (const char* target : {"twice.yaml", "results"}) {
    EXPECT_TRUE(says(run_to(0, sandbox, {"results", target}).out, "warning: the same number"));
  }
  const auto json = run_to(0, sandbox, {"export", "twice.yaml", "--format", "json", "-o", "-"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("results").at(0).at("warnings").size(), 2U);
}

TEST(Stale, ResultsComeLast) {
  const Sandbox sandbox;
  write_kernel(sandbox, "blockDim.x");
  tune(sandbox, study_with("[1]"));
  std::string study = study_with("[1]");
  study.replace(study.find("N: 2000"), 7, "N: 3000");
  study.replace(study.find("uniform: [1, 2]"), 15, "uniform: [1, 3]");
  tune(sandbox, study);
  const auto shown = run_to(0, sandbox, {"results", "twice.yaml"});
  EXPECT_LT(shown.out.find("N3000"), shown.out.find("N2000"));
  EXPECT_LT(shown.out.find("N2000"), shown.out.find("stale"));
}

}  // namespace
}  // namespace tuner::cli
