#include "tuner/codegen/launcher.h"

#include <gtest/gtest.h>

#include "compiled.h"
#include "tests/unit/choice/sample_study.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

ArgumentSpec buffer(const std::string& name, const std::string& shape, Role role,
                    DataType type = DataType::kFloat32) {
  ArgumentSpec spec;
  spec.name = name;
  spec.type = type;
  spec.shape = {Expression::parse_or_throw(shape)};
  spec.role = role;
  return spec;
}

ArgumentSpec scalar(const std::string& name, const std::string& value, DataType type) {
  ArgumentSpec spec;
  spec.name = name;
  spec.type = type;
  spec.is_scalar = true;
  spec.value = Expression::parse_or_throw(value);
  return spec;
}

// A kernel with every kind of argument.
Study launcher_study() {
  Study study = sample_study();
  study.arguments = {buffer("A", "M * N", Role::kIn),
                     buffer("C", "M", Role::kOut),
                     buffer("stream", "M", Role::kInOut, DataType::kInt32),
                     buffer("words", "BM * N", Role::kScratch),
                     buffer("flags", "3", Role::kScratch, DataType::kUInt8),
                     scalar("alpha", "2.5", DataType::kFloat64),
                     scalar("rows", "M", DataType::kInt32),
                     scalar("tiles", "ceil_div(M, BM)", DataType::kInt64)};
  study.constants = {buffer("table", "4", Role::kIn)};
  return study;
}

constexpr const char* kSource = R"(__constant__ float table[4];
#define SCALE 2
extern "C++" __global__ void matmul(const float* A, float* C, int* stream, float* words,
                                    unsigned char* flags, double alpha, int rows, long long tiles) {
  __shared__ float tile[TUNE_BM];
  extern __shared__ float more[];
  tile[threadIdx.x % TUNE_BM] = A[0] * table[0] * SCALE + more[0];
  C[0] = tile[0] + words[0] + flags[0] + alpha + rows + tiles + stream[0];
}
)";

LauncherOptions launcher_options() {
  LauncherOptions options;
  options.stem = "matmul_launcher";
  options.source.text = kSource;
  options.source.macros = {"SCALE"};
  options.source.relevant = [](const CompileRequest&) { return std::set<std::string>{"TUNE_BM"}; };
  return options;
}

TEST(Launcher, TheFunctionTakesWhatTheStudyLeavesToTheCaller) {
  const auto files = export_launcher(launcher_study(), sample_results(), launcher_options());
  // stream and words are names of the function's own; N comes from no scalar; tiles is computed.
  EXPECT_NE(files.header.find("launched matmul(const float* A, float* C, std::int32_t* stream_, "
                              "double alpha, std::int32_t rows, const float* table, long long N, "
                              "cudaStream_t stream = nullptr, const scratch_space& scratch = {});"),
            std::string::npos)
      << files.header.substr(files.header.find("launched matmul"), 400);
  EXPECT_NE(files.header.find("matmul_launcher::matmul(A, C, stream_, alpha, rows, table, N, "
                              "stream);"),
            std::string::npos);
}

// BM is 16, 32 or 128; the other parameters do not occur in the source.
TEST(Launcher, ConfigurationsThatCompileToTheSameShareAVariant) {
  const auto files = export_launcher(launcher_study(), sample_results(), launcher_options());
  EXPECT_NE(files.source.find("in 3 variants"), std::string::npos);
  EXPECT_NE(files.source.find("constexpr int variant_of[] = {0, 1, 1, 2};"), std::string::npos);
  EXPECT_EQ(files.source.find("#define TUNE_VEC"), std::string::npos);
  EXPECT_NE(files.source.find("#undef TUNE_BM"), std::string::npos);
  EXPECT_NE(files.source.find("#undef SCALE"), std::string::npos);
}

