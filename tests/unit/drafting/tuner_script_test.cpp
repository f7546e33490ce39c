// What a script of Kernel Tuner's says about a kernel gets into its draft.

#include "tuner/drafting/tuner_script.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

const std::string kSmooth =
    "__global__ void smooth(float* out, const float* in, int n) {\n"
    "  int i = blockIdx.x * block_size_x * per_thread + threadIdx.x;\n"
    "  for (int k = 0; k < per_thread; ++k, i += block_size_x) if (i < n) out[i] = in[i] / 2;\n}\n";

const std::string kScript = R"py(#!/usr/bin/env python
"""Smooths; not "tune_kernel(...)" of this text."""
import numpy
import kernel_tuner

size = 2**20   # elements
inp = numpy.random.randn(size).astype(numpy.float32)
out = numpy.zeros_like(inp)
n = numpy.int32(size)
tune_params = dict()
tune_params["block_size_x"] = [32*i for i in range(1, 5)]
tune_params["per_thread"] = [3, 1,
                             2]
results, env = kernel_tuner.tune_kernel("smooth", "smooth.cu", size, [out, inp, n], tune_params,
    grid_div_x=["block_size_x", "per_thread"], restrictions=["block_size_x * per_thread <= 128"],
    answer=[inp / 2, None, None])
)py";

ReadScript read(const std::string& text) { return read_tuner_scripts({{"tune.py", text}}).front(); }

DraftedStudy drafted_with(const std::string& source, const std::string& script) {
  DraftRequest request{source, "smooth.cu", "smooth.cu", ""};
  request.scripts = read(script).calls;
  return draft_study(request);
}

TEST(TunerScript, EveryArgumentOfTheCallIsTakenOrListed) {
  const DraftedStudy study = drafted_with(
      kSmooth,
      "tune_params = {\"block_size_x\": [32, 64], \"per_thread\": [1]}\n"
      "tune_kernel(\"smooth\", \"smooth.cu\", 4096, [], tune_params, lang=\"CUDA\", iterations=7,\n"
      "  compiler_options=[\"-DWIDE=1\"], smem_args={\"size\": \"block_size_x * 4\"},\n"
      "  cmem_args={\"weights\": w}, observers=[Mine()], parallel=True, answer=None)\n");
  says(study.yaml, {"  options: [\"-DWIDE=1\"]", "  dynamic_shared_bytes: block_size_x * 4\n"});
  EXPECT_EQ(
      std::ranges::count(study.guessed,
                         std::string("not taken from line 2 of tune.py: iterations (measure), "
                                     "cmem_args (constants), observers (metrics), parallel")),
      1);
  const auto calls =
      read("tune_kernel(\"k\", \"k.cu\", 1, [], {}, compiler_options=[\"-arch=sm_80\"])\n").calls;
  EXPECT_TRUE(calls.front().options.empty());
  EXPECT_EQ(calls.front().not_taken, std::vector<std::string>{"compiler_options"});
}

TEST(TunerScript, AnAnswerThatFollowsFromAParameterHasOneForEachOfItsValues) {
  DraftRequest request{kSmooth, "smooth.cu", "smooth.cu", ""};
  request.scripts = read(kScript).calls;
  request.per = {"per_thread"};
  says(draft_study(request).yaml, {"  per: [per_thread]  # the answer depends on it\n"});
}

TEST(TunerScript, AnswersThatAreTooManyHaveFewerValues) {
  DraftRequest request{kSmooth, "smooth.cu", "smooth.cu", ""};
  request.scripts =
      read(
          "tune_params = {\"block_size_x\": range(1, 17), \"per_thread\": range(1, 17)}\n"
          "tune_kernel(\"smooth\", \"smooth.cu\", 4096, [], tune_params)\n")
          .calls;
  request.per = {"block_size_x", "per_thread"};
  says(draft_study(request).yaml,
       {"  block_size_x: [1, 2, 3, 4, 5, 6, 7, 8]  # tune_params, line 2 of tune.py; more values "
        "give too many right answers\n",
        "  per_thread: [1, 2, 3, 4, 5, 6, 7, 8]  #"});
}

const std::string kScale =
    "#define WIDTH 4096\n#define HEIGHT 2048\n"
    "__global__ void scale(float* out, const float* in, const float* halo) {\n"
    "  int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y;\n"
    "  out[y * WIDTH + x] = in[y * WIDTH + x] * halo[y * (WIDTH + 2) + x] / HEIGHT;\n}\n";
