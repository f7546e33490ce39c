// What is drafted for kernels of rarer forms, and what is refused.

#include <gtest/gtest.h>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

TEST(Draft, AGridThatWaitsForItselfIsLaunchedCooperatively) {
  const std::string head = "__global__ void k(float* a, int n) { auto grid = cg::this_grid(); ";
  const std::string yaml = drafted(head + "grid.sync(); a[threadIdx.x] = n; }").yaml;
  EXPECT_EQ(yaml.find("  cooperative: true\n", yaml.find("  cooperative: true\n") + 1),
            yaml.rfind("  cooperative: true\n"))
      << yaml;
  says(yaml, {"  grid: [\"device.multiprocessors\"]"});
  EXPECT_FALSE(has(drafted(head + "a[grid.thread_rank()] = n; }").yaml, "cooperative"));
}

TEST(Draft, AFunctionThatIsSpecializedEndsWhereItDoes) {
  const std::string yaml =
      drafted(
          "template <class T> __device__ T sum(T a) { return a; }\n"
          "template <> __device__ int sum<int>(int a) {\n  a = 1;\n  return a;\n}\n"
          "template <class T> __global__ void k(T* a, int n) { a[threadIdx.x] = sum<T>(n); }\n")
          .yaml;
  says(yaml, {"entry: \"k<float>\""});
}

TEST(Draft, ChoosesAmongSeveralKernels) {
  const std::string source =
      "__global__ void naive(float* a) {}\n__global__ void fast(float* a) {}\n";
  EXPECT_EQ(drafted(source).kernel, "fast");
  EXPECT_EQ(drafted(source, "naive").kernel, "naive");
  EXPECT_EQ(drafted(source).guessed.front(),
            "there are other kernels: naive (--kernel NAME drafts for one)");
  EXPECT_EQ(refusal(source, "fats"), "k.cu: there is no kernel 'fats' (did you mean 'fast'?)");
}

TEST(Draft, TypesAreReadInAnyOrderBehindMacrosAndWithoutNames) {
  const DraftedStudy study = drafted(
      "#define RESTRICT __restrict__\n__global__ void k(long unsigned int* RESTRICT p, "
      "unsigned char) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n");
  says(study.yaml, {"{name: p, type: uint64, shape: ", "{name: argument2, type: uint8, value: "});
}

// What a texture is over is seen by how it is read; how it reads stands in the host code.
TEST(Draft, TexturesAreOverBuffersThatAreMadeUpForThem) {
  const std::string text =
      drafted(
          "__global__ void blur(uchar4* y, cudaTextureObject_t image, cudaTextureObject_t x,\n"
          "                     int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  float4 v = tex2D<float4>(image, i, 1.5f);\n  int k = tex1Dfetch<int>(x, i);\n"
          "  if (i < n) y[i] = make_uchar4(v.x, v.y, v.z, k);\n}\n"
          "void host() {\n  cudaTextureDesc d;\n  d.filterMode = cudaFilterModeLinear;\n"
          "  d.readMode = cudaReadModeNormalizedFloat;\n  d.normalizedCoords = 1;\n"
          "  d.addressMode[0] = cudaAddressModeWrap;\n}\n")
          .yaml;
  says(text, {"  - {name: image, texture: {of: image_data, read: normalized_float, filter: "
              "linear, normalized: true, address: wrap}}\n",
              "  - {name: x, texture: {of: x_data}}\n",
              "  - {name: image_data, type: uchar4, shape: [256, 256], fill: {integers: [0, "
              "9]}}  # a guess: the shape, and that nothing else takes it\n",
              "  - {name: x_data, type: int, shape: [65536], "});
}

TEST(Draft, RefusesWhatNoStudyCanGive) {
  EXPECT_EQ(refusal("__global__ void k(float** p) { p[0][0] = 1; }\n"),
            "k.cu:1:1: 'p' of k has the type 'float**' (no host code shows how many pointers there "
            "are)");
  EXPECT_EQ(refusal("void f() {}\n"),
            "k.cu: there is no __global__ function (kernels that macros make are not seen, nor "
            "those in files that were not found)");
  EXPECT_EQ(refusal("__global__ void k(cudaTextureObject_t t) {}\n"),
            "k.cu:1:1: 't' of k has the type 'cudaTextureObject_t' (a study gives numbers, structs "
            "of them, and buffers)");
}

}  // namespace
}  // namespace tuner
