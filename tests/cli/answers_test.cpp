// Where right answers come from, as a user sees it: a parameter that they depend on, files, further
// inputs, the same bits in every launch.

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "program.h"

namespace tuner::cli {
namespace {

using Row = std::map<std::string, std::string>;

const std::string kStencil = data("studies/stencil.yaml").string();

TEST(AnswersPerParameter, AStencilIsTunedOverItsNumberOfTimeSteps) {
  const Sandbox sandbox;
  run_to(0, sandbox, {"run", kStencil, "--backend", "cpu"});
  const auto rows = ranking_of(sandbox, "heat");
  ASSERT_EQ(rows.size(), 24U);
  std::set<std::string> steps;
  for (const Row& row : rows) {
    EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
    steps.insert(row.at("STEPS"));
  }
  EXPECT_EQ(steps.size(), 4U);
  run_to(0, sandbox, {"export", kStencil, "--format", "header", "-o", "heat.hpp"});
  run_to(0, sandbox, {"verify-export", "heat.hpp", kStencil, "--backend", "cpu"});
  for (const std::string one : {"STEPS=1", "STEPS=8"}) {
    const auto tried = run_to(0, sandbox, {"try", kStencil, one, "--backend", "cpu"});
    EXPECT_TRUE(says(tried.out, "answer          right"));
  }
}

TEST(AnswersPerParameter, WithoutItOneAnswerWouldBeTakenForAll) {
  const Sandbox sandbox;
  std::string study = text_of(kStencil);
  study.replace(study.find("per: [STEPS]"), 12, "seeds: 2");
  sandbox.write("stencil.cu", text_of(data("studies/stencil.cu")));
  sandbox.write("stencil.yaml", study);
  const auto refused = run_to(2, sandbox, {"check", "stencil.yaml"});
  EXPECT_TRUE(says(refused.err,
                   "the reference cannot take 'steps', which differs between "
                   "configurations (list the others in 'arguments' of the reference, or "
                   "in 'per' the parameters that the right answer depends on, or say in "
                   "'configuration' with which values it runs)"));
}

// ---- a type that is a parameter -----------------------------------------------------------------

// Of three types the reference has all; only the variant of halves that is wrong is refused.
TEST(AnswersPerType, EachConfigurationIsComparedWithTheAnswerOfItsType) {
  const Sandbox sandbox;
  sandbox.write("scale.cu",
                "#include <cuda_fp16.h>\n"
                "template <typename T> __global__ void scale(T* y, const T* x, T a) {\n"
                "  const bool is_wrong = sizeof(T) == 2 && TUNE_BLOCK == 64;\n"
                "  y[blockIdx.x] = is_wrong ? x[blockIdx.x] : a * x[blockIdx.x];\n}\n"
                "template <typename T> __global__ void simple(T* y, const T* x, T a) {\n"
                "  y[blockIdx.x] = a * x[blockIdx.x];\n}\n");
  sandbox.write("scale.yaml",
                "schema: 1\nkernel: {name: scale, source: scale.cu, entry: \"scale<{T}>\"}\n"
                "problem_sizes: [{N: 100}]\n"
                "parameters: {T: [\"float\", \"double\", \"half\"], BLOCK: [32, 64]}\n"
                "launch: {block: [BLOCK], grid: [N]}\narguments:\n"
                "  - {name: y, type: \"{T}\", shape: [N], role: out}\n"
                "  - {name: x, type: \"{T}\", shape: [N], fill: {uniform: [1, 2]}}\n"
                "  - {name: a, type: \"{T}\", value: 2}\n"
                "reference: {entry: \"simple<{T}>\", block: [1], grid: [N]}\n");
  run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  for (const Row& row : ranking_of(sandbox, "scale")) {
    const bool is_wrong = row.at("T") == "half" && row.at("BLOCK") == "64";
    EXPECT_EQ(row.at("state") == "correctness", is_wrong) << row.at("message");
  }
  const auto launcher =
      run_to(2, sandbox, {"export", "scale.yaml", "--format", "launcher", "-o", "l"});
  EXPECT_TRUE(says(launcher.err, "the type of 'y' is the parameter 'T': export a header"));
  const auto header =
      run_to(0, sandbox, {"export", "scale.yaml", "--format", "header", "-o", "h.hpp"});
}

// ---- answers and inputs in files ----------------------------------------------------------------

std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                const std::string& order = "False") {
  std::string head =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  head.resize((head.size() + 10 + 63) / 64 * 64 - 10, ' ');
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(head.size() & 0xFF);
  bytes += static_cast<char>(head.size() >> 8);
  return bytes + head + numbers;
}

std::string floats(int count, float first, float step) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    const float number = first + step * static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return bytes;
}