const std::string kScaleScript =
    "problem_size = (4096, 2048)\nsize = numpy.prod(problem_size)\n"
    "a = numpy.zeros(size).astype(numpy.float32)\nb = numpy.random.randn(*problem_size)\n"
    "c = numpy.zeros((problem_size[0] + 2) * problem_size[1])\n"
    "tune_params = {\"block_size_x\": [32, 256]}\n"
    "tune_kernel(\"scale\", \"scale.cu\", problem_size, [a, b, c], tune_params, grid_div_y=[])\n";

TEST(TunerScript, GivesSizesOfTheSourceAsDimensions) {
  const DraftedStudy study = drafted_with(kScale, kScaleScript);
  says(study.yaml, {"  replace: [WIDTH, HEIGHT]  #", "  # - {WIDTH: 4096, HEIGHT: 2048}  #",
                    "  grid: [\"ceil_div(WIDTH, block_size_x)\", HEIGHT]\n",
                    "name: out, type: float32, shape: [HEIGHT, WIDTH]",
                    "name: halo, type: float32, shape: [\"(WIDTH + 2) * HEIGHT\"]"});
}

// A kernel without a test of its index may need a multiple of what all blocks take.
TEST(TunerScript, MakesSizesOfTheSourceNoSmallerThanTheLargestBlock) {
  DraftRequest request{kScale, "smooth.cu", "smooth.cu", ""};
  request.scripts = read(kScaleScript).calls;
  request.smaller = 4096;
  says(draft_study(request).yaml, {"  - {WIDTH: 256, HEIGHT: 32}\n"});
}

TEST(TunerScript, NumbersOfTheSourceThatItDoesNotTuneStayThere) {
  const std::string source = "#define TILE 4\n" + kSmooth;
  const std::string used = source.substr(0, source.find("/ 2")) + "/ TILE; }\n";
  says(drafted(used).yaml, {"  replace: [TILE"});
  lacks(drafted_with(used, kScript).yaml, {"replace:", "TILE:"});
}

TEST(TunerScript, LeavesSizesAsNumbersThatTheSourceDoesNotName) {
  const DraftedStudy study = drafted_with(
      "__global__ void scale(float* out) { out[blockIdx.x * block_size_x + "
      "threadIdx.x] = blockIdx.y; }\n",
      kScaleScript);
  says(study.yaml, {"  grid: [\"ceil_div(4096, block_size_x)\", 2048]\n"});
}

TEST(TunerScript, KnowsTheLargestValueOfWhenItWasAsked) {
  const auto calls = read(
                         "p = {\"w\": [1, 9]}\nmost = max(p[\"w\"])\np[\"w\"] = [1]\n"
                         "x = numpy.zeros(most)\ntune_kernel(\"k\", \"k.cu\", 64, [x], p)\n")
                         .calls;
  EXPECT_NE(calls.front().host.text.find("const int most = 9;"), std::string::npos);
}

TEST(TunerScript, GivesParametersConstraintsSizesAndTheLaunch) {
  const DraftedStudy study = drafted_with(kSmooth, kScript);
  for (const char* line :
       {"  - {n: 1048576}\n",
        "  block_size_x: [32, 64, 96, 128]  # tune_params, line 14 of tune.py\n",
        "  per_thread: [3, 1, 2]  # tune_params, line 14 of tune.py\n",
        "  - block_size_x <= device.max_threads_per_block\n",
        "  - \"block_size_x * per_thread <= 128\"\n", "  block: [block_size_x]\n",
        "  grid: [\"ceil_div(n, block_size_x * per_thread)\"]\n",
        "  - {name: out, type: float32, shape: [n], role: out}\n",
        "  configuration: {block_size_x: 32, per_thread: 3}\n"}) {
    EXPECT_TRUE(has(study.yaml, line)) << line << study.yaml;
  }
  lacks(study.yaml, {"baseline: {"});
  EXPECT_EQ(study.found,
            (std::vector<std::string>{"kernel smooth (line 1)", "its launch in tune.py:14"}));
  EXPECT_EQ(study.guessed, std::vector<std::string>{"not taken from line 14 of tune.py: answer "
                                                    "(reference)"});
}

TEST(TunerScript, SaysWhatIsNotLiteral) {
  const DraftedStudy study = drafted_with(kSmooth, R"py(
tune_params = {"block_size_x": [64, 128], "per_thread": choices()}
tune_kernel("smooth", "smooth.cu", 4096, [a, b, c], tune_params, restrictions=lambda p: p["per_thread"] > 1)
)py");
  says(study.yaml,
       {"  block_size_x: [64, 128]  # tune_params, line 3 of tune.py\n", "  per_thread: ["});
  for (const char* left : {"the values of per_thread", "restrictions"}) {
    EXPECT_EQ(std::ranges::count(study.guessed, std::string("not literal in line 3 of tune.py: ") +
                                                    left + "; write it in the study"),
              1);
  }
}

