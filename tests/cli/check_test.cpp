#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program.h"

namespace tuner::cli {
namespace {

TEST(Check, TenMistakesAreReportedAtOnceWithTheirPlaces) {
  const Sandbox sandbox;
  const auto done = run_to(2, sandbox, {"check", data("studies/ten_mistakes.yaml")});
  EXPECT_EQ(done.out, "");
  std::size_t complaints = 0;
  for (std::size_t at = 0; (at = done.err.find("ten_mistakes.yaml:", at)) != std::string::npos;
       ++at) {
    ++complaints;
  }
  EXPECT_EQ(complaints, 10U) << done.err;
}

TEST(Check, JsonSaysHowLargeTheSpaceIs) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"check", data("studies/tiny.yaml"), "--json"});
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report.at("cartesian"), "12");
  EXPECT_EQ(report.at("valid"), "11");
  EXPECT_GE(report.at("build_seconds").get<double>(), 0);
  EXPECT_GT(report.at("peak_bytes").get<std::size_t>(), 0U);
}

TEST(Check, ListAndSampleAreCsvOfValidConfigurations) {
  const Sandbox sandbox;
  const auto list = run_to(0, sandbox, {"check", data("studies/tiny.yaml"), "--list"});
  // In the order of their indices, which is the space's own.
  const std::vector<std::string> wanted{"32,1",  "32,2",  "32,4",  "64,1",  "64,2", "64,4",
                                        "128,1", "128,2", "128,4", "256,1", "256,2"};
  EXPECT_EQ(list.out.substr(0, 10), "BLOCK,PER\n");
  for (const std::string& row : wanted) {
    EXPECT_TRUE(says(list.out, "\n" + row + "\n")) << row;
  }
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 12);
  const auto sample = run_to(0, sandbox, {"check", data("studies/tiny.yaml"), "--sample", "5"});
  EXPECT_EQ(std::count(sample.out.begin(), sample.out.end(), '\n'), 6);
  EXPECT_EQ(run(sandbox, {"check", data("studies/tiny.yaml"), "--sample", "5"}).out, sample.out);
}

TEST(Check, NeutralJsonSpacesAreRead) {
  const Sandbox sandbox;
  sandbox.write("space.json", R"json({"name": "s", "parameters": {"A": [1, 2, 3, 4], "B": [1, 2]},
    "constraints": ["A % B == 0", "A * B < 8"]})json");
  const auto done = run_to(0, sandbox, {"check", "space.json", "--json"});
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report.at("cartesian"), "8");
  EXPECT_EQ(report.at("valid"), "5");
}

TEST(Check, EmptySpaceIsAnErrorThatNamesTheConstraint) {
  const Sandbox sandbox;
  sandbox.write("empty.yaml", "schema: 1\nparameters: {A: [1, 2]}\nconstraints: [A > 5]\n");
  const auto done = run_to(2, sandbox, {"check", "empty.yaml"});
  EXPECT_TRUE(says(done.err,
                   "empty.yaml:3:15: no configuration satisfies this constraint\n"
                   "    constraints: [A > 5]\n"));
  EXPECT_FALSE(says(done.out, "no mistake found"));
}

TEST(Check, AnEmptySpaceOfAJsonFileNamesItsConstraintsToo) {
  const Sandbox sandbox;
  sandbox.write("empty.json", R"json({"name": "s", "parameters": {"A": [1, 2], "B": [1, 2]},
    "constraints": ["A > B", "B > A"]})json");
  const auto done = run_to(2, sandbox, {"check", "empty.json"});
  EXPECT_TRUE(says(done.err,
                   "no configuration satisfies all of empty.json:2:22: 'A > B'; "
                   "empty.json:2:31: 'B > A'"));
}

