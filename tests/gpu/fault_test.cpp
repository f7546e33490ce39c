// Kernels that break. Each runs in a process of its own: its context is dead afterwards.
#include <cstdio>
#include <cstdlib>

#include "gpu_fixture.h"

namespace tuner {
namespace {

class GpuFault : public Gpu {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // CUDA does not survive fork
    const std::string reason = why_no_gpu(catalogue);
    if (!reason.empty()) GTEST_SKIP() << "NO GPU: " << reason;
  }

  // Loads and launches; ends the process with the error's number, or 99.
  [[noreturn]] void run(const std::string& source) {
    Gpu::SetUp();
    const auto kernel = load(source, "k");
    const BufferId out = allocate(64);
    const std::vector arguments{at(out)};
    const auto done = launch(kernel.id, geometry(1, 32), arguments);
    const auto after = backend->memory().fill({out, 0}, 64, {});
    if (done) std::exit(99);
    std::fprintf(stderr, "%s; then: %s\n", done.error().message.c_str(),
                 after ? "usable" : after.error().message.c_str());
    std::exit(static_cast<int>(done.error().error));
  }
};

constexpr int kRuntime = static_cast<int>(DeviceError::kRuntime);

TEST_F(GpuFault, AnIllegalAccessIsARuntimeFault) {
  EXPECT_EXIT(run("__global__ void k(int* a) { a[(1LL << 40) + threadIdx.x] = 1; }\n"),
              testing::ExitedWithCode(kRuntime), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(GpuFault, ATrapIsARuntimeFault) {
  EXPECT_EXIT(run("__global__ void k(int*) { asm(\"trap;\"); }\n"),
              testing::ExitedWithCode(kRuntime), "CUDA_ERROR");
}

TEST_F(GpuFault, AMisalignedAccessIsARuntimeFault) {
  EXPECT_EXIT(run("__global__ void k(char* a) { *(double*)(a + 1) = 1; }\n"),
              testing::ExitedWithCode(kRuntime), "CUDA_ERROR_MISALIGNED_ADDRESS");
}

TEST_F(GpuFault, TheContextIsDeadAfterwardsAndSaysSo) {
  EXPECT_EXIT(run("__global__ void k(int* a) { a[(1LL << 40) + threadIdx.x] = 1; }\n"),
              testing::ExitedWithCode(kRuntime), "then: .*CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace tuner
