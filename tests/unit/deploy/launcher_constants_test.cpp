// Exported launchers whose constants are set once: run on the host, with a stand-in for CUDA's
// runtime that counts the copies.

#include <gtest/gtest.h>

#include "compiled.h"
#include "fake_cuda.h"
#include "launchers.h"

namespace tuner {
namespace {

Study study_with_constants(const std::vector<ArgumentSpec>& constants) {
  Study study = sample_study();
  study.arguments = {buffer("A", {"M"}), buffer("C", {"M"}, Role::kOut)};
  study.constants = constants;
  return study;
}

constexpr const char* kTableSource = R"(__constant__ float table[8];
__constant__ float other[8];
__constant__ float factor;
__global__ void matmul(const float* A, float* C) {
  C[0] = A[0] * table[0] + other[0] * factor + TUNE_BM;
}
__global__ void with_workspace(const float* A, float* C, float* room) {
  C[0] = A[0] * table[0] + room[0] + TUNE_BM;
}
)";

constexpr const char* kBegin = R"(
#include <thread>
#include <vector>
using namespace matmul_launcher;
float A[1], C[2];
const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, twos[8] = {2, 2, 2, 2, 2, 2, 2, 2};
const float threes[8] = {3, 3, 3, 3, 3, 3, 3, 3};
cudaStream_t stream_of(std::size_t number) { return reinterpret_cast<cudaStream_t>(number); }
float* table_of(int variant) {
  namespace all = matmul_launcher_kernels;
  return variant == 0 ? all::variant_0::table
       : variant == 1 ? all::variant_1::table : all::variant_2::table;
}
)";

// Prints the status, how often constant memory was written, and what the variant that ran found
// there. `given`: in this call.
constexpr const char* kCall = R"(
int call(const float* given, std::size_t stream = 0, long long m = 1024) {
  const int before = symbol_copies;
  const auto done = matmul(A, C, given, m, 1024, stream_of(stream));
  const int variant = variant_of[done.chosen.config_id];
  std::printf("%d,%d,%g ", done.status, symbol_copies - before, double(*table_of(variant)));
  return variant;
}
)";

// What a program prints with `functions`, if any, and this body of main().
std::string output_of(const Study& study, const std::string& functions, const std::string& body) {
  const HeaderFolder folder("");
  folder.write("cuda_runtime.h", kFakeCudaRuntime);
  return output_with(launcher_of(study, kTableSource), folder,
                     kBegin + functions + "int main() {\n" + body + "  release_constants();\n}\n");
}

std::string calls_of(const std::string& body) {
  return output_of(study_with_constants({buffer("table", {"8"})}), kCall, body);
}

TEST(LauncherConstants, OnlyArraysHaveAFunctionThatSetsThem) {
  const auto files =
      launcher_of(study_with_constants(
                      {buffer("table", {"4"}), buffer("other", {"M"}), scalar("factor", "2.5")}),
                  kTableSource);
  for (const char* declared :
       {"cudaError_t set_table(const float* from, cudaStream_t stream = nullptr);\n",
        "cudaError_t set_other(const float* from, std::size_t count, cudaStream_t stream = "
        "nullptr);\n",
        "cudaError_t release_constants();\n",
        "launched matmul(const float* A, float* C, const float* table, const float* other, float "
        "factor, long long M, long long N, cudaStream_t stream = nullptr);\n"}) {
    EXPECT_NE(files.header.find(declared), std::string::npos) << declared;
  }
  EXPECT_EQ(files.header.find("set_factor"), std::string::npos);
  for (const auto& constants : {std::vector<ArgumentSpec>{}, {scalar("factor", "2.5")}}) {
    const auto none = launcher_of(study_with_constants(constants), kTableSource);
    EXPECT_EQ(none.header.find("release_constants"), std::string::npos);
    EXPECT_EQ(none.source.find("kept"), std::string::npos);
    EXPECT_EQ(none.source.find("number_of"), std::string::npos);
  }
}

// In a run they begin the constant memory, where vectors of them can be read.
TEST(LauncherConstants, ThoseOfEveryVariantAreAligned) {
  EXPECT_EQ(calls_of(R"(
  for (int variant = 0; variant < 3; ++variant) {
    std::printf("%d ", int(reinterpret_cast<std::uintptr_t>(table_of(variant)) % 16));
  }
  struct { char first; __constant__ float plain; } here;
  std::printf("%d\n", int(reinterpret_cast<char*>(&here.plain) - &here.first));
)"),
            "0 0 0 4\n");
}