TEST(Check, CompilesVariantsWithoutADevice) {
  const Sandbox sandbox;
  const auto done =
      run_to(0, sandbox,
             {"check", data("studies/tiny.yaml"), "--compile", "--arch", "cpu", "--limit", "3"});
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 4) << done.out;
  EXPECT_EQ(done.out.substr(0, done.out.find('\n')),
            "arch,BLOCK,PER,state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,"
            "occupancy,compile_ms,message");
}

TEST(Check, VariantsThatDifferInTheirLaunchAloneAreCompiledOnce) {
  const Sandbox sandbox;
  sandbox.write("double.cu",
                "extern \"C\" __global__ void twice(float* x, int n) {\n"
                "  const int step = gridDim.x * blockDim.x;\n"
                "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {\n"
                "    x[i] *= TUNE_FACTOR;\n"
                "  }\n"
                "}\n");
  sandbox.write("double.yaml",
                "schema: 1\n"
                "kernel: {name: twice, source: double.cu, entry: twice}\n"
                "problem_sizes: [{n: 100}]\n"
                "parameters: {FACTOR: [1, 2], BLOCK: [32, 64, 128], BLOCKS: [1, 4]}\n"
                "launch: {block: [BLOCK], grid: [BLOCKS]}\n"
                "arguments:\n"
                "  - {name: x, type: float32, shape: [n], role: inout, fill: {constant: 1}}\n"
                "  - {name: n, type: int32, value: n}\n");
  const auto done = run_to(0, sandbox, {"check", "double.yaml", "--compile", "--arch", "cpu"});
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 13) << done.out;
  EXPECT_TRUE(says(done.err, "cpu: 12 compiled, 0 did not; 2 different programs"));
}

// Rows of the CSV that `check --compile` prints, by the value of CASE.
std::map<int, std::string> states_of_habits(const std::string& csv, const std::string& arch) {
  std::map<int, std::string> out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(arch + ",")) continue;
    const std::size_t from = arch.size() + 1, end = line.find(',', from);
    out[std::stoi(line.substr(from))] = line.substr(end + 1, line.find(',', end + 1) - end - 1);
  }
  return out;
}

TEST(Check, CompilesWhatKernelsIncludeOutOfHabit) {
  const Sandbox sandbox;
  const auto done =
      run(sandbox, {"check", data("habits/habits.yaml"), "--compile", "--arch", "sm_80"});
  if (done.status == 3) GTEST_SKIP() << done.err;  // no NVRTC here
  const auto states = states_of_habits(done.out, "sm_80");
  EXPECT_EQ(states.size(), 13U) << done.out;
  const bool has_toolkit = std::filesystem::exists("/usr/local/cuda/include/cooperative_groups.h");
  for (const auto& [habit, state] : states) {
    if (habit >= 7 && !has_toolkit) continue;  // NVRTC brings no headers
    EXPECT_EQ(state, "ok") << "case " << habit << " of habits.cu\n" << done.out;
  }
}

TEST(Check, OnTheCpuWhatCanBe) {
  const Sandbox sandbox;
  const auto done =
      run(sandbox, {"check", data("habits/habits.yaml"), "--compile", "--arch", "cpu"});
  for (const auto& [habit, state] : states_of_habits(done.out, "cpu")) {
    EXPECT_EQ(state, habit < 22 || habit == 24 ? "ok" : "compile") << "case " << habit << "\n"
                                                                   << done.out;
  }
  EXPECT_TRUE(says(done.err, "cpu: 11 compiled, 2 did not"));
  EXPECT_TRUE(
      says(done.out, "the cpu backend has no <cuda/atomic>: kernels that use it need a GPU"));
}

