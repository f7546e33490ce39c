#include "tuner/deploy/launcher.h"

#include <gtest/gtest.h>

#include "fake_cuda.h"
#include "launchers.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

// A kernel with every kind of argument.
Study launcher_study() {
  Study study = sample_study();
  study.arguments = {buffer("A", {"M * N"}),
                     buffer("C", {"M"}, Role::kOut),
                     buffer("stream", {"M"}, Role::kInOut, DataType::kInt32),
                     buffer("words", {"BM * N"}, Role::kScratch),
                     buffer("flags", {"3"}, Role::kScratch, DataType::kUInt8),
                     scalar("alpha", "2.5", DataType::kFloat64),
                     scalar("rows", "M", DataType::kInt32),
                     scalar("tiles", "ceil_div(M, BM)", DataType::kInt64)};
  study.constants = {buffer("table", {"4"})};
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

LauncherOptions sample_options() {
  LauncherOptions options = launcher_options(kSource);
  options.source.macros = {"SCALE"};
  return options;
}

LauncherFiles exported() {
  return export_launcher(launcher_study(), sample_results(), sample_options());
}

TEST(Launcher, TheFunctionTakesWhatTheStudyLeavesToTheCaller) {
  const auto files = exported();
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
  const auto files = exported();
  EXPECT_NE(files.source.find("in 3 variants"), std::string::npos);
  EXPECT_NE(files.source.find("constexpr int variant_of[] = {0, 1, 1, 2};"), std::string::npos);
  EXPECT_EQ(files.source.find("#define TUNE_VEC"), std::string::npos);
  EXPECT_NE(files.text.find("#undef TUNE_BM"), std::string::npos);
  EXPECT_NE(files.text.find("#undef SCALE"), std::string::npos);
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Launcher, TheSourceIsThereOnceAndWhatAllVariantsHaveIsSaidOnce) {
  const auto files = exported();
  EXPECT_EQ(count_of(files.source + files.text + files.header, "__shared__ float tile"), 1U);
  EXPECT_EQ(count_of(files.source, "#include \"matmul_launcher.inl\""), 3U);
  EXPECT_EQ(count_of(files.source, "#define TUNE_BM"), 3U);
  EXPECT_EQ(count_of(files.source, "#define TUNER_KERNEL_0 matmul\n"), 1U);
  // One that the source defines itself is not there for the next variant.
  LauncherOptions options = sample_options();
  options.source.macros.emplace_back("TUNER_KERNEL_0");
  const auto own = export_launcher(launcher_study(), sample_results(), options);
  EXPECT_EQ(count_of(own.source, "#define TUNER_KERNEL_0 matmul\n"), 3U);
}

// A diff of two exports shows what was chosen, and the figures in one place.
TEST(Launcher, NewFiguresOfTheSameConfigurationsChangeNothingButTheEnd) {
  std::vector<RankedResults> slower = sample_results();
  for (RankedResults& one : slower) {
    one.date = "another day";
    for (Trial& trial : one.trials) {
      for (double* ms : {&trial.timing.median, &trial.timing.ci_low, &trial.timing.ci_high}) {
        *ms *= 1.25;
      }
      trial.objective = SearchFigure(1.25 * trial.objective.value());
    }
  }
  const auto before = exported();
  const auto after = export_launcher(launcher_study(), slower, sample_options());
  const auto end = before.header.find("// What was measured.");
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(before.header.substr(0, end), after.header.substr(0, end));
  EXPECT_NE(before.header, after.header);
  EXPECT_EQ(before.source, after.source);
}

// The code is that of the kernel alone, as a run compiles it.
TEST(Launcher, TheMachineCodeIsThatOfTheKernelByItself) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  Study study = launcher_study();
  study.arguments = {buffer("A", {"M"}), buffer("C", {"M"}, Role::kOut)};
  study.constants.clear();  // in constant memory variants lie one behind the other
  const std::string kernel = R"(
__global__ void matmul(const float* A, float* C) {
  __shared__ float tile[TUNE_BM];
  tile[threadIdx.x] = A[threadIdx.x] * 2;
  __syncthreads();
  for (int i = 0; i < TUNE_BM; ++i) C[threadIdx.x] += tile[(threadIdx.x + i) % TUNE_BM];
}
)";
  LauncherOptions options = sample_options();
  options.source.text = kernel;
  const auto files = export_launcher(study, sample_results(), options);
  const HeaderFolder folder("");
  write_launcher(folder, files);
  for (const std::string bm : {"16", "32", "128"}) {
    folder.write("alone" + bm + ".cu", "#define TUNE_BM " + bm + kernel);
  }
  // The bytes of each section with code; which come in another order under other names.
  folder.write("code.sh", R"(cubin() { nvcc -std=c++17 -arch=sm_90 -cubin -o "$@"; }
code() {
  for section in $(readelf -SW $1 2>/dev/null | grep -o ' [.]text[.][^ ]*'); do
    readelf -x $section $1 2>/dev/null | grep '^  0x' | md5sum
  done
}
cubin all.cubin matmul_launcher.cu && code all.cubin | sort > all
for bm in 16 32 128; do cubin $bm.cubin alone$bm.cu && code $bm.cubin; done | sort > alone
test $(sort -u all | wc -l) = 3 && cmp all alone && echo same
)");
  const auto out = folder.run("bash code.sh");
  EXPECT_EQ(out.text, "same\n");
}

