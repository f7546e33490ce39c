// Textures and surfaces in software: addresses, filters and numbers, as devices have them.

#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

class TexturesOnCpu : public testing::Test {
 protected:
  // What the kernel's body, which sees `t` and writes out[0 .. 8), gives for this texture.
  std::vector<float> read(const std::string& body, const std::vector<unsigned char>& bytes,
                          tuner_texture how) {
    const auto result = compiled(
        request_for("__global__ void k(float* out, cudaTextureObject_t t) { " + body + " }", "k"));
    EXPECT_TRUE(result.compiled) << result.log;
    how.struct_size = sizeof how;
    const std::uint64_t data = backend_->allocate(bytes.size());
    backend_->upload({data, 0}, bytes.data(), bytes.size());
    const std::uint64_t out = backend_->allocate(32);
    const std::uint64_t handle = backend_->texture_of({data, 0}, how);
    EXPECT_EQ(handle, backend_->texture_of({data, 0}, how)) << "made once";
    const tuner_argument arguments[] = {{1, 0, {out, 0}, nullptr}, {0, 8, {}, &handle}};
    const auto kernel = backend_->load(result.image, result.entry);
    backend_->launch(kernel.kernel, launch_of(arguments));
    std::vector<float> numbers(8);
    backend_->download({out, 0}, numbers.data(), 32);
    left_.resize(bytes.size());
    backend_->download({data, 0}, left_.data(), left_.size());
    backend_->unload(kernel.kernel);
    backend_->release(data);
    backend_->release(out);
    return numbers;
  }
  std::unique_ptr<CpuBackend> backend_ = open_backend();
  std::vector<unsigned char> left_;  // what the memory holds afterwards
};

tuner_texture bytes_of_matrix(std::uint32_t outside) {
  return {0, TUNER_UINT8, 1, TUNER_FILTER_POINT, outside, 0, 0, 0, 4, 2, 0};
}
const std::vector<unsigned char> kMatrix{0, 51, 102, 153, 204, 255, 10, 20};

TEST_F(TexturesOnCpu, VectorsAreZeroOutside) {
  const std::vector<float> out = read(
      "for (int i = 0; i < 8; ++i) { uchar2 v = tex1Dfetch<uchar2>(t, i - 1); out[i] = v.x + 1000 "
      "* "
      "v.y; }",
      kMatrix, {0, TUNER_UINT8, 2, 0, 0, 0, 0, 0, 4, 0, 0});
  EXPECT_EQ(out, (std::vector<float>{0, 51000, 153102, 255204, 20010, 0, 0, 0}));
}

TEST_F(TexturesOnCpu, WhatIsOutsideStandsWhereItsAddressSays) {
  const std::string body =
      "for (int i = 0; i < 8; ++i) out[i] = tex2D<unsigned char>(t, i - 2, 0);";
  const std::string scaled =
      "for (int i = 0; i < 8; ++i) out[i] = tex2D<unsigned char>(t, (i - 1.5f) / 4, 0.25f);";
  EXPECT_EQ(read(body, kMatrix, bytes_of_matrix(TUNER_OUTSIDE_CLAMP)),
            (std::vector<float>{0, 0, 0, 51, 102, 153, 153, 153}));
  EXPECT_EQ(read(body, kMatrix, bytes_of_matrix(TUNER_OUTSIDE_BORDER)),
            (std::vector<float>{0, 0, 0, 51, 102, 153, 0, 0}));
  tuner_texture how = bytes_of_matrix(TUNER_OUTSIDE_WRAP);
  how.normalized = 1;
  EXPECT_EQ(read(scaled, kMatrix, how), (std::vector<float>{102, 153, 0, 51, 102, 153, 0, 51}));
  how.outside = TUNER_OUTSIDE_MIRROR;
  EXPECT_EQ(read(scaled, kMatrix, how), (std::vector<float>{51, 0, 0, 51, 102, 153, 153, 102}));
}

