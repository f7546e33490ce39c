// What is drafted for kernels of several styles.

#include "tuner/drafting/draft.h"

#include <gtest/gtest.h>

#include "tuner/base/error.h"

namespace tuner {
namespace {

DraftedStudy drafted(const std::string& source, const std::string& kernel = {}) {
  return draft_study({source, "k.cu", "k.cu", kernel});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string refusal(const std::string& source, const std::string& kernel = {}) {
  try {
    drafted(source, kernel);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

const std::string kAxpy =
    "__global__ void axpy(float a, const float* __restrict__ x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n}\n";

TEST(Draft, OfAKernelWithItsLaunch) {
  const DraftedStudy study = drafted(kAxpy +
                                     "int main() {\n  const int count = 1 << 16;\n  axpy<<<(count "
                                     "+ 127) / 128, 128>>>(2.0f, x, y, count);\n}\n");
  EXPECT_EQ(
      study.yaml,
      R"(# Made by tuner init from k.cu: a first draft. Look at what is marked with #, then: tuner check,
# tuner run. All keys: docs/study-file.md.
schema: 1
kernel:
  name: axpy
  source: k.cu
  entry: "axpy"
problem_sizes:  # the sizes that matter to you, one a line
  - {n: 65536}
parameters:
  BLOCK: [32, 64, 128, 256, 512, 1024]  # now 128; launch
baseline: {BLOCK: 128}  # what you have now: results say the speed-up over it
constraints:
  - BLOCK <= device.max_threads_per_block
launch:
  block: [BLOCK]
  grid: ["(n + (BLOCK - 1)) // BLOCK"]
arguments:
  - {name: a, type: float32, value: 2.0}
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: inout, fill: {uniform: [-1, 1]}}
  - {name: n, type: int32, value: n}
# The right answer: the kernel's own in its present configuration. Only a change of it is found
# so; a simple kernel of its own that is known to be right finds more.
reference:
  entry: "axpy"
  configuration: {BLOCK: 128}
  block: [128]
  grid: ["(n + (128 - 1)) // 128"]
verify:
  y: {rtol: 1e-4, atol: 1e-4}
)");
  EXPECT_EQ(study.found,
            (std::vector<std::string>{"kernel axpy (line 1)", "its launch in line 7"}));
  EXPECT_EQ(study.guessed, std::vector<std::string>{});
}

TEST(Draft, WithoutALaunchSaysWhatItGuesses) {
  const DraftedStudy study = drafted(kAxpy);
  EXPECT_TRUE(has(study.yaml, "grid: [\"ceil_div(n, BLOCK)\"]")) << study.yaml;
  EXPECT_EQ(study.guessed,
            (std::vector<std::string>{"n = 1048576", "a block of 256 threads along x",
                                      "the grid along x: n in shares of BLOCK"}));
}

TEST(Draft, GuardedMacrosAreKnobsAndOthersAreNot) {
  const DraftedStudy study = drafted(
      "#ifndef TILE\n#define TILE 16\n#endif\n#define UNROLL 4\n#define RADIUS 2\n"
      "__global__ void k(float* a, int w, int h) {\n"
      "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
      "  for (int i = 0; i < UNROLL + RADIUS; ++i) if (x < w && y < h) a[y * w + x] = 1;\n}\n");
  EXPECT_TRUE(has(study.yaml, "define_prefix: \"\"")) << study.yaml;
  EXPECT_TRUE(has(study.yaml, "parameters:\n  TILE: [8, 16, 32]  # now 16; macro of line 2\nbase"))
      << study.yaml;
  EXPECT_TRUE(has(study.yaml, "grid: [\"ceil_div(w, TILE)\", \"ceil_div(h, TILE)\"]"))
      << study.yaml;
  EXPECT_TRUE(
      has(study.guessed.front(), "UNROLL = 4 (line 4) stays as it is: write #ifndef UNROLL"))
      << study.guessed.front();
}

TEST(Draft, TemplateParametersAreFilledIn) {
  const DraftedStudy study = drafted(
      "namespace n {\ntemplate <typename T, int BLOCK, bool CHECK = true>\n"
      "__global__ void k(T* a, int n) { a[blockIdx.x * BLOCK + threadIdx.x] += 1; }\n}\n"
      "void run(double* a, int n) { n::k<double, 64><<<n / 64, 64>>>(a, n); }\n");
  EXPECT_TRUE(has(study.yaml, "entry: \"n::k<double, {BLOCK}, {CHECK}>\"")) << study.yaml;
  EXPECT_TRUE(has(study.yaml, "entry: \"n::k<double, 64, 1>\"")) << study.yaml;
  EXPECT_TRUE(has(study.yaml, "block: [BLOCK]\n  grid: [\"n // BLOCK\"]")) << study.yaml;
  EXPECT_TRUE(has(study.yaml, "{name: a, type: float64, shape: [n], role: inout")) << study.yaml;
}

TEST(Draft, ChoosesAmongSeveralKernels) {
  const std::string source =
      "__global__ void naive(float* a) {}\n__global__ void fast(float* a) {}\n";
  EXPECT_EQ(drafted(source).kernel, "fast");
  EXPECT_EQ(drafted(source, "naive").kernel, "naive");
  EXPECT_EQ(drafted(source).guessed.front(),
            "there are other kernels: naive (--kernel NAME drafts for one)");
  EXPECT_EQ(refusal(source, "fats"), "k.cu: there is no kernel 'fats' (did you mean 'fast'?)");
}

TEST(Draft, RefusesWhatNoStudyCanGive) {
  EXPECT_EQ(refusal("void f() {}\n"),
            "k.cu: there is no __global__ function (one that a macro makes, or an included file "
            "holds, is not found)");
  EXPECT_EQ(
      refusal("struct P { int a; };\n__global__ void k(P p) {}\n"),
      "k.cu:2:1: 'p' of k has the type 'P' (a study gives a kernel numbers and flat buffers of "
      "them)");
}

}  // namespace
}  // namespace tuner
