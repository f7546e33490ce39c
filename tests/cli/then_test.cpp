// Variants of several launches, as a user meets them.
#include <gtest/gtest.h>

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
  run_to(0, sandbox, words);
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

  EXPECT_TRUE(says(run(sandbox, words).err, "(5 from the store)"));
  // A launch that is made otherwise is measured anew.
  std::string changed = kStudy;
  changed.replace(changed.find("else 128"), 8, "else 256");
  sandbox.write("scale.yaml", changed);
  EXPECT_FALSE(says(run(sandbox, words).err, "from the store"));
}

TEST(Then, ExportsCarryTheLaunches) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kSource);
  sandbox.write("scale.yaml", std::string(kStudy) + "constraints: [WAY == 'two']\n");
  run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  run_to(0, sandbox, {"export", "scale.yaml", "--format", "json", "-o", "scale.json"});
  const std::string json = text_of(sandbox.path("scale.json"));
  EXPECT_TRUE(says(json, "\"entry\": \"multiply<{factor}>\""));
  EXPECT_TRUE(says(json, "\"when\": \"WAY != 'one'\""));
  run_to(0, sandbox, {"export", "scale.yaml", "--format", "header", "-o", "scale.h"});
  const auto verified = run_to(
      0, sandbox, {"verify-export", "scale.h", "scale.yaml", "--backend", "cpu", "--size", "n=77"});
  EXPECT_TRUE(says(verified.out, "1 right, 0 wrong"));
}

// Steps of a simulation: a writes b, and they change places. Three steps leave the answer in b. A
// step may be two launches, of which the first takes a part of the arguments.
TEST(Then, RoundsWithSwappedBuffersAreComparedWithAReferenceThatIsASequence) {
  const Sandbox sandbox;
  sandbox.write("heat.cu", R"(
__global__ void smooth(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 0.5f * (from[i] + from[TUNE_WRONG ? i : (i + 1) % n]);
}
__global__ void shift(float* to, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += by;
}
__global__ void plain(const float* from, float* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = 0.5f * (from[i] + from[(i + 1) % n]);
}
)");
  const std::string study = R"yaml(
schema: 1
kernel: {name: heat, source: heat.cu, entry: smooth}
problem_sizes: [{n: 200, STEPS: 3}, {n: 200, STEPS: 4}]
parameters: {BLOCK: [32, 64], WRONG: [false, true]}
launch:
  block: [BLOCK]
  grid: ["ceil_div(n, BLOCK)"]
  arguments: [a, b, n]
  repeat: STEPS
  swap: [[a, b]]
  then: [{entry: shift, block: [32], grid: ["ceil_div(n, 32)"], arguments: [b, by, n]}]
arguments:
  - {name: a, type: float32, shape: [n], role: inout, fill: {uniform: [-1, 1]}}
  - {name: b, type: float32, shape: [n], role: inout, fill: zeros}
  - {name: by, type: float32, value: 0.25}
  - {name: n, type: int32, value: n}
reference:
  entry: plain
  block: [1]
  grid: [1]
  arguments: [a, b, n]
  repeat: STEPS
  swap: [[a, b]]
  then: [{entry: shift, block: [n], grid: [1], arguments: [b, by, n]}]
verify: {a: {rtol: 0, atol: 1e-6}, b: {rtol: 0, atol: 1e-6}}
search: {strategy: exhaustive}
)yaml";
  sandbox.write("heat.yaml", study);
  const auto done = run_to(0, sandbox, {"run", "heat.yaml", "--backend", "cpu"});
  EXPECT_TRUE(says(done.err, "2 correctness"));
  EXPECT_FALSE(says(done.err, "runtime"));
  const auto launcher =
      run_to(2, sandbox, {"export", "heat.yaml", "--format", "launcher", "-o", "heat"});
  EXPECT_TRUE(says(launcher.err, "this study has 'repeat'"));
  std::string shorter = study;
  shorter.replace(shorter.rfind("repeat: STEPS"), 13, "repeat: 2");
  sandbox.write("heat.yaml", shorter);
  const auto wrong =
      run(sandbox, {"run", "heat.yaml", "--backend", "cpu", "--size", "n=200,STEPS=3"});
  EXPECT_TRUE(says(wrong.err, "4 correctness"));
}

// Few values of each parameter, but all of FORM, FINISH and SHARED; no block fits the size.
TEST(Then, EveryWayToFinishAReductionIsRight) {
  const Sandbox sandbox;
  const fs::path root = TUNER_SOURCE_DIR;
  for (const std::string name : {"reduction", "reduction_max", "reduction_arg_max"}) {
    const std::string study =
        "schema: 1\nextends: " + (root / "search_spaces" / (name + ".yaml")).string() +
        "\nparameters: {BLOCK: [64], BLOCKS_PER_SM: [4], VEC: [1, 4],"
        " UNROLL: [1], STREAM: [0]}\n";
    sandbox.write(name + ".yaml", study);
    run_to(0, sandbox,
           {"run", name + ".yaml", "--backend", "cpu", "--strategy", "exhaustive", "--size",
            "N=1003"});
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
