#include <gtest/gtest.h>

#include "fake_driver.h"
#include "tuner/plugins/cuda/cuda_backend.h"
#include "tuner/plugins/cuda/launch.h"

namespace tuner::cuda {
namespace {

// A 100 x 40 matrix of bfloat16, in boxes of 64 x 32.
tuner_tensor_map small_map() { return {0, TUNER_BFLOAT16, 2, 64, {100, 40}, {64, 32}}; }

class TensorMaps : public testing::Test {
 protected:
  TensorMaps() { device.compute_capability = 90; }
  std::string refusal_of(const tuner_tensor_map& map) {
    try {
      encode(driver.api(), device, map, 4096);
    } catch (const sdk::Error& error) {
      EXPECT_EQ(error.status(), TUNER_LAUNCH_REFUSED);
      return error.what();
    }
    return "";
  }
  FakeDriver driver;
  tuner_device_facts device{};
};

TEST_F(TensorMaps, TheDriverCountsFromTheFastestDimensionAndInBytes) {
  tuner_tensor_map map{0, TUNER_FLOAT32, 3, 0, {5, 7, 12}, {1, 2, 4}};
  encode(driver.api(), device, map, 4096);
  EXPECT_EQ(driver.map.type, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(driver.map.address, reinterpret_cast<void*>(4096));
  EXPECT_EQ(driver.map.extents, (std::vector<cuuint64_t>{12, 7, 5}));
  EXPECT_EQ(driver.map.strides, (std::vector<cuuint64_t>{48, 336}));
  EXPECT_EQ(driver.map.box, (std::vector<cuuint32_t>{4, 2, 1}));
  EXPECT_EQ(driver.map.swizzle, CU_TENSOR_MAP_SWIZZLE_NONE);
  encode(driver.api(), device, small_map(), 4096);
  EXPECT_EQ(driver.map.type, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(driver.map.swizzle, CU_TENSOR_MAP_SWIZZLE_64B);
}

TEST_F(TensorMaps, TheRuleThatIsBrokenIsNamed) {
  EXPECT_EQ(refusal_of(small_map()), "");
  tuner_tensor_map map = small_map();
  map.extents[1] = 41;
  EXPECT_EQ(refusal_of(map), "tensor map: rows of 82 bytes, must be a multiple of 16");
  map = small_map();
  map.box[1] = 4;
  EXPECT_EQ(refusal_of(map), "tensor map: rows of the box of 8 bytes, must be a multiple of 16");
  map = small_map();
  map.box[1] = 40;
  EXPECT_EQ(refusal_of(map), "tensor map: rows of the box of 80 bytes, more than the swizzle's 64");
  map = small_map();
  map.box[0] = 257;
  EXPECT_EQ(refusal_of(map), "tensor map: an extent of the box is 257, must be from 1 to 256");
  map = small_map();
  map.swizzle = 48;
  EXPECT_EQ(refusal_of(map), "tensor map: rows of the box of 64 bytes, more than the swizzle's 48");
  map.swizzle = 96;
  EXPECT_EQ(refusal_of(map), "tensor map: swizzle 96 is none of 0, 32, 64 and 128");
}

TEST_F(TensorMaps, OlderDevicesGetZerosThatTheyCannotRead) {
  device.compute_capability = 80;
  EXPECT_EQ(encode(driver.api(), device, small_map(), 4096).opaque[0], 0U);
  EXPECT_EQ(driver.map.address, nullptr);
}

TEST_F(TensorMaps, AreLaunchedInThePlaceOfTheirBuffer) {
  driver.parameters = {8, sizeof(CUtensorMap)};
  CudaBackend backend(driver.api(), 0, "auto");
  const auto kernel = backend.load(std::string("\x7f") + "ELF and the rest", "kernel").kernel;
  const auto buffer = backend.allocate(8000);
  const tuner_argument arguments[] = {{1, 0, {buffer, 0}, nullptr}, {1, 0, {buffer, 16}, nullptr}};
  tuner_tensor_map map = small_map();
  map.argument = 1;
  const tuner_launch launch{sizeof(tuner_launch),
                            {1, 1, 1},
                            {1, 1, 1},
                            0,
                            arguments,
                            2,
                            &map,
                            1,
                            0,
                            nullptr,
                            nullptr,
                            0,
                            nullptr,
                            nullptr,
                            0};
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.launched_maps, std::vector<std::uint64_t>{4711});
  EXPECT_EQ(driver.map.address, reinterpret_cast<void*>(buffer + 16));
}

}  // namespace
}  // namespace tuner::cuda