TEST(TunerScript, CountsOnlyForTheKernelThatItTunes) {
  const std::string other = "tune_kernel('rough', 'rough.cu', 64, [], {'per_thread': [7]})\n";
  EXPECT_FALSE(has(drafted_with(kSmooth, other).yaml, "per_thread: [7]"))
      << "it tunes another kernel";
  EXPECT_TRUE(has(drafted_with(kSmooth, other + kScript).yaml, "per_thread: [3, 1, 2]"));
}

TEST(TunerScript, TakesASizeThatIsAParameter) {
  const DraftedStudy study = drafted_with(kSmooth, R"py(
p = {"blocks": [2**i for i in range(3)], "block_size_x": [64], "per_thread": [1]}
tune_kernel("smooth", ["smooth.cu"], "blocks", [], p, grid_div_x=[])
)py");
  says(study.yaml, {"  grid: [blocks]\n", "  blocks: [1, 2, 4]  #"});
}

TEST(TunerScript, ReadsWhatIsReckonedFromItsParameters) {
  const DraftedStudy study = drafted_with(R"(__constant__ float weights[width];
__global__ void smooth(float* out, float* in) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += weights[k] * __ldg(&in[i + k]);
  out[i] = sum;
})",
                                          R"py(
tune_params = dict(block_size_x=[64])
tune_params["width"] = [3, 7, 5]
widest = max(tune_params["width"])
problem_size = (4096, 1)
inp = numpy.random.randn(problem_size[0] + widest - 1)
tune_kernel("smooth", "smooth.cu", problem_size, [numpy.zeros(4096), inp], tune_params)
)py");
  says(study.yaml,
       {"  - {name: in, type: float32, shape: [4102], fill: {uniform: [-1, 1]}}\n",
        "  - {name: weights, type: float32, shape: [3], fill: {uniform: [-1, 1]}}  # a guess: "
        "parameters change its size\n"});
}

TEST(TunerScript, IsParsedAndNeverRun) {
  const std::vector<ReadScript> read = read_tuner_scripts(
      {{"", "with open('a.cu') as f: x = f.read()  # 'b.cu'\nfile = \"c.cl\"\n"},
       {"", "a = 'no'\nk = \"\"\"\n__global__ void k() {\n  // it's\n}\n\"\"\"\n"},
       {"", "# '__global__'\n"},
       {"", "raise SystemExit(3)\nx = 'a.cu'\n"},
       {"", "tune_kernel("},
       {"", "x = 1\n) ] }"}});
  EXPECT_EQ(read[0].sources, (std::vector<std::string>{"a.cu", "c.cl"}));
  EXPECT_EQ(read[1].kernel, "__global__ void k() {\n  // it's\n}\n");
  EXPECT_EQ(read[2].kernel, "");
  EXPECT_EQ(read[3].sources, std::vector<std::string>{"a.cu"});
  EXPECT_EQ(read[3].problem, "");
  EXPECT_TRUE(has(read[4].problem, "is not read as Python: ")) << read[4].problem;
  EXPECT_TRUE(has(read[5].problem, "is not read as Python: unmatched ')' (line 2)"));
}

TEST(TunerScript, TakesNoHarmOfWhatHasNoMeaning) {
  const std::vector<SourceText> scripts{
      {"", "x = x\ntune_kernel(x, x, x)"},
      {"", "a = [a for a in a]\ntune_kernel('smooth', 1, a, a, a)"},
      {"",
       "n = max([n, n])\nm = m['m']\nk = k[0]\nl = l[-k]\ntune_kernel('smooth', '', n, [], "
       "{'block_size_x': m, 'k': k, 'l': [l]})"},
      {"", "n = n + 1\ntune_kernel('smooth', '', (n,), [n], {'block_size_x': range(10**12)})"},
      {"", "tune_kernel('smooth', '', 9**9**9, [], {'block_size_x': [1/0]})"},
      {"", "tune_kernel('smooth', '', (), [], {'block_size_x': []}, restrictions=['((', '1/0'])"},
      {"", "f(\n\n\n).tune_kernel('smooth', [*a], {**b}, tune_params={**c, 'd': 1 if e else 2})"}};
  for (const ReadScript& one : read_tuner_scripts(scripts)) {
    DraftRequest request{kSmooth, "smooth.cu", "smooth.cu", ""};
    request.scripts = one.calls;
    EXPECT_EQ(one.calls.size(), 1U);
    EXPECT_TRUE(has(draft_study(request).yaml, "name: smooth"));
  }
}

}  // namespace
}  // namespace tuner