// y = 3 x in two sizes; x and the right y are files, one for each size.
void write_file_study(const Sandbox& sandbox) {
  sandbox.write("triple.cu", R"cuda(
extern "C" __global__ void triple(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
  if (i < n) y[i] = TUNE_FACTOR * x[i];
}
)cuda");
  sandbox.write("triple.yaml", R"yaml(schema: 1
kernel: {name: triple, source: triple.cu, entry: triple}
problem_sizes: [{n: 100}, {n: 200}]
parameters: {BLOCK: [32, 64], FACTOR: [2, 3]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {file: "x_{n}.npy"}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {file: "y_{n}.npy"}
verify: {y: {rtol: 1e-6}}
)yaml");
  for (const int n : {100, 200}) {
    const std::string shape = "(" + std::to_string(n) + ",)";
    sandbox.write("x_" + std::to_string(n) + ".npy", npy("<f4", shape, floats(n, 1, 1)));
    sandbox.write("y_" + std::to_string(n) + ".npy", npy("<f4", shape, floats(n, 3, 3)));
  }
}

TEST(AnswersInFiles, TellRightFromWrongAtEachSize) {
  const Sandbox sandbox;
  write_file_study(sandbox);
  const auto done = run_to(0, sandbox, {"run", "triple.yaml", "--backend", "cpu"});
  EXPECT_EQ(occurrences(done.err, "warning"), 0U) << done.err;
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sandbox.path("results"))) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    for (const Row& row : read_csv(entry.path())) {
      const bool right = row.at("FACTOR") == "3";
      EXPECT_EQ(row.at("state") == "correctness", !right) << row.at("message");
      EXPECT_TRUE(!right || row.at("verified") == "true");
    }
  }
  EXPECT_EQ(files, 2);
}

TEST(AnswersInFiles, CountByTheirContents) {
  const Sandbox sandbox;
  write_file_study(sandbox);
  const std::vector<std::string> words{"run",    "triple.yaml", "--backend",  "cpu",
                                       "--size", "n=100",       "--progress", "json"};
  run_to(0, sandbox, words);
  EXPECT_EQ(occurrences(run(sandbox, words).err, "\"from_store\":false"), 0U);
  sandbox.write("y_100.npy", npy("<f4", "(100,)", floats(100, 2, 2)));
  const auto changed = run_to(0, sandbox, words);
  EXPECT_EQ(occurrences(changed.err, "\"from_store\":false"), 4U) << changed.err;
  for (const Row& row : ranking_of(sandbox, "triple")) {
    EXPECT_EQ(row.at("state") == "correctness", row.at("FACTOR") == "3") << row.at("message");
  }
}

