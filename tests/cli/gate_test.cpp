#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 1000}]
parameters: {BLOCK: [64, 128]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
reference: {entry: reference, block: [64], grid: ["ceil_div(N, 64)"]}
)yaml";

std::string source(const std::string& expression) {
  return "extern \"C\" __global__ void twice(const float* x, float* y) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < 1000) y[i] = " +
         expression +
         ";\n}\n"
         "extern \"C\" __global__ void reference(const float* x, float* y) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < 1000) y[i] = x[i] + x[i];\n}\n";
}

void add_trees(const Sandbox& sandbox, const std::string& base, const std::string& head) {
  sandbox.write("twice.yaml", kStudy);
  sandbox.write("twice.cu", source("2 * x[i]"));
  sandbox.write("base/twice.cu", source(base));
  sandbox.write("head/twice.cu", source(head));
}

std::vector<std::string> gate(const std::vector<std::string>& more) {
  std::vector<std::string> words{"gate",       "base",      "head", "--study",
                                 "twice.yaml", "--backend", "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Gate, TreesWithTheSameProgramPassWithoutBeingMeasured) {
  const Sandbox sandbox;
  add_trees(sandbox, "2 * x[i]", "2 * x[i]");
  const auto done = run_to(0, sandbox, gate({"--json"}));
  const auto document = nlohmann::json::parse(done.out);
  EXPECT_EQ(document.at("verdict"), "passed");
  EXPECT_EQ(document.at("sizes").at(0).at("same_program"), true);
  EXPECT_EQ(document.at("sizes").at(0).at("pairs"), 0);
}

// Not with its own reference, which would be wrong alike.
TEST(Gate, AWrongHeadFailsByTheReferenceOfTheStudy) {
  const Sandbox sandbox;
  add_trees(sandbox, "2 * x[i]", "3 * x[i]");
  const auto done = run_to(1, sandbox, gate({}));
  EXPECT_TRUE(says(done.out, "N1000: failed\n  head is correctness: y["));
  const auto document = nlohmann::json::parse(run_to(1, sandbox, gate({"--json"})).out);
  EXPECT_EQ(document.at("verdict"), "failed");
  EXPECT_EQ(document.at("sizes").at(0).at("verdict"), "failed");
}

TEST(Gate, SaysWhereAKernelThatKeepsItsAnswersWouldNotBeNoticed) {
  const Sandbox sandbox;
  add_trees(sandbox, "2 * x[i]", "2 * x[i]");
  const auto drawn = nlohmann::json::parse(run_to(0, sandbox, gate({"--json"})).out);
  EXPECT_TRUE(drawn.at("same_inputs").is_null());
  std::string study = kStudy;
  const std::string fill = "uniform: [1, 2]";
  sandbox.write("twice.yaml", study.replace(study.find(fill), fill.size(), "sequence: [1, 2]"));
  const std::string why =
      "no input has random numbers that the device draws ('uniform', 'normal', 'integers', 'zipf')";
  EXPECT_TRUE(says(run_to(0, sandbox, gate({})).out,
                   "a kernel that keeps its answers would not be noticed: " + why));
  const auto same = nlohmann::json::parse(run_to(0, sandbox, gate({"--json"})).out);
  EXPECT_EQ(same.at("same_inputs"), why);
}

TEST(Gate, SaysWhatASideMayBe) {
  const Sandbox sandbox;
  add_trees(sandbox, "2 * x[i]", "2 * x[i]");
  const auto done = run_to(2, sandbox, {"gate", "base", "nowhere", "--study", "twice.yaml"});
  EXPECT_TRUE(says(done.err, "'nowhere' is neither a folder, a file nor NAME=VALUE,..."));
}

}  // namespace
}  // namespace tuner::cli
