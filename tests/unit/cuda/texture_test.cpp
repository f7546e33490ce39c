// What the driver is told of textures, and when they end.

#include <gtest/gtest.h>

#include "cuda_fixture.h"

namespace tuner::cuda {
namespace {

tuner_texture vector_of_pairs() {
  return {sizeof(tuner_texture), TUNER_INT16, 2, 0, 0, 0, 0, 0, 100, 0, 0};
}
tuner_texture matrix_of_bytes() {
  return {sizeof(tuner_texture),
          TUNER_UINT8,
          1,
          TUNER_FILTER_LINEAR,
          TUNER_OUTSIDE_MIRROR,
          1,
          1,
          0,
          64,
          5,
          0};
}
tuner_texture volume(std::uint32_t kind) {
  return {sizeof(tuner_texture), TUNER_FLOAT32, 4, 0, 0, 0, 0, kind, 7, 5, 3};
}

TEST(CudaTextures, AreOverTheMemoryItself) {
  FakeDriver driver;
  CudaBackend backend(driver.api(), 0, "auto");
  const auto buffer = backend.allocate(8000);
  backend.texture_of({buffer, 512}, vector_of_pairs());
  const auto& linear = driver.texture_memory.res.linear;
  EXPECT_EQ(driver.texture_memory.resType, CU_RESOURCE_TYPE_LINEAR);
  EXPECT_EQ(linear.devPtr, buffer + 512);
  EXPECT_EQ(linear.format, CU_AD_FORMAT_SIGNED_INT16);
  EXPECT_EQ(linear.numChannels, 2U);
  EXPECT_EQ(linear.sizeInBytes, 400U);
  EXPECT_EQ(driver.texture_reading.flags, unsigned{CU_TRSF_READ_AS_INTEGER});
  backend.texture_of({buffer, 0}, matrix_of_bytes());
  const auto& pitched = driver.texture_memory.res.pitch2D;
  EXPECT_EQ(driver.texture_memory.resType, CU_RESOURCE_TYPE_PITCH2D);
  EXPECT_EQ(pitched.width, 64U);
  EXPECT_EQ(pitched.height, 5U);
  EXPECT_EQ(pitched.pitchInBytes, 64U);
  EXPECT_EQ(driver.texture_reading.addressMode[1], CU_TR_ADDRESS_MODE_MIRROR);
  EXPECT_EQ(driver.texture_reading.filterMode, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(driver.texture_reading.flags, unsigned{CU_TRSF_NORMALIZED_COORDINATES});
}

TEST(CudaTextures, AreMadeOnceAndEndWithTheirBuffer) {
  FakeDriver driver;
  {
    CudaBackend backend(driver.api(), 0, "auto");
    const auto buffer = backend.allocate(8000);
    const auto first = backend.texture_of({buffer, 0}, vector_of_pairs());
    EXPECT_EQ(backend.texture_of({buffer, 0}, vector_of_pairs()), first);
    EXPECT_NE(backend.texture_of({buffer, 512}, vector_of_pairs()), first);
    EXPECT_EQ(driver.textures_made, 2U);
    backend.release(buffer);
    EXPECT_EQ(driver.textures_ended, 2U);
    const auto other = backend.allocate(8000);
    backend.texture_of({other, 0}, matrix_of_bytes());
  }
  EXPECT_EQ(driver.textures_ended, 3U);
}

TEST(CudaTextures, WhatCannotBeIsSaid) {
  FakeDriver driver;
  CudaBackend backend(driver.api(), 0, "auto");
  const auto buffer = backend.allocate(400);
  tuner_texture how = vector_of_pairs();
  how.width = 101;
  EXPECT_THROW(backend.texture_of({buffer, 0}, how), sdk::Error);
  how = vector_of_pairs();
  how.type = TUNER_FLOAT64;
  how.width = 10;
  EXPECT_THROW(backend.texture_of({buffer, 0}, how), sdk::Error);
  EXPECT_EQ(driver.textures_made, 0U);
}

// A surface and a texture over the same memory have one array, which is filled before what is
// timed, and emptied behind all of it.
TEST_F(Cuda, ArraysHoldWhatTheMemoryHoldsWhileKernelsRun) {
  const auto buffer = backend.allocate(4096);
  const std::uint64_t surface = backend.texture_of({buffer, 512}, volume(TUNER_SURFACE));
  backend.texture_of({buffer, 512}, volume(TUNER_TEXTURE_OVER_ARRAY));
  EXPECT_EQ(surface, backend.texture_of({buffer, 512}, volume(TUNER_SURFACE)));
  EXPECT_EQ(driver.surfaces_made, 1U);
  EXPECT_EQ(driver.texture_memory.resType, CU_RESOURCE_TYPE_ARRAY);
  EXPECT_EQ(driver.array_shape.Width, 7U);
  EXPECT_EQ(driver.array_shape.Depth, 3U);
  EXPECT_EQ(driver.array_shape.NumChannels, 4U);
  EXPECT_EQ(driver.array_shape.Flags, unsigned{CUDA_ARRAY3D_SURFACE_LDST});
  const auto kernel = load();
  const tuner_range held[] = {{buffer, 512}, {buffer, 512}};
  tuner_launch launch = one_block();
  launch.arrays = held;
  launch.array_count = 2;
  driver.calls.clear();
  backend.launch(kernel, launch);
  EXPECT_EQ(driver.calls, (std::vector<std::string>{"fill array", "kernel", "synchronize",
                                                    "empty array", "synchronize"}));
  EXPECT_EQ(driver.array_copy.dstDevice, buffer + 512);
  EXPECT_EQ(driver.array_copy.dstPitch, 7U * 16);
  EXPECT_EQ(driver.array_copy.dstHeight, 5U);
  EXPECT_EQ(driver.array_copy.Depth, 3U);
  std::vector<double> ms(2);
  const tuner_timing timing{sizeof timing, 2, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  backend.time(kernel, launch, timing, ms);  // the first use has a prelude
  driver.calls.clear();
  backend.time(kernel, launch, timing, ms);
  EXPECT_EQ(driver.calls,
            (std::vector<std::string>{"fill array", "synchronize", "gate", "fill array", "event",
                                      "kernel", "event", "fill array", "event", "kernel", "event",
                                      "synchronize", "empty array", "synchronize"}));
  backend.release(buffer);
  EXPECT_EQ(driver.surfaces_made, 0U);
  EXPECT_EQ(driver.textures_ended, 1U);
}

}  // namespace
}  // namespace tuner::cuda
