// Exports of studies whose main kernel is followed by others.

#include <gtest/gtest.h>

#include "compiled.h"
#include "launchers.h"
#include "tuner/base/error.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/selection.h"

namespace tuner {
namespace {

NextLaunchSpec next_launch(const std::string& entry, const std::string& block,
                           const std::string& when) {
  NextLaunchSpec next;
  next.entry = entry;
  next.launch.block[0] = Expression::parse_or_throw(block);
  next.launch.grid[0] = Expression::parse_or_throw("ceil_div(M, 1000)");
  if (!when.empty()) next.when = Expression::parse_or_throw(when);
  return next;
}

// `finish` follows all but BM = 16; `clear` follows large sizes; both take what is theirs.
Study sequence_study() {
  Study study = sample_study();
  study.arguments = {buffer("A", Role::kIn), buffer("next", Role::kScratch),
                     buffer("C", Role::kOut)};
  study.then = {next_launch("finish<{BM}>", "threads", "BM > 16"),
                next_launch("clear", "32", "M > 2000")};
  study.then[0].launch.dynamic_shared_bytes = Expression::parse_or_throw("4 * BM");
  study.then[0].arguments = {"C", "next"};
  study.then[1].arguments = {"next"};
  return study;
}

TEST(ThenHeader, TellsWhichLaunchesFollowAndHow) {
  const HeaderFolder folder(export_header(sequence_study(), sample_results()));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
#include <initializer_list>
using namespace matmul_tuned;
int main() {
  const device v = device_of(90);
  const dims sizes[] = {{1000, 1024}, {4096, 1024}};
  for (const config& c : {configs[0], configs[1]}) {
    for (const dims& d : sizes) {
      for (int i = 0; i < next_launch_count; ++i) {
        const next_launch n = next_launch_of(i, c, d, v);
        std::printf("%d %lld %s: %s %u %u %lld\n", c.BM, d.M, n.entry, n.takes_part ? "yes" : "no",
                    n.grid.x, n.block.x, n.dynamic_shared_bytes);
      }
    }
  }
})");
  EXPECT_EQ(out.text,
            "32 1000 finish<{BM}>: yes 1 128 128\n32 1000 clear: no 1 32 0\n"
            "32 4096 finish<{BM}>: yes 5 128 128\n32 4096 clear: yes 5 32 0\n"
            "16 1000 finish<{BM}>: no 1 64 64\n16 1000 clear: no 1 32 0\n"
            "16 4096 finish<{BM}>: no 5 64 64\n16 4096 clear: yes 5 32 0\n");
}

// Header and program agree on it.
TEST(ThenHeader, AConfigurationIsValidWhenAllOfItsLaunchesFit) {
  Study study = sequence_study();
  study.then[0].launch.block[0] = Expression::parse_or_throw("threads * M // 64");
  const HeaderFolder folder(export_header(study, sample_results()));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
#include <initializer_list>
using namespace matmul_tuned;
int main() {
  const device v = device_of(90);
  for (const config& c : {configs[0], configs[1]}) {
    for (const long long m : {64ll, 512ll, 640ll}) std::printf("%d", valid(c, {m, 1024}, v));
  }
})");
  std::string expected;
  const TunedTable table = tuned_table(study, sample_results(), {});
  for (const std::size_t c : {0U, 1U}) {
    for (const std::int64_t m : {64, 512, 640}) {
      const ProblemSize size{{{"M", m}, {"N", 1024}}};
      expected +=
          may_launch(study, table.configurations[c], nominal_facts("sm_90"), size) ? "1" : "0";
    }
  }
  EXPECT_EQ(expected, "110111");
  EXPECT_EQ(out.text, expected);
}

constexpr const char* kTwoKernels = R"(
__global__ void matmul(const float* A, float* next, float* C) { next[0] = A[0]; C[0] = TUNE_BM; }
#if TUNE_BM > 16
template <int N> __global__ void finish(float* C, const float* next) {
  __shared__ float more[256];
  more[threadIdx.x] = next[0]; C[0] = more[0] + N;
}
#endif
__global__ void clear(float* next) { next[0] = 0; }
)";

LauncherFiles sequence_launcher(const Study& study = sequence_study()) {
  return launcher_of(study, kTwoKernels);
}