TEST(AnswersInFiles, WhatIsWrongWithOneIsSaidWithItsName) {
  const Sandbox sandbox;
  write_file_study(sandbox);
  const auto refused = [&](const std::string& bytes) {
    sandbox.write("y_200.npy", bytes);
    const auto done = run_to(2, sandbox, {"check", "triple.yaml"});
    const std::string line = done.err.substr(0, done.err.find('\n'));
    const std::size_t name = line.find("/y_200.npy");
    EXPECT_EQ(line.find("triple.yaml:10:1: "), 0U) << line;
    return name == std::string::npos ? line : line.substr(name + 1);
  };
  const std::string numbers = floats(200, 3, 3);
  EXPECT_EQ(refused(npy("<f8", "(200,)", numbers + numbers)),
            "y_200.npy holds float64, 'y' is float32 for n=200");
  EXPECT_EQ(refused(npy("<f4", "(20, 10)", numbers)),
            "y_200.npy has the shape [20, 10], 'y' has [200] for n=200");
  EXPECT_EQ(refused(npy(">f4", "(200,)", numbers)),
            "y_200.npy holds big-endian numbers ('>f4') for n=200");
  EXPECT_EQ(refused(npy("<c8", "(200,)", numbers)),
            "y_200.npy holds numbers of a type ('<c8') that no argument has for n=200");
  EXPECT_EQ(refused(npy("<f4", "(200,)", numbers.substr(4))),
            "y_200.npy holds 796 bytes behind its header; 'y' needs 800 for n=200");
  EXPECT_EQ(refused(npy("<f4", "(4611686018427387904, 4611686018427387904)", numbers)),
            "y_200.npy has the shape [4611686018427387904, 4611686018427387904], 'y' has [200] for "
            "n=200");
  EXPECT_EQ(refused("\x93NUMPY"), "y_200.npy: it ends within its header for n=200");
  std::filesystem::remove(sandbox.path("y_200.npy"));
  const auto missing = run_to(2, sandbox, {"run", "triple.yaml", "--backend", "cpu"});
  EXPECT_TRUE(says(missing.err, "y_200.npy: cannot be read: No such file or directory for n=200"));
}

TEST(AnswersInFiles, NothingIsWrittenOverThem) {
  const Sandbox sandbox;
  write_file_study(sandbox);
  run_to(0, sandbox, {"run", "triple.yaml", "--backend", "cpu"});
  const auto done =
      run_to(2, sandbox,
             {"export", "triple.yaml", "--format", "csv", "--size", "n=100", "-o", "y_100.npy"});
  EXPECT_TRUE(says(done.err, "holds the right answer of 'y' of this study"));
}

// ---- the same bits ------------------------------------------------------------------------------

TEST(Deterministic, ResultsSayWhoKeepsIt) {
  const Sandbox sandbox;
  sandbox.write("sum.cu", R"cuda(
__device__ unsigned launches;
extern "C" __global__ void half(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  float factor = 0.5f;
#if TUNE_RESTLESS
  if (launches % 2 == 1) factor = 0.5000001f;
#endif
  if (i < n) y[i] = factor * x[i];
  if (i == n - 1) ++launches;
}
extern "C" __global__ void half_reference(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 0.5f * x[i];
}
)cuda");
  const std::string study = R"yaml(schema: 1
kernel: {name: half, source: sum.cu, entry: half}
problem_sizes: [{n: 64}]
parameters: {RESTLESS: [false, true]}
launch: {block: [64], grid: [1]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: half_reference, block: [1], grid: [1]}
measure: {drop_above: 0}
)yaml";
  sandbox.write("half.yaml", study);
  run_to(0, sandbox, {"run", "half.yaml", "--backend", "cpu"});
  for (const Row& row : ranking_of(sandbox, "half")) {
    EXPECT_EQ(row.at("state"), "ok") << row.at("message");
    EXPECT_FALSE(row.contains("deterministic")) << "nobody asked";
  }
  sandbox.write("half.yaml", study + "verify: {deterministic: true}\n");
  run_to(0, sandbox, {"run", "half.yaml", "--backend", "cpu"});
  for (const Row& row : ranking_of(sandbox, "half")) {
    const bool keeps = row.at("RESTLESS") == "false";
    EXPECT_EQ(row.at("state"), keeps ? "ok" : "correctness") << row.at("message");
    EXPECT_EQ(row.at("deterministic"), keeps ? "true" : "false");
  }
}

}  // namespace
}  // namespace tuner::cli