// Of a study whose included file has host code, which NVRTC does not take.
TEST(Check, NvccCompilesWhatNvrtcDoesNotTakeAndSaysSoOnce) {
  const Sandbox sandbox;
  sandbox.write("host.h", "#include <string>\ninline std::string name() { return \"k\"; }\n");
  sandbox.write("k.cu",
                "#include \"host.h\"\n"
                "template <int B> __global__ void k(float* y) { y[threadIdx.x] = B; }\n");
  sandbox.write("k.yaml",
                "schema: 1\nkernel: {name: k, source: k.cu, entry: \"k<{B}>\"}\n"
                "problem_sizes: [{N: 64}]\nparameters: {B: [32, 64]}\n"
                "launch: {block: [B], grid: [1]}\n"
                "arguments: [{name: y, type: float, shape: [N], role: out}]\n");
  const std::vector<std::string> words{"check", "k.yaml", "--compile", "--arch", "sm_80,sm_90"};
  const auto done = run(sandbox, words);
  if (done.status == 3) GTEST_SKIP() << done.err;  // no NVRTC here
  const std::string note = "note: nvcc compiles this study, because NVRTC does not take its source";
  if (done.err.find("cannot be used") != std::string::npos)
    GTEST_SKIP() << "left out: " << done.err;
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(says(done.err, "sm_90: 2 compiled, 0 did not"));
  const std::size_t first = done.err.find(note);
  ASSERT_NE(first, std::string::npos) << done.err;
  EXPECT_EQ(done.err.find(note, first + 1), std::string::npos) << done.err;
  EXPECT_TRUE(says(run(sandbox, words).err, note)) << "known from the first time";
}

// Compiles a study that no compiler takes as it is, because of what only host code needs.
TEST(Check, HostCodeThatNoCompilerTakesIsLeftOut) {
  const Sandbox sandbox;
  sandbox.write("clock.h",
                "#include <sys/time.h>\n#include <string>\n"
                "struct Log { std::string name; };\n"
                "inline double now() { struct timezone z; gettimeofday(0, &z); }\n"
                "__device__ int two() { return 2; }\n");
  sandbox.write("k.cu",
                "#include \"clock.h\"\n"
                "__global__ void k(float* y) { y[threadIdx.x] = two(); }\n"
                "int main() { cudaThreadSynchronize(); }\n");
  sandbox.write("k.yaml",
                "schema: 1\nkernel: {name: k, source: k.cu, entry: k}\n"
                "problem_sizes: [{N: 64}]\nparameters: {B: [32, 64]}\n"
                "launch: {block: [B], grid: [1]}\n"
                "arguments: [{name: y, type: float, shape: [N], role: out}]\n");
  const std::vector<std::string> words{"check", "k.yaml", "--compile", "--arch", "sm_90"};
  const auto done = run(sandbox, words);
  if (done.status == 3) GTEST_SKIP() << done.err;  // no NVRTC here
  const std::string note =
      "note: this study is compiled without the host code of its headers, which NVRTC does not "
      "take";
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(says(done.err, note)) << done.err;
  EXPECT_TRUE(says(run(sandbox, words).err, note)) << "known from the first time";
}

