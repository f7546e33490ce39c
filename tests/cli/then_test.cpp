// Variants of several launches, as a user meets them.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = TUNE_WAY_IS_one ? 2 * x[i] : x[i];
}
#if !TUNE_WAY_IS_one
template <int FACTOR>
__global__ void multiply(int n, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (TUNE_WAY_IS_trap) __trap();
  if (i < n) y[i] *= FACTOR;
}
#endif
__global__ void reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)";

constexpr const char* kStudy = R"yaml(
schema: 1
kernel: {name: scale, source: scale.cu, entry: scale}
problem_sizes: [{n: 1003}]
parameters: {WAY: [one, two, wrong, wide, trap]}
derived: {factor: 3 if WAY == 'wrong' else 2}
launch:
  block: [64]
  grid: ["ceil_div(n, 64)"]
  then:
    - entry: multiply<{factor}>
      when: WAY != 'one'
      block: ["4096 if WAY == 'wide' else 128"]
      grid: ["ceil_div(n, 128)"]
      arguments: [n, y]
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: reference, block: [64], grid: ["ceil_div(n, 64)"]}
verify: {y: {rtol: 0}}
search: {strategy: exhaustive}
)yaml";

TEST(Then, EachOutcomeOfASecondLaunchIsItsVariants) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kSource);
  sandbox.write("scale.yaml", kStudy);
  const std::vector<std::string> words{"run", "scale.yaml", "--backend", "cpu"};
  const auto done = run(sandbox, words);
  ASSERT_EQ(done.status, 0) << done.err;
  std::map<std::string, std::string> states;
  std::map<std::string, std::string> messages;
  for (const auto& row : ranking_of(sandbox, "scale")) {
    states[row.at("WAY")] = row.at("state");
    messages[row.at("WAY")] = row.at("message");
  }
  EXPECT_EQ(states.size(), 5U);
  for (const char* good : {"one", "two"}) {
    EXPECT_TRUE(states[good] == "ok" || states[good] == "dropped") << states[good];
  }
  EXPECT_EQ(states["wrong"], "correctness");
  EXPECT_EQ(states["wide"], "constraints");
  EXPECT_EQ(messages["wide"], "multiply<{factor}>: block.x is 4096, the device allows 1024");
  EXPECT_EQ(states["trap"], "runtime") << messages["trap"];

  EXPECT_NE(run(sandbox, words).err.find("(5 from the store)"), std::string::npos);
  // A launch that is made otherwise is measured anew.
  std::string changed = kStudy;
  changed.replace(changed.find("else 128"), 8, "else 256");
  sandbox.write("scale.yaml", changed);
  EXPECT_EQ(run(sandbox, words).err.find("from the store"), std::string::npos);
}

TEST(Then, ExportsCarryTheLaunches) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kSource);
  sandbox.write("scale.yaml", std::string(kStudy) + "constraints: [WAY == 'two']\n");
  ASSERT_EQ(run(sandbox, {"run", "scale.yaml", "--backend", "cpu"}).status, 0);
  ASSERT_EQ(run(sandbox, {"export", "scale.yaml", "--format", "json", "-o", "scale.json"}).status,
            0);
  const std::string json = text_of(sandbox.path("scale.json"));
  EXPECT_NE(json.find("\"entry\": \"multiply<{factor}>\""), std::string::npos);
  EXPECT_NE(json.find("\"when\": \"WAY != 'one'\""), std::string::npos);
  ASSERT_EQ(run(sandbox, {"export", "scale.yaml", "--format", "header", "-o", "scale.h"}).status,
            0);
  const auto verified = run(
      sandbox, {"verify-export", "scale.h", "scale.yaml", "--backend", "cpu", "--size", "n=77"});
  EXPECT_EQ(verified.status, 0) << verified.err;
  EXPECT_NE(verified.out.find("1 right, 0 wrong"), std::string::npos) << verified.out;
}

// Few values of each parameter, but all of FORM, FINISH and SHARED; no block fits the size.
TEST(Then, EveryWayToFinishAReductionIsRight) {
  const Sandbox sandbox;
  const fs::path root = TUNER_SOURCE_DIR;
  for (const std::string name : {"reduction", "reduction_max", "reduction_arg_max"}) {
    std::string study = text_of(root / "search_spaces" / (name + ".yaml"));
    const auto few = [&study](const std::string& parameter, const std::string& values) {
      study = std::regex_replace(study, std::regex("\n  " + parameter + ": .*"),
                                 "\n  " + parameter + ": [" + values + "]");
    };
    few("BLOCK", "64");
    few("BLOCKS_PER_SM", "4");
    few("VEC", "1, 4");
    few("UNROLL", "1");
    few("STREAM", "0");
    study = std::regex_replace(study, std::regex("\\.\\./kernel_sources"),
                               (root / "kernel_sources").string());
    sandbox.write(name + ".yaml", study);
    const auto done = run(sandbox, {"run", name + ".yaml", "--backend", "cpu", "--strategy",
                                    "exhaustive", "--size", "N=1003"});
    ASSERT_EQ(done.status, 0) << done.err;
    std::set<std::string> finished;
    const auto rows = ranking_of(sandbox, name);
    EXPECT_EQ(rows.size(), 1U + 3 * 2 * 2 + 3 * 2);
    for (const auto& row : rows) {
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
      finished.insert(row.at("FINISH"));
    }
    EXPECT_EQ(finished, (std::set<std::string>{"atomic", "last_block", "two_pass"}));
  }
}

}  // namespace
}  // namespace tuner::cli