// The header's part that needs no CUDA, with a stand-in for the toolkit's header.
TEST(Launcher, ScratchMemoryFollowsTheConfiguration) {
  const auto files = export_launcher(launcher_study(), sample_results(), launcher_options());
  const HeaderFolder folder(files.header);
  folder.write("cuda_runtime.h", "typedef int cudaError_t; typedef struct stream* cudaStream_t;\n");
  folder.write("main.cpp", R"(#include "tuned.h"
using namespace matmul_launcher;
constexpr config small{32, 4, SHARED_choice::static_, 0.5, false};
// words: 32 * 1024 floats; flags: 3 bytes, rounded up.
static_assert(scratch_bytes_of(small, {64, 1024}, device_of(90)) == 4 * 32 * 1024 + 256);
int main() {}
)");
  const auto out = folder.run(
      "g++ -std=c++17 -I. -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only main.cpp");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 2000);
}

TEST(Launcher, CompilesWithoutAWarning) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  const auto files = export_launcher(launcher_study(), sample_results(), launcher_options());
  const HeaderFolder folder("");
  folder.write("matmul_launcher.hpp", files.header);
  folder.write("matmul_launcher.cu", files.source);
  folder.write("app.cpp", R"(#include "matmul_launcher.hpp"
int main() {
  const auto done = matmul_launcher::matmul(nullptr, nullptr, nullptr, 1.0, 0, nullptr, 64);
  return done.status == cudaSuccess;
}
)");
  const auto out = folder.run(
      "nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler "
      "-Wall,-Wextra,-Wconversion,-Werror app.cpp matmul_launcher.cu -o app");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
}

std::string refusal(const Study& study) {
  try {
    export_launcher(study, sample_results(), launcher_options());
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Launcher, OneOfACpuSaysThatTheArchitectureIsToBeChosen) {
  std::vector<RankedResults> results = sample_results();
  results.resize(1);
  results.front().device.backend = "cpu";
  results.front().device.arch = "x86-64";
  const std::string source = export_launcher(launcher_study(), results, launcher_options()).source;
  EXPECT_NE(source.find("//   nvcc -std=c++17 -arch=native -c matmul_launcher.cu  (tuned on a CPU: "
                        "choose your GPU's architecture)\n"),
            std::string::npos)
      << source.substr(0, 300);
}

TEST(Launcher, OptionsAreQuotedForAShell) {
  Study study = launcher_study();
  study.kernel.options = {"-DX=1;rm it's", "-lineinfo"};
  EXPECT_NE(export_launcher(study, sample_results(), launcher_options())
                .source.find(R"(nvcc -std=c++17 '-DX=1;rm it'\''s' -lineinfo -gencode)"),
            std::string::npos);
}

TEST(Launcher, WhatItCannotHoldIsRefused) {
  Study study = launcher_study();
  study.kernel.entry = "matmul<{M}>";
  EXPECT_NE(refusal(study).find("must not depend on them"), std::string::npos);
  study = launcher_study();
  study.kernel.options = {"-maxrregcount={BM}"};
  EXPECT_NE(refusal(study).find("'options' must not depend on parameters"), std::string::npos);
  study = launcher_study();
  study.kernel.options = {"-use_fast_math", "--gpu-architecture=sm_{device.compute_capability}a"};
  EXPECT_EQ(refusal(study), "none");
  EXPECT_NE(export_launcher(study, sample_results(), launcher_options())
                .source.find("nvcc -std=c++17 -use_fast_math -gencode "
                             "arch=compute_90a,code=sm_90a -c matmul_launcher.cu"),
            std::string::npos);
  study.runnable = false;
  EXPECT_NE(refusal(study).find("needs the study's kernel"), std::string::npos);
}

TEST(Launcher, EntriesMayBeTemplates) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  Study study = launcher_study();
  study.arguments = {buffer("C", "M", Role::kOut)};
  study.constants.clear();
  study.kernel.entry = "scale<Pair, {BM}>";
  LauncherOptions options = launcher_options();
  options.source.text =
      "struct Pair { float a, b; };\n"
      "template <class T, int N> __global__ void scale(float* C) { C[0] = T{N, 1}.a; }\n";
  const auto files = export_launcher(study, sample_results(), options);
  const HeaderFolder folder("");
  folder.write("matmul_launcher.hpp", files.header);
  folder.write("matmul_launcher.cu", files.source);
  const auto out =
      folder.run("nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -c matmul_launcher.cu");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
}

}  // namespace
}  // namespace tuner