TEST(LauncherConstants, EachStreamCopiesWhatWasSetOnce) {
  EXPECT_EQ(calls_of(R"(
  std::printf("%d ", set_table(ones));
  for (int i = 0; i < 3; ++i) call(nullptr);
  for (int i = 0; i < 3; ++i) call(nullptr, 2);
  call(nullptr);
  std::printf("made %d, mode %d\n", allocations.load(), mode);
)"),
            "0 0,1,1 0,0,1 0,0,1 0,1,1 0,0,1 0,0,1 0,0,1 made 1, mode 0\n");
}

TEST(LauncherConstants, EachVariantCopiesForItself) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  for (const long long m : {1024, 4096, 1024, 4096}) call(nullptr, 0, m);
)"),
            "0,1,1 0,1,1 0,0,1 0,0,1 ");
}

TEST(LauncherConstants, AfterNewValuesEveryStreamCopiesAgain) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  for (const std::size_t stream : {0, 2}) call(nullptr, stream);
  set_table(twos, stream_of(4));
  for (const std::size_t stream : {0, 2, 0, 2}) call(nullptr, stream);
  for (const long long m : {4096, 4096}) call(nullptr, 0, m);
  std::printf("made %d\n", allocations.load());
)"),
            "0,1,1 0,1,1 0,1,2 0,1,2 0,0,2 0,0,2 0,1,2 0,0,2 made 1\n");
}

TEST(LauncherConstants, WhatACallIsGivenIsCopiedEachTimeAndLastsForThatCall) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  for (const std::size_t stream : {0, 2}) call(nullptr, stream);
  for (int i = 0; i < 2; ++i) call(twos);
  for (const std::size_t stream : {0, 2, 0, 2}) call(nullptr, stream);
  call(nullptr, 0, 4096);
  call(twos);
  call(nullptr, 0, 4096);
)"),
            "0,1,1 0,1,1 0,1,2 0,1,2 0,1,1 0,1,1 0,0,1 0,0,1 0,1,1 0,1,2 0,0,1 ");
}

// Streams with odd numbers are captured.
TEST(LauncherConstants, ACaptureAlwaysHoldsTheCopyAndSavesNone) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  for (int i = 0; i < 2; ++i) call(nullptr, 3);
  for (int i = 0; i < 2; ++i) call(nullptr, 2);
  for (int i = 0; i < 2; ++i) call(nullptr, 3);
  call(nullptr, 2);
)"),
            "0,1,1 0,1,1 0,1,1 0,0,1 0,1,1 0,1,1 0,0,1 ");
}

// Its graph may write them at any time.
TEST(LauncherConstants, ACaptureOfACallersValuesMakesAllLaterCallsOfTheVariantCopy) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  call(nullptr);
  call(twos, 3);
  for (int i = 0; i < 3; ++i) call(nullptr);
  set_table(threes);
  for (int i = 0; i < 2; ++i) call(nullptr);
  for (int i = 0; i < 2; ++i) call(nullptr, 0, 4096);
  release_constants();
  set_table(ones);
  for (int i = 0; i < 2; ++i) call(nullptr);
)"),
            "0,1,1 0,1,2 0,1,1 0,1,1 0,1,1 0,1,3 0,1,3 0,1,3 0,0,3 0,1,1 0,0,1 ");
}

TEST(LauncherConstants, ACopyThatFailedIsMadeAgain) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  refused_symbol_copy = 0;
  for (int i = 0; i < 3; ++i) call(nullptr);
  refused_symbol_copy = symbol_copies.load();
  call(twos);
  for (int i = 0; i < 2; ++i) call(nullptr);
)"),
            "3,1,0 0,1,1 0,0,1 3,1,1 0,1,1 0,0,1 ");
}

TEST(LauncherConstants, WithoutValuesNothingIsLaunched) {
  EXPECT_EQ(calls_of(R"(
  call(nullptr);
  std::printf("%d %d ", set_table(nullptr), set_table(ones, stream_of(3)));
  call(nullptr);
  std::printf("launches %d, copies %d\n", launches.load(), copies.load());
  call(twos);
  call(nullptr);
  set_table(ones);
  refused_copy = copies.load();
  std::printf("%d ", set_table(threes));
  call(nullptr);
  set_table(threes);
  call(nullptr);
  std::printf("%d ", release_constants());
  call(nullptr);
  std::printf("%d\n", freed == allocations);
)"),
            "1,0,0 1 4 1,0,0 launches 0, copies 0\n"
            "0,1,2 1,0,2 3 1,0,2 0,1,3 0 1,0,3 1\n");
}