// Element centres lie at halves; integers are parts of their largest.
TEST_F(TexturesOnCpu, LinearFiltersTakeMeansOfFourElements) {
  tuner_texture how = bytes_of_matrix(TUNER_OUTSIDE_CLAMP);
  how.filter = TUNER_FILTER_LINEAR;
  how.as_floats = 1;
  const std::vector<float> out = read(
      "out[0] = tex2D<float>(t, 1.5f, 0.5f); out[1] = tex2D<float>(t, 1, 1); out[2] = "
      "tex2D<float>(t, 0.5f, 1); out[3] = tex2D<float>(t, -9, -9); for (int i = 4; i < 8; ++i) "
      "out[i] = 0;",
      kMatrix, how);
  EXPECT_FLOAT_EQ(out[0], 0.2F);
  EXPECT_FLOAT_EQ(out[1], (0 + 51 + 204 + 255) / 4.0F / 255);
  EXPECT_FLOAT_EQ(out[2], 0.4F);
  EXPECT_FLOAT_EQ(out[3], 0);
}

TEST_F(TexturesOnCpu, VolumesAndVectorsOverArraysHaveFilters) {
  tuner_texture how = bytes_of_matrix(TUNER_OUTSIDE_CLAMP);
  how.kind = TUNER_TEXTURE_OVER_ARRAY;
  how.filter = TUNER_FILTER_LINEAR;
  how.as_floats = 1;
  how.width = how.height = how.depth = 2;
  std::vector<float> out = read(
      "out[0] = tex3D<float>(t, 1, 1, 1); tex3D<float>(out + 1, t, 0.5f, 0.5f, 1.5f); out[2] = "
      "tex3DLod<float>(t, 1.5f, 0.5f, 1, 0); for (int i = 3; i < 8; ++i) out[i] = 0;",
      kMatrix, how);
  EXPECT_FLOAT_EQ(out[0], (0 + 51 + 102 + 153 + 204 + 255 + 10 + 20) / 8.0F / 255);
  EXPECT_FLOAT_EQ(out[1], 0.8F);
  EXPECT_FLOAT_EQ(out[2], 0.6F);
  how.width = 8;
  how.height = how.depth = 0;
  out = read("for (int i = 0; i < 8; ++i) out[i] = tex1D<float>(t, i);", kMatrix, how);
  EXPECT_FLOAT_EQ(out[0], 0);
  EXPECT_FLOAT_EQ(out[1], 0.1F);
}

// x counts bytes; what lies outside is zero, or the nearest element.
TEST_F(TexturesOnCpu, SurfacesAreReadAndWritten) {
  tuner_texture how = bytes_of_matrix(0);
  how.kind = TUNER_SURFACE;
  const std::vector<float> out = read(
      "out[0] = surf2Dread<unsigned char>(t, 1, 1); out[1] = surf2Dread<unsigned char>(t, 4, 0, "
      "cudaBoundaryModeZero); out[2] = surf2Dread<unsigned char>(t, 9, 7, cudaBoundaryModeClamp); "
      "uchar2 two; surf2Dread(&two, t, 2, 0); out[3] = two.x + 1000 * two.y; "
      "surf2Dwrite(make_uchar2(7, 8), t, 0, 1); surf2Dwrite((unsigned char)9, t, -1, 0, "
      "cudaBoundaryModeZero); surf2Dwrite((unsigned char)9, t, -1, 0, cudaBoundaryModeClamp); "
      "for (int i = 4; i < 8; ++i) out[i] = 0;",
      kMatrix, how);
  EXPECT_EQ(out, (std::vector<float>{255, 0, 20, 153102, 0, 0, 0, 0}));
  EXPECT_EQ(left_, (std::vector<unsigned char>{9, 51, 102, 153, 7, 8, 10, 20}));
  how.width = how.height = how.depth = 2;
  EXPECT_EQ(read("surf3Dwrite((unsigned char)1, t, 1, 0, 1); for (int i = 0; i < 8; ++i) out[i] = "
                 "surf3Dread<unsigned char>(t, i % 2, i / 2 % 2, i / 4);",
                 kMatrix, how),
            (std::vector<float>{0, 51, 102, 153, 204, 1, 10, 20}));
  how.width = 4;
  how.height = how.depth = 0;
  EXPECT_EQ(read("surf1Dwrite((short)-1, t, 2); for (int i = 0; i < 8; ++i) out[i] = "
                 "surf1Dread<signed char>(t, i, cudaBoundaryModeClamp);",
                 kMatrix, how),
            (std::vector<float>{0, 51, -1, -1, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace tuner::cpu
