// Where a toolkit is looked for: beside this plugin, too, in NVIDIA's Python packages.
#include "tuner/plugins/cuda/toolkit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tuner::cuda {
namespace {

namespace fs = std::filesystem;

class Toolkit : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(site); }
  void TearDown() override { fs::remove_all(site); }
  void file(const fs::path& path) const {
    fs::create_directories((site / path).parent_path());
    std::ofstream(site / path) << "x";
  }
  const fs::path site = fs::temp_directory_path() / ("tuner_site_" + std::to_string(::getpid()));
  const fs::path plugin = site / "tuner" / "prefix" / "lib" / "tuner" / "plugins" / "cuda.so";
};

TEST_F(Toolkit, ThePackageOfCuda13HoldsAllOfIt) {
  file("nvidia/cu13/lib/libnvrtc.so.13");
  file("nvidia/cudnn/lib/libcudnn.so.9");
  EXPECT_EQ(packages_beside(plugin), std::vector<fs::path>{site / "nvidia" / "cu13"});
  EXPECT_EQ(nvrtc_of(site / "nvidia" / "cu13"), site / "nvidia/cu13/lib/libnvrtc.so.13");
}

TEST_F(Toolkit, OfCuda12EachPackageHasAFolder) {
  file("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  file("nvidia/cuda_runtime/include/cuda_fp16.h");
  const std::vector<fs::path> found{site / "nvidia" / "cuda_nvrtc",
                                    site / "nvidia" / "cuda_runtime"};
  EXPECT_EQ(packages_beside(plugin), found);
  EXPECT_EQ(nvrtc_of(found[0]), site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  EXPECT_EQ(nvrtc_of(found[1]), fs::path());
}

TEST_F(Toolkit, WithoutPackagesThereAreNone) {
  file("tuner/prefix/lib/tuner/plugins/cuda.so");
  EXPECT_TRUE(packages_beside(plugin).empty());
  EXPECT_EQ(nvrtc_of(site), fs::path());
}

TEST_F(Toolkit, HeadersHaveTheVersionOfTheirCudaH) {
  EXPECT_EQ(version_of_headers(site), "");
  file("cuda.h");
  EXPECT_EQ(version_of_headers(site), "");
  std::ofstream(site / "cuda.h") << "#ifndef __cuda_cuda_h__\n#define CUDA_VERSION 12040\n#endif\n";
  EXPECT_EQ(version_of_headers(site), "12.4");
}

}  // namespace
}  // namespace tuner::cuda
