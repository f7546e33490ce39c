// Tuning in an application's process on the GPU: in its context, on its own device memory.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "gpu_fixture.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/library/tuner.h"

namespace tuner {
namespace {

constexpr const char* kKernel = R"(
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i < n) y[i] = TUNE_TILE == 64 ? x[i] : 2 * x[i];
}
extern "C" __global__ void reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}
)";
constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{n: 1000}]
parameters: {TILE: [32, 64, 128, 256]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {constant: 1}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: reference, block: [256], grid: ["ceil_div(n, 256)"]}
backend: cuda
search: {strategy: exhaustive}
)yaml";

// The folder that is laid out like an installation: of the build, or where this is installed.
std::string prefix() {
  auto folder = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path();
  if (folder.filename() == "bin") folder = folder.parent_path();
  return folder.string();
}

// The fixture's backend is the application here: its buffers are named by their addresses.
TEST_F(Gpu, AnApplicationsBuffersAreTunedAndLaunchedOn) {
  ScratchFolder folder;
  std::ofstream(folder.path() / "twice.cu") << kKernel;
  std::ofstream(folder.path() / "twice.yaml") << kStudy;
  const BufferId x = allocate(4000);
  const BufferId y = allocate(4000);
  upload<float>({x, 0}, std::vector<float>(1000, 3));
  upload<float>({y, 0}, std::vector<float>(1000, -1));
  const libtuner::Buffers buffers{{"x", reinterpret_cast<void*>(x), 4000},
                                  {"y", reinterpret_cast<void*>(y), 4000}};
  libtuner::TuningSettings settings;
  settings.installation.prefix = prefix();
  settings.results = (folder.path() / "results").string();
  libtuner::Tuning tuning(libtuner::Study::load((folder.path() / "twice.yaml").string()), settings);
  tuning.add("n=1000", buffers);
  double longest_ms = 0;
  for (bool done = false; !done;) {
    const auto begin = std::chrono::steady_clock::now();
    done = tuning.step(2).done;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    longest_ms = std::max(longest_ms, took.count());
    std::this_thread::yield();
  }
  std::cout << "the longest step of 2 ms took " << longest_ms << " ms\n";
  EXPECT_EQ(download<float>({y, 0}, 1000), std::vector<float>(1000, -1));
  const auto best = tuning.best("n=1000");
  ASSERT_TRUE(best);
  EXPECT_NE(best->configuration, (libtuner::Configuration{{"TILE", std::int64_t{64}}}));
  ASSERT_TRUE(tuning.launch("n=1000", buffers));
  EXPECT_EQ(download<float>({y, 0}, 1000), std::vector<float>(1000, 6));
  EXPECT_EQ(download<float>({x, 0}, 1000), std::vector<float>(1000, 3));
}

}  // namespace
}  // namespace tuner