// Compiled for each size: what is listed can be launched, nothing else.
TEST(Launcher, AnEntryOfTheSizeHasAVariantForEachSizeThatWasTuned) {
  Study study = launcher_study();
  study.arguments = {buffer("C", {"M"}, Role::kOut)};
  study.constants.clear();
  study.kernel.entry = "scale<{M}, {BM}>";
  LauncherOptions options = sample_options();
  options.source.text =
      "template <int M, int BM> __global__ void scale(float* C) { C[0] = M * BM; }\n";
  const auto files = export_launcher(study, sample_results(), options);
  EXPECT_EQ(count_of(files.source, "#define TUNER_KERNEL_0 scale<1024, "), 2U) << "two devices";
  EXPECT_EQ(count_of(files.source, "#define TUNER_KERNEL_0 scale<4096, "), 1U);
  const HeaderFolder folder("");
  folder.write("cuda_runtime.h", kFakeCudaRuntime);
  EXPECT_EQ(output_with(files, folder, R"(int main() {
  using namespace matmul_launcher;
  float C[1];
  for (long long m : {1024, 4096, 1000}) {
    std::printf("%d ", matmul(C, m, m == 4096 ? 2048 : 1024).status);
  }
})"),
            "0 0 2 ");
}

// The header's part that needs no CUDA, with a stand-in for the toolkit's header.
TEST(Launcher, ScratchMemoryFollowsTheConfiguration) {
  const auto files = exported();
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
  const auto files = exported();
  const HeaderFolder folder("");
  write_launcher(folder, files);
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
    export_launcher(study, sample_results(), sample_options());
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
  const std::string source = export_launcher(launcher_study(), results, sample_options()).source;
  EXPECT_NE(source.find("//   nvcc -std=c++17 -arch=native -c matmul_launcher.cu  (tuned on a CPU: "
                        "choose your GPU's architecture)\n"),
            std::string::npos)
      << source.substr(0, 300);
}

// nvcc gives them to a second shell, for which no quotes are right that are for the first.
TEST(Launcher, ItsCommandHasNothingThatAShellObeys) {
  Study study = launcher_study();
  study.kernel.options = {"-DX=1;rm it's", "-DY=$(touch X)", "--define-macro=F(x)=`x`", "-DN=4",
                          "-lineinfo",     "-I`touch X`",    "-DZ=\"a b\" | c"};
  const std::string source = export_launcher(study, sample_results(), sample_options()).source;
  EXPECT_NE(
      source.find("\n//   nvcc -std=c++17 -DN=4 -lineinfo -gencode "
                  "arch=compute_90,code=sm_90 -c matmul_launcher.cu\n"
                  "// and with those of the study's 'options' that are left out here, because "
                  "a shell might obey them.\n"
                  "#undef X\n#define X 1;rm it's\n#undef Y\n#define Y $(touch X)\n"
                  "#undef F\n#define F(x) `x`\n#undef Z\n#define Z \"a b\" | c\n"
                  "#include \"matmul_launcher.hpp\"\n"),
      std::string::npos)
      << source.substr(0, 700);
  LauncherOptions options = sample_options();
  for (const std::string stem : {"a`touch X`", "a b", "$(x)", "a\"b", "a;b"}) {
    options.stem = stem;
    EXPECT_THROW(export_launcher(launcher_study(), sample_results(), options), InputError) << stem;
  }
}

// Numbers in names of architectures are numbers: sm_100 comes behind sm_90.
TEST(Launcher, TheCommandNamesTheNewestArchitecture) {
  Study study = launcher_study();
  study.derived.push_back(named("arch", "90 if BM == 128 else 100"));
  study.kernel.options = {"-arch=sm_{arch}a"};
  EXPECT_NE(export_launcher(study, sample_results(), sample_options())
                .source.find("-gencode arch=compute_100a,code=sm_100a -c"),
            std::string::npos);
}

TEST(Launcher, WhatItCannotHoldIsRefused) {
  Study study = launcher_study();
  study.kernel.entry = "matmul<{device.multiprocessors}>";
  EXPECT_NE(refusal(study).find("must not depend on them"), std::string::npos);
  study = launcher_study();
  study.kernel.options = {"-maxrregcount={BM}"};
  EXPECT_NE(refusal(study).find("'options' must not depend on parameters"), std::string::npos);
  study = launcher_study();
  study.kernel.options = {"-use_fast_math", "--gpu-architecture=sm_{device.compute_capability}a"};
  EXPECT_EQ(refusal(study), "none");
  EXPECT_NE(export_launcher(study, sample_results(), sample_options())
                .source.find("nvcc -std=c++17 -use_fast_math -gencode "
                             "arch=compute_90a,code=sm_90a -c matmul_launcher.cu"),
            std::string::npos);
  study.kernel.subject = Subject::kNone;
  EXPECT_NE(refusal(study).find("needs the study's kernel"), std::string::npos);
}

TEST(Launcher, EntriesMayBeTemplates) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  Study study = launcher_study();
  study.arguments = {buffer("C", {"M"}, Role::kOut)};
  study.constants.clear();
  study.kernel.entry = "scale<Pair, {BM}>";
  LauncherOptions options = sample_options();
  options.source.text =
      "struct Pair { float a, b; };\n"
      "template <class T, int N> __global__ void scale(float* C) { C[0] = T{N, 1}.a; }\n";
  const auto files = export_launcher(study, sample_results(), options);
  const HeaderFolder folder("");
  write_launcher(folder, files);
  const auto out =
      folder.run("nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -c matmul_launcher.cu");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
}

}  // namespace
}  // namespace tuner