TEST(LauncherConstants, EachDeviceHasItsOwn) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  call(nullptr);
  current = 1;
  call(nullptr);
  set_table(twos);
  for (int i = 0; i < 2; ++i) call(nullptr);
  current = 0;
  call(nullptr);
  release_constants();
  std::printf("%d of %d\n", freed.load(), allocations.load());
)"),
            "0,1,1 1,0,1 0,1,2 0,0,2 0,0,2 2 of 2\n");
}

TEST(LauncherConstants, OfVeryManyStreamsSomeCopyAgain) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t streams : {64, 65}) {
      const int before = symbol_copies;
      for (std::size_t i = 0; i < streams; ++i) {
        if (matmul(A, C, nullptr, 1024, 1024, stream_of(2 * i)).status != 0) return 1;
      }
      std::printf("%d ", symbol_copies - before);
    }
  }
)"),
            "64 1 64 1 ");
}

TEST(LauncherConstants, OfALengthThatFollowsTheSizeEnoughMustBeThere) {
  EXPECT_EQ(output_of(study_with_constants({buffer("table", {"M // 256"})}), kCall, R"(
  std::printf("%d %d %d ", set_table(ones, 0), set_table(ones, 16385),
              set_table(ones, ~std::size_t(0)));
  set_table(ones, 4);
  for (const long long m : {512, 1024, 512, 2048}) call(nullptr, 0, m);
  set_table(twos, 8);
  for (const long long m : {1024, 1024, 512, 512, 1024}) call(nullptr, 0, m);
  std::printf("%g %d\n", table_of(call(nullptr, 0, 2048))[7], allocations.load());
)"),
            "1 1 1 0,1,1 0,1,1 0,1,1 1,0,1 0,1,2 0,0,2 0,1,2 0,0,2 0,1,2 0,1,2 2 1\n");
}

TEST(LauncherConstants, OfSeveralEachIsSetAlone) {
  const Study study = study_with_constants(
      {scalar("factor", "2.5"), buffer("table", {"8"}), buffer("other", {"8"})});
  EXPECT_EQ(output_of(study, "", R"(
  set_table(ones);
  set_other(twos);
  int variant = 0;
  const auto copied = [&](const float* table, const float* other) {
    const int before = symbol_copies;
    const auto done = matmul(A, C, 4.0f, table, other, 1024, 1024);
    std::printf("%d,%d ", done.status, symbol_copies - before);
    variant = variant_of[done.chosen.config_id];
  };
  copied(nullptr, nullptr);
  copied(nullptr, nullptr);
  copied(nullptr, threes);
  copied(nullptr, nullptr);
  set_table(threes);
  copied(nullptr, nullptr);
  std::printf("%g %d\n", *table_of(variant), allocations.load());
)"),
            "0,3 0,1 0,2 0,2 0,2 3 2\n");
}

TEST(LauncherConstants, ThreadsMayCallAndSetAtOnce) {
  EXPECT_EQ(calls_of(R"(
  set_table(ones);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        if (t == 0 && i % 100 == 50) set_table(ones, stream_of(8));
        if (matmul(A, C, nullptr, 1024 + i % 12, 1024, stream_of(t / 2 * 2)).status != 0) {
          std::puts("failed");
        }
      }
    });
  }
  for (auto& one : threads) one.join();
  std::printf("%d\n", symbol_copies >= 2 && symbol_copies <= 12);
)"),
            "1\n");
}

TEST(LauncherConstants, CompileWithoutAWarning) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  Study with_workspace = study_with_constants({buffer("table", {"8"})});
  with_workspace.kernel.entry = "with_workspace";
  with_workspace.arguments.push_back(buffer("room", {"BM"}, Role::kWorkspace));
  for (const Study& study :
       {study_with_constants(
            {buffer("table", {"8"}), buffer("other", {"M // 256"}), scalar("factor", "2.5")}),
        study_with_constants({scalar("factor", "2.5")}), with_workspace}) {
    const auto files = launcher_of(study, kTableSource);
    const HeaderFolder folder("");
    write_launcher(folder, files);
    const std::string streams = study.constants.size() > 1 ? "-default-stream per-thread " : "";
    const auto out = folder.run(
        "nvcc -std=c++17 -arch=sm_90 " + streams +
        "-Werror all-warnings -Xcompiler -Wall,-Wextra,-Wconversion,-Werror -c matmul_launcher.cu");
    EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
  }
}

}  // namespace
}  // namespace tuner
