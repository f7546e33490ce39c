// Exported launchers whose kernels need workspaces: run on the host, with a stand-in for CUDA's
// runtime that notes what it is asked for.

#include <gtest/gtest.h>

#include "compiled.h"
#include "fake_cuda.h"
#include "launchers.h"

namespace tuner {
namespace {

ArgumentSpec workspace(const std::string& name, const std::string& shape, Zero zero) {
  ArgumentSpec spec = buffer(name, {shape}, Role::kWorkspace);
  spec.zero = zero;
  return spec;
}

Study study_with(const std::vector<ArgumentSpec>& workspaces) {
  Study study = sample_study();
  study.arguments = {buffer("A", {"M"}), buffer("C", {"M"}, Role::kOut)};
  study.arguments.insert(study.arguments.end(), workspaces.begin(), workspaces.end());
  return study;
}

LauncherFiles launcher_of(const Study& study) {
  std::string parameters = "const float* A, float* C";
  for (std::size_t i = 2; i < study.arguments.size(); ++i) {
    parameters += ", float* " + study.arguments[i].name;
  }
  return launcher_of(study, "__global__ void matmul(" + parameters +
                                ") { C[0] = A[0] + TUNE_BM; }\n" + "__global__ void finish(" +
                                parameters + ") { C[1] = A[0] + TUNE_BM; }\n");
}

// The output of a program with this body, in which call(M, stream) calls the launcher.
std::string calls_of(const Study& study, const std::string& body) {
  const HeaderFolder folder("");
  folder.write("cuda_runtime.h", kFakeCudaRuntime);
  return output_with(launcher_of(study), folder, R"(
#include <thread>
float A[1], C[2];
int call(long long m, std::size_t stream = 0) {
  return matmul_launcher::matmul(A, C, m, 1024, reinterpret_cast<cudaStream_t>(stream)).status;
}
int main() {
)" + body + "}\n");
}

const ArgumentSpec kOnce = workspace("once", "BM * M", Zero::kOnce);
const ArgumentSpec kEach = workspace("each", "M", Zero::kEach);
const ArgumentSpec kNever = workspace("never", "M", Zero::kNever);

TEST(LauncherWorkspaces, AreNoParameters) {
  const auto files = launcher_of(study_with({kOnce, kEach, kNever}));
  EXPECT_NE(files.header.find("launched matmul(const float* A, float* C, long long M, long long N, "
                              "cudaStream_t stream = nullptr);"),
            std::string::npos)
      << files.header.substr(files.header.find("launched matmul"), 300);
  EXPECT_NE(files.header.find("cudaError_t release_workspaces();"), std::string::npos);
  const auto without = launcher_of(study_with({}));
  EXPECT_EQ(without.header.find("workspace"), std::string::npos);
  EXPECT_EQ(without.source.find("workspace"), std::string::npos);
}

TEST(LauncherWorkspaces, CallsOfOneSizeAllocateAndZeroOnce) {
  EXPECT_EQ(calls_of(study_with({kOnce, kNever}), R"(
  for (int i = 0; i < 5; ++i) {
    if (call(1024) != 0) return 1;
    const char* once = static_cast<char*>(passed[2]);
    std::printf("%d%d ", once[0], once[4096]);
  }
  std::printf("asked %d, made %d, zeroed %d", asked.load(), allocations.load(), memsets.load());
  std::printf(", mode %d\n", mode);
)"),
            "00 00 00 00 00 asked 1, made 2, zeroed 1, mode 0\n");
}

TEST(LauncherWorkspaces, WhatIsZeroedEachTimeIsZeroedInTheStream) {
  EXPECT_EQ(calls_of(study_with({kEach}), R"(
  for (int i = 0; i < 3; ++i) {
    if (call(1024) != 0) return 1;
    char* each = static_cast<char*>(passed[2]);
    std::printf("%d %d; ", memsets.load(), each[5]);
    each[5] = 9;
  }
)"),
            "1 0; 2 0; 3 0; ");
}

TEST(LauncherWorkspaces, EachStreamAndEachCaptureHasItsOwnUntilItIsReleased) {
  EXPECT_EQ(calls_of(study_with({kOnce}), R"(
  void* of[4];
  for (std::size_t stream = 0; stream < 4; ++stream) {
    if (call(1024, stream) != 0) return 1;
    of[stream] = passed[2];
  }
  bool same = true, other = true;
  for (std::size_t stream = 0; stream < 4; ++stream) {
    call(1024, stream);
    same = same && passed[2] == of[stream];
    for (std::size_t before = 0; before < stream; ++before) other = other && of[before] != of[stream];
  }
  std::printf("%d %d, made %d\n", same, other, allocations.load());
  matmul_launcher::release_workspaces(reinterpret_cast<cudaStream_t>(2));
  std::printf("freed %d\n", freed.load());
  call(1024, 2);
  std::printf("made %d\n", allocations.load());
  matmul_launcher::release_workspaces();
  std::printf("freed %d of %d, ", freed.load(), allocations.load());
  std::printf("%d\n", call(1024, 2));
  matmul_launcher::release_workspaces();
)"),
            "1 1, made 4\nfreed 1\nmade 5\nfreed 5 of 5, 0\n");
}

TEST(LauncherWorkspaces, WhatIsOutgrownStaysAsItIs) {
  EXPECT_EQ(calls_of(study_with({kOnce}), R"(
  long long pieces = 0;
  void* last = nullptr;
  for (long long m = 512; m < 1 << 18; m += m / 8) {
    if (call(m) != 0) return 1;
    static_cast<volatile char*>(passed[2])[0] = 0;
    pieces += passed[2] != last;
    last = passed[2];
  }
  std::printf("%d, few: %d, freed %d\n", pieces == allocations.load(), allocations < 14, freed.load());
  call(512);
  std::printf("%d\n", passed[2] == last);
  matmul_launcher::release_workspaces();
  std::printf("%d\n", freed == allocations.load());
)"),
            "1, few: 1, freed 0\n1\n1\n");
}

TEST(LauncherWorkspaces, WhatAFailedSequenceLeftIsNotUsedAgain) {
  Study study = study_with({kOnce});
  NextLaunchSpec next;
  next.entry = "finish";
  next.launch.block[0] = next.launch.grid[0] = Expression::parse_or_throw("1");
  study.then = {next};
  EXPECT_EQ(calls_of(study, R"(
  call(1024);
  void* first = passed[2];
  refused = 3;  // the second call's second kernel
  std::printf("%d ", call(1024));
  std::printf("%d ", call(1024));
  std::printf("%d ", passed[2] != first);
  refused = launches.load();  // nothing has begun
  first = passed[2];
  std::printf("%d ", call(1024));
  std::printf("%d ", call(1024));
  std::printf("%d\n", passed[2] == first);
  matmul_launcher::release_workspaces();
)"),
            "3 0 1 3 0 1\n");
}

TEST(LauncherWorkspaces, ThreadsMayCallAndReleaseAtOnce) {
  EXPECT_EQ(calls_of(study_with({kOnce, kNever}), R"(
  std::thread threads[4];
  for (std::size_t t = 0; t < 4; ++t) {
    threads[t] = std::thread([t] {
      for (long long m = 1; m < 300; ++m) {
        if (matmul_launcher::matmul(A, C, m * 8, m, reinterpret_cast<cudaStream_t>(t / 2 * 2)).status != 0)
          std::puts("failed");
      }
    });
  }
  for (int i = 0; i < 20; ++i) matmul_launcher::release_workspaces();
  for (auto& one : threads) one.join();
  matmul_launcher::release_workspaces();
  std::printf("%d\n", freed == allocations.load());
)"),
            "matmul_launcher: no tuned device or size is near: a safe default (said "
            "once)\n1\n");
}

TEST(LauncherWorkspaces, ManySizesInTurnAreEachPlannedRight) {
  EXPECT_EQ(calls_of(study_with({}), R"(
  bool right = true;
  for (int round = 0; round < 3; ++round) {
    for (long long m = 1; m < 20; ++m) {
      for (int again = 0; again < 2; ++again) {
        const auto done = matmul_launcher::matmul(A, C, m * 300, 1024);
        const auto s = matmul_launcher::select(matmul_launcher::devices[0], {m * 300, 1024});
        right = right && done.status == 0 && done.chosen.config_id == s.config_id;
      }
    }
    right = right && call(0) == cudaErrorInvalidValue && call(-5) == cudaErrorInvalidValue;
  }
  std::printf("%d\n", right);
)"),
            "1\n");
}

TEST(LauncherWorkspaces, CompileWithoutAWarning) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  for (const auto& workspaces :
       std::vector<std::vector<ArgumentSpec>>{{kOnce}, {kEach}, {kNever}, {kOnce, kEach, kNever}}) {
    const auto files = launcher_of(study_with(workspaces));
    const HeaderFolder folder("");
    write_launcher(folder, files);
    const std::string streams = workspaces.size() > 1 ? "-default-stream per-thread " : "";
    const auto out =
        folder.run("nvcc -std=c++17 -arch=sm_90 " + streams +
                   "-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -c matmul_launcher.cu");
    EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
  }
}

}  // namespace
}  // namespace tuner
