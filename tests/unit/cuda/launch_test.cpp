#include "tuner/plugins/cuda/launch.h"

#include <gtest/gtest.h>

namespace tuner::cuda {
namespace {

struct Case {
  tuner_launch launch{sizeof(tuner_launch),
                      {1, 1, 1},
                      {1, 1, 1},
                      0,
                      nullptr,
                      0,
                      nullptr,
                      0,
                      0,
                      nullptr,
                      nullptr,
                      0,
                      nullptr,
                      nullptr,
                      0};
  tuner_resources kernel{64, 1024, 0, 0, -1, 1024};
  tuner_device_facts device{};
  Case() {
    device.max_threads_per_block = 1024;
    device.max_shared_memory_per_block_optin = 232448;
    device.max_block[0] = device.max_block[1] = 1024;
    device.max_block[2] = 64;
    device.max_grid[0] = 2147483647;
    device.max_grid[1] = device.max_grid[2] = 65535;
  }
  std::string refused() const { return refusal(launch, kernel, device); }
};

TEST(LaunchCheck, AllowsWhatFitsExactly) {
  Case c;
  c.launch.block[0] = 1024;
  c.launch.grid[1] = 65535;
  c.launch.dynamic_shared_bytes = 232448 - 1024;
  EXPECT_EQ(c.refused(), "");
}

TEST(LaunchCheck, NamesTheLimitThatIsBroken) {
  Case zero;
  zero.launch.grid[1] = 0;
  EXPECT_EQ(zero.refused(), "grid and block must be at least 1 in y");
  Case deep;
  deep.launch.block[2] = 65;
  EXPECT_EQ(deep.refused(), "block.z is 65, the device allows 64");
  Case high;
  high.launch.grid[2] = 65536;
  EXPECT_EQ(high.refused(), "grid.z is 65536, the device allows 65535");
  Case many;
  many.launch.block[0] = 64;
  many.launch.block[1] = 32;
  EXPECT_EQ(many.refused(), "2048 threads in a block, the device allows 1024");
}

TEST(LaunchCheck, KnowsTheKernelsOwnLimit) {
  Case c;
  c.launch.block[0] = 512;
  c.kernel.max_threads = 256;
  EXPECT_EQ(c.refused(),
            "512 threads in a block, this kernel allows 256 (64 registers a thread, or its launch "
            "bounds)");
}

TEST(LaunchCheck, AddsStaticAndDynamicSharedMemoryWithoutOverflow) {
  Case c;
  c.launch.dynamic_shared_bytes = 232448 - 1023;
  EXPECT_EQ(c.refused(),
            "231425 bytes of dynamic and 1024 of static shared memory, the device allows 232448");
  c.launch.dynamic_shared_bytes = ~std::uint64_t{0};
  EXPECT_NE(c.refused(), "");
}

}  // namespace
}  // namespace tuner::cuda
