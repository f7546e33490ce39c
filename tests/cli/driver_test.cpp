#include <gtest/gtest.h>

#include <cstdlib>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 1000}]
parameters: {BLOCK: [64]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: twice, block: [64], grid: ["ceil_div(N, 64)"]}
)yaml";

constexpr const char* kSource = R"cu(
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)cu";

// On a machine whose cuInit returns what `returns` says.
class Driver : public testing::Test {
 protected:
  void SetUp() override {
    sandbox_.write("twice.yaml", kStudy);
    sandbox_.write("twice.cu", kSource);
    if (!says(run(sandbox_, {"list", "plugins"}).out, "cuda")) GTEST_SKIP() << "no cuda plugin";
    ::setenv("LD_LIBRARY_PATH", TUNER_STAND_IN_DRIVER, 1);
  }
  void TearDown() override {
    ::unsetenv("LD_LIBRARY_PATH");
    ::unsetenv("STAND_IN_CUINIT");
  }
  static void returns(const char* code) { ::setenv("STAND_IN_CUINIT", code, 1); }

  Sandbox sandbox_;
};

TEST_F(Driver, ThatRefusesEndsTheRunAndSaysWhatHelps) {
  const std::map<std::string, std::string> expected{
      {"802", "fabricmanager"}, {"803", "different versions"}, {"804", "compat"},
      {"34", "stub"},           {"999", "nvidia-smi"},         {"46", "nvidia-smi"}};
  for (const auto& [code, words] : expected) {
    returns(code.c_str());
    const auto done = run_to(3, sandbox_, {"run", "twice.yaml"});
    EXPECT_TRUE(says(done.err, words)) << done.err;
    EXPECT_TRUE(says(done.err, "error " + code)) << done.err;
    EXPECT_TRUE(says(done.err, "--backend cpu")) << done.err;
  }
  EXPECT_FALSE(std::filesystem::exists(sandbox_.path("results")));
}

TEST_F(Driver, ThatRefusesIsToldByAllThatUsesDevices) {
  returns("802");
  EXPECT_TRUE(says(run_to(3, sandbox_, {"judge", "twice.cu", "--study", "twice.yaml"}).err,
                   "fabricmanager"));
  EXPECT_TRUE(says(run_to(3, sandbox_, {"try", "twice.yaml", "BLOCK=64"}).err, "fabricmanager"));
  EXPECT_TRUE(
      says(run_to(3, sandbox_, {"run", "twice.yaml", "--device", "all"}).err, "fabricmanager"));
  EXPECT_TRUE(says(run_to(0, sandbox_, {"list", "backends"}).out, "fabricmanager"));
}

TEST_F(Driver, ThatRefusesDoesNotMatterToWhomWantsTheCpu) {
  returns("802");
  run_to(0, sandbox_, {"run", "twice.yaml", "--backend", "cpu"});
}

TEST_F(Driver, WithoutADeviceLeavesTheCpu) {
  returns("100");
  EXPECT_TRUE(says(run_to(0, sandbox_, {"run", "twice.yaml"}).err, "kernels run on the CPU"));
}

}  // namespace
}  // namespace tuner::cli