// A variant without `finish` need not have it: its source has none.
TEST(ThenLauncher, EachVariantHoldsTheKernelsThatMayFollow) {
  const LauncherFiles files = sequence_launcher();
  EXPECT_NE(files.source.find("#define TUNER_KERNEL_1 finish<32>\n"), std::string::npos);
  EXPECT_NE(files.source.find("#define TUNER_KERNEL_1 finish<128>\n"), std::string::npos);
  EXPECT_EQ(files.source.find("finish<16>"), std::string::npos);
  const std::string both = "void* next_list[] = {address(C), address(next_), nullptr};";
  EXPECT_NE(files.source.find(both), std::string::npos) << "in the order of the study";
  // One that follows always, with all arguments.
  Study study = sequence_study();
  study.then = {next_launch("clear", "32", "")};
  const LauncherFiles always = sequence_launcher(study);
  const std::string& source = always.source;
  EXPECT_NE(source.find("next_list[] = {address(A), address(next_), address(C), nullptr};"),
            std::string::npos);
  EXPECT_NE(source.find("#define TUNER_KERNEL_1 clear\n\n"), std::string::npos)
      << "said once, before the variants";
  EXPECT_NE(source.find("variant * 2 + 1,\n"), std::string::npos);
}

TEST(ThenLauncher, AnEntryThatDependsOnTheDeviceIsRefused) {
  Study study = sequence_study();
  study.then[0].entry = "finish<{device.multiprocessors}>";
  EXPECT_THROW(sequence_launcher(study), InputError);
}

TEST(ThenLauncher, CompilesWithoutAWarning) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  const LauncherFiles files = sequence_launcher();
  const HeaderFolder folder("");
  write_launcher(folder, files);
  const auto out = folder.run(
      "nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -c "
      "matmul_launcher.cu");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
}

// The generated function runs on the host with a stand-in for CUDA's runtime, which notes launches.
TEST(ThenLauncher, LaunchesAllInOrder) {
  const LauncherFiles files = sequence_launcher();
  const HeaderFolder folder("");
  write_launcher(folder, files);
  folder.write("cuda_runtime.h", R"(#pragma once
#include <cstddef>
#include <cstdio>
#include <cstring>
#define __global__
#define __shared__
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
inline dim3 threadIdx;
typedef struct stream* cudaStream_t;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorInvalidConfiguration };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaFuncAttributes { std::size_t sharedSizeBytes; };
struct cudaDeviceProp { char name[256]; int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock,
  maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, regsPerBlock, regsPerMultiprocessor, l2CacheSize;
  std::size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalGlobalMem; };
inline cudaError_t cudaGetDevice(int* n) { *n = 0; return cudaSuccess; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) {
  *p = {"NVIDIA H200", 9, 0, 132, 32, 1024, 2048, 32, 65536, 65536, 1, 49152, 232448, 233472, 1};
  return cudaSuccess;
}
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) { *a = {}; return cudaSuccess; }
inline cudaError_t cudaFuncSetAttribute(const void*, int, int) { return cudaSuccess; }
inline char memory[1 << 16];
inline cudaError_t cudaMallocAsync(void** p, std::size_t, cudaStream_t) { *p = memory; return cudaSuccess; }
inline cudaError_t cudaFreeAsync(void*, cudaStream_t) { std::puts("free"); return cudaSuccess; }
inline cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** list, std::size_t shared, cudaStream_t) {
  int count = 0;
  while (list[count] != nullptr) ++count;
  std::printf("%s grid %u block %u shared %zu, %d arguments\n", kernel != nullptr ? "kernel" : "NULL",
              grid.x, block.x, shared, count);
  return cudaSuccess;
}
)");
  folder.write("main.cpp", R"(#include "matmul_launcher.cu"
int main() {
  float A[1] = {}, C[1] = {};
  for (const long long m : {1024ll, 4096ll}) {
    const auto done = matmul_launcher::matmul(A, C, m, m / 2 + 512);
    std::printf("%d\n", done.chosen.cfg.BM);
  }
})");
  const auto compiled = folder.run("g++ -std=c++17 -O1 -w -I. main.cpp -o main");
  ASSERT_EQ(compiled.status, 0) << compiled.text.substr(0, 3000);
  // BM = 32, then BM = 128, which goes with large sizes.
  EXPECT_EQ(folder.run("./main").text,
            "kernel grid 32 block 128 shared 0, 3 arguments\n"
            "kernel grid 2 block 128 shared 128, 2 arguments\nfree\n32\n"
            "kernel grid 32 block 512 shared 131072, 3 arguments\n"
            "kernel grid 5 block 512 shared 512, 2 arguments\n"
            "kernel grid 5 block 32 shared 0, 1 arguments\nfree\n128\n");
}

}  // namespace
}  // namespace tuner