// nvcc gives its commands to a shell.
TEST(Check, ACommandInTheNamesOfFoldersAndOptionsIsNotRun) {
  const Sandbox sandbox;
  const std::string folder = "a `touch OBEYED` b";
  sandbox.write(folder + "/more `touch OBEYED`/h.h", "#define H 1\n");
  sandbox.write(folder + "/k.cu",
                "#include \"h.h\"\nextern \"C\" __global__ void k(float* y) { *y = H; }\n");
  const std::string rest =
      "problem_sizes: [{N: 64}]\nparameters: {B: [32]}\nlaunch: {block: [B], grid: [1]}\n"
      "arguments: [{name: y, type: float32, shape: [N], role: out}]\n";
  sandbox.write(
      folder + "/own.yaml",
      "schema: 1\nkernel: {name: k, source: k.cu, entry: k, compiler: nvcc, include_dirs: "
      "['more `touch OBEYED`'], options: ['-I`touch OBEYED`']}\n" +
          rest);
  sandbox.write(folder + "/host.cu", "#include \"h.h\"\nint f(float*) { return 1 - H; }\n");
  sandbox.write(folder + "/launcher.yaml",
                "schema: 1\nlauncher: {name: k, source: host.cu, entry: f, include_dirs: "
                "['more `touch OBEYED`'], options: ['-L`touch OBEYED`']}\n"
                "problem_sizes: [{N: 64}]\nparameters: {B: [32]}\n"
                "arguments: [{name: y, type: float32, shape: [N], role: out}]\n");
  for (const std::string name : {"/own.yaml", "/launcher.yaml"}) {
    const auto done = run(sandbox, {"check", folder + name, "--compile", "--arch", "sm_90"});
    if (done.status == 3) GTEST_SKIP() << "left out: " << done.err;
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(says(done.err, "1 compiled, 0 did not"));
  }
  sandbox.write(folder + "/refused.yaml",
                "schema: 1\nlauncher: {name: k, source: host.cu, entry: f, options: ['-O2', "
                "'-l`touch OBEYED`']}\n"
                "problem_sizes: [{N: 64}]\nparameters: {B: [32]}\n"
                "arguments: [{name: y, type: float32, shape: [N], role: out}]\n");
  const auto refused = run(sandbox, {"check", folder + "/refused.yaml"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err,
                   "refused.yaml:2:65: the value of '-l' is '`touch' (it must be a "
                   "word of letters, digits and '_.,=+:-')"));
  for (const auto& file : std::filesystem::recursive_directory_iterator(sandbox.path())) {
    EXPECT_NE(file.path().filename(), "OBEYED");
  }
}

// A sample; all of them take hours (docs/kernels.md says when that was done last).
TEST(Check, SampledVariantsOfEveryShippedStudyCompileForGpus) {
  const Sandbox sandbox;
  for (const auto& study :
       std::filesystem::directory_iterator(std::string(TUNER_SOURCE_DIR) + "/search_spaces")) {
    if (study.is_directory()) continue;                      // the same kernels with other sizes
    if (study.path().stem() == "matmul_emulated") continue;  // for Hopper alone, see below
    const auto done = run(sandbox, {"check", study.path(), "--compile", "--arch", "sm_80,sm_120",
                                    "--limit", "5", "--seed", "3"});
    if (done.status == 3) GTEST_SKIP() << done.err;  // no NVRTC here
    ASSERT_EQ(done.status, 0) << study.path() << done.err;
    EXPECT_FALSE(says(done.out, ",compile,"));
    const int sampled = study.path().stem() == "grouped_product" ? 2 : 5;  // all of its `shared`
    EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 1 + 2 * sampled) << done.out;
  }
}

// Their fast form has instructions that only sm_90a has, for which the studies ask themselves.
TEST(Check, TensorCoreVariantsCompileForHopper) {
  const Sandbox sandbox;
  const std::map<std::string, std::string> hopper{{"matmul_bf16", ",wgmma,"},
                                                  {"matmul_tf32", ",wgmma,"},
                                                  {"matmul_emulated", ",bf16x6,"},
                                                  {"grouped_product", ",wgmma,"}};
  for (const auto& [name, shown] : hopper) {
    const std::string study = std::string(TUNER_SOURCE_DIR) + "/search_spaces/" + name + ".yaml";
    const auto done =
        run(sandbox, {"check", study, "--compile", "--arch", "sm_90", "--limit", "6"});
    if (done.status == 3) GTEST_SKIP() << done.err;  // no NVRTC here
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_FALSE(says(done.out, ",compile,"));
    EXPECT_TRUE(says(done.out, shown));
  }
}

TEST(Check, UnknownArchitectureIsRefusedWithTheKnownOnes) {
  const Sandbox sandbox;
  const auto done =
      run_to(2, sandbox, {"check", data("studies/tiny.yaml"), "--compile", "--arch", "sm_42"});
  EXPECT_TRUE(says(done.err, "sm_90"));
}

}  // namespace
}  // namespace tuner::cli
