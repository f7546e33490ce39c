#include "tuner/model/limits.h"

#include <gtest/gtest.h>

#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

LaunchGeometry launch(std::uint32_t threads, std::uint64_t shared = 0) {
  LaunchGeometry geometry;
  geometry.block[0] = threads;
  geometry.dynamic_shared_bytes = shared;
  return geometry;
}

Resources uses(std::int64_t registers, std::int64_t shared = 0) {
  Resources resources;
  resources.registers = registers;
  resources.static_shared_bytes = shared;
  return resources;
}

TEST(OverLimits, AcceptsWhatFits) {
  const DeviceFacts device = test::h200();
  EXPECT_FALSE(over_limits(launch(1024, 227 * 1024), device).has_value());
  EXPECT_FALSE(over_limits(uses(64, 49152), launch(1024), device).has_value());
}

TEST(OverLimits, NamesTheThreadsOfABlock) {
  LaunchGeometry geometry = launch(64);
  geometry.block[1] = 32;
  EXPECT_EQ(over_limits(geometry, test::h200()), "2048 threads per block, the device allows 1024");
}

TEST(OverLimits, NamesTheAxisThatIsTooLong) {
  LaunchGeometry geometry = launch(1);
  geometry.block[2] = 65;
  EXPECT_EQ(over_limits(geometry, test::h200()), "block.z is 65, the device allows 64");
  geometry = launch(1);
  geometry.grid[1] = 65536;
  EXPECT_EQ(over_limits(geometry, test::h200()), "grid.y is 65536, the device allows 65535");
}

TEST(OverLimits, NamesSharedMemory) {
  EXPECT_EQ(over_limits(launch(32, 300000), test::h200()),
            "needs 300000 bytes of shared memory, the device has 232448");
  EXPECT_EQ(over_limits(uses(32, 1000), launch(32, 232000), test::h200()),
            "needs 233000 bytes of shared memory (1000 static), the device has 232448");
  EXPECT_EQ(over_limits(uses(32, 50000), launch(32), test::h200()),
            "needs 50000 bytes of static shared memory, the device has 49152");
}

TEST(OverLimits, NamesWhatAClusterBreaks) {
  LaunchGeometry geometry = launch(64);
  geometry.grid[0] = 12;
  geometry.attributes.cluster[0] = 4;
  EXPECT_FALSE(over_limits(geometry, test::h200()).has_value());
  geometry.attributes.cluster[0] = 8;
  EXPECT_EQ(over_limits(geometry, test::h200()), "grid.x is 12, no multiple of the cluster's 8");
  geometry.attributes.cluster = {6, 3, 1};
  geometry.grid[1] = 3;
  EXPECT_EQ(over_limits(geometry, test::h200()), "a cluster of 18 blocks, devices allow 16");
  DeviceFacts older = nominal_facts("sm_86");
  EXPECT_EQ(over_limits(geometry, older),
            "clusters need compute capability 9.0, the device has 8.6");
  geometry.attributes = {};
  geometry.attributes.programmatic = true;
  EXPECT_EQ(over_limits(geometry, older),
            "programmatic launches need compute capability 9.0, the device has 8.6");
}

TEST(OverLimits, NamesABackendWithoutLaunchAttributes) {
  LaunchGeometry geometry = launch(64);
  DeviceFacts toy = nominal_facts("cpu");
  toy.backend = "toy";
  toy.abilities = {};
  EXPECT_FALSE(over_limits(geometry, toy).has_value());
  geometry.attributes.carveout = 50;
  EXPECT_EQ(over_limits(geometry, toy), "launch attributes are not supported by toy");
  EXPECT_FALSE(over_limits(geometry, nominal_facts("cpu")).has_value());
}

// 100 registers are 3200 a warp, handed out as 3328; 32 warps need 106496.
TEST(OverLimits, NamesRegisters) {
  EXPECT_EQ(over_limits(uses(100), launch(1024), test::h200()),
            "needs 106496 registers per block, the device has 65536");
}

TEST(OverLimits, NamesTheKernelsOwnThreadLimit) {
  Resources resources = uses(32);
  resources.max_threads = 256;
  EXPECT_EQ(over_limits(resources, launch(512), test::h200()),
            "512 threads per block, the compiled kernel allows 256");
}

TEST(OverLimits, IgnoresWhatIsNotKnown) {
  EXPECT_FALSE(over_limits(Resources{}, launch(1024), test::h200()).has_value());
}

// All figures as NVIDIA's occupancy calculator gives them for compute capability 9.0: 64 warps, 32
// blocks, 65536 registers, 228 KiB of shared memory less 1 KiB for each block.
TEST(Occupancy, IsLimitedByBlocksWarpsRegistersOrSharedMemory) {
  const DeviceFacts device = test::h200();
  // 32 blocks of one warp fill 32 of 64 warps.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(32), launch(32)), 0.5);
  // 8 blocks of 8 warps; 32 registers * 2048 threads = 65536.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(32), launch(256)), 1.0);
  // 3 blocks of 20 warps: 60 of 64.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(32), launch(640)), 60.0 / 64);
  // 168 registers: 5376 a warp, 12 warps (of the 12.19 that fit): 1 block of 8.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(168), launch(256)), 8.0 / 64);
  // 33 registers: 1056, rounded to 1280 a warp: 51.2 warps fit, 48 in fours: 16 blocks of 3.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(33), launch(96)), 48.0 / 64);
  // 48 KiB + 1 KiB a block: 4 blocks fit into 228 KiB; 4 * 8 warps.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(32, 49152), launch(256)), 32.0 / 64);
  // Static and dynamic memory add up.
  EXPECT_DOUBLE_EQ(occupancy(device, uses(32, 24576), launch(256, 24576)), 32.0 / 64);
}

TEST(Occupancy, IsZeroWhenNotEvenOneBlockFits) {
  EXPECT_DOUBLE_EQ(occupancy(test::h200(), uses(255), launch(1024)), 0.0);
}

TEST(Occupancy, IsNotKnownWithoutTheRegisters) {
  EXPECT_DOUBLE_EQ(occupancy(test::h200(), Resources{}, launch(256)), -1);
}

TEST(Occupancy, CountsPartOfAWarpAsAWarp) {
  // 33 threads take 2 warps: 32 blocks hold all 64.
  EXPECT_DOUBLE_EQ(occupancy(test::h200(), uses(32), launch(33)), 1.0);
}

}  // namespace
}  // namespace tuner
