#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kJudgedStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 1000}]
parameters: {BLOCK: [64]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: reference, block: [64], grid: ["ceil_div(N, 64)"]}
)yaml";

constexpr const char* kHead =
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ";

// The study's own kernel, and another one with this line in its place.
Finished judge(const Sandbox& sandbox, const std::string& line,
               const std::vector<std::string>& more = {}) {
  sandbox.write("twice.yaml", kJudgedStudy);
  sandbox.write("twice.cu",
                std::string(kHead) +
                    "if (i < n) y[i] = 2 * x[i];\n}\n"
                    "extern \"C\" __global__ void reference(const float* x, float* y, int n) {\n"
                    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i < n) y[i] = x[i] + x[i];\n}\n");
  sandbox.write("other.cu", kHead + line + "\n}\n");
  std::vector<std::string> words{"judge",     "other.cu", "--study", "twice.yaml",
                                 "--backend", "cpu",      "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return run(sandbox, words);
}

TEST(Judge, AcceptsWhatIsRightAtEverySize) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < n) y[i] = x[i] * 2;");
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("accepted"), true);
  EXPECT_EQ(verdict.at("verdict"), "accepted");
  EXPECT_EQ(verdict.at("deterministic"), true);
  EXPECT_GT(verdict.at("time_ms"), 0.0);
  EXPECT_GT(verdict.at("speedup"), 0.0);
  EXPECT_GE(verdict.at("checks").size(), 5U);
  EXPECT_EQ(verdict.at("checks").at(1).at("size").at("N"), 1);
}

TEST(Judge, WhatIsRightAtTheStudysSizeOnlyIsNot) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < 1000 && n >= 1000) y[i] = 2 * x[i];");
  EXPECT_EQ(done.status, 1);
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("verdict"), "correctness") << done.out;
  EXPECT_EQ(verdict.at("checks").at(0).at("state"), "ok");
  EXPECT_EQ(verdict.at("checks").back().at("at_the_edge"), true);
}

TEST(Judge, RefusesFunctionsOfTheHostByName) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < n) y[i] = 2 * x[i];\n}\nvoid launch() {");
  EXPECT_EQ(done.status, 1);
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("verdict"), "refused");
  EXPECT_EQ(verdict.at("why"), "functions of the host are not judged: launch");
}

}  // namespace
}  // namespace tuner::cli
