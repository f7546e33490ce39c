// What is drafted for kernels of rarer forms, and what is refused.

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Draft, AKernelThatIsDefinedOutsideOfItsNamespaceHasItsWholeName) {
  const DraftedStudy draft = drafted(
      "namespace a { namespace b { __global__ void twice(float* x, int n); } }\n"
      "__global__ void a::b::twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
      "namespace a { void go(float* x, int n) { b::twice<<<1, 256>>>(x, n); } }\n");
  says(draft.yaml, {"name: twice\n", "entry: \"a::b::twice\"\n"});
}

TEST(Draft, ATableThatHostCodeCopiesToIsFilled) {
  const std::string device =
      "__device__ float table[64];\n"
      "__global__ void k(float* y) { y[threadIdx.x] = table[threadIdx.x % 64]; }\n";
  says(drafted(device + "void set(float* h) { cudaMemcpyToSymbol(table, h, 256); }\n").yaml,
       {"constants:\n  - {name: table, type: float32, shape: [64], fill: {uniform: [-1, 1]}}\n"});
  lacks(drafted(device).yaml, {"constants:"});
}

TEST(Draft, AConstantOfAStructIsFilledMemberByMember) {
  const DraftedStudy study = drafted(
      "struct Pair { float a; int b; };\n"
      "struct Row { Pair ends[2]; float w[4]; Pair first; };\n"
      "struct Far { int* at; };\n"
      "__constant__ Pair pair;\n"
      "__constant__ struct Row rows[8];\n"
      "__constant__ float4 four[2];\n"
      "__constant__ Far far;\n"
      "__global__ void k(float* y) {\n"
      "  y[threadIdx.x] = pair.a * pair.b + rows[3].w[0] + four[1].x + *far.at;\n}\n");
  says(study.yaml, {"  Pair: [{a: float32}, {b: int32}]\n",
                    "  Row: [{ends: [Pair, 2]}, {w: [float32, 4]}, {first: Pair}]\n",
                    "  - {name: pair, type: Pair, shape: [1], fill: {a: {uniform: [0, 1]}, b: "
                    "{integers: [0, 9]}}}\n",
                    "  - {name: rows, type: Row, shape: [8], fill: {w: {uniform: [0, 1]}, first.a: "
                    "{uniform: [0, 1]}, "
                    "first.b: {integers: [0, 9]}}}\n",
                    "  - {name: four, type: float4, shape: [2], fill: {uniform: [-1, 1]}}\n"});
  EXPECT_NE(std::ranges::find(study.guessed,
                              "nothing sets the symbol 'far': its type is none that a "
                              "study can fill"),
            study.guessed.end());
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

TEST(Draft, AKernelWithTheNameOfAnotherFunctionIsNamedByItsTypes) {
  const std::string one = "__global__ void k(const float* x, int* y, int n) { y[n] = x[n]; }\n";
  says(drafted(one).yaml, {"entry: \"k\"\n"});
  says(drafted(one + one).yaml, {"entry: \"k\"\n"});  // of two branches
  says(drafted("__global__ void k(const float*, int*, int);\n" + one).yaml, {"entry: \"k\"\n"});
  for (const char* other :
       {"__global__ void k(float* x) { x[0] = 1; }\n", "__global__ void k(float* x, int n);\n",
        "void k(const float* x, int* y) { k<<<1, 32>>>(x, y, 1); }\n"}) {
    says(drafted(one + other).yaml,
         {"entry: \"static_cast<void (&)(const float*, int*, int)>(k)\"\n"});
  }
}

TEST(Draft, TheTypeOfWhatStandsInAnIndexIsAWholeNumber) {
  says(drafted("template <typename T, typename S> __global__ void k(T* a, T b, S stride) {\n"
               "  a[2 * stride + threadIdx.x] = b; }\n")
           .yaml,
       {"entry: \"k<float, int>\""});
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

TEST(Draft, VolumesAndSurfacesAreArrays) {
  const std::string text =
      drafted(
          "__device__ float at(cudaTextureObject_t volume, float i) {\n"
          "  return tex3D<float>(volume, i, i, i);\n}\n"
          "__global__ void k(cudaTextureObject_t volume, cudaSurfaceObject_t y,\n"
          "                  cudaSurfaceObject_t x) {\n"
          "  const int i = threadIdx.x;\n  surf2Dwrite(at(volume, i), y, i * sizeof(float), 0);\n"
          "  const int more = surf1Dread<int>(x, i * 4);\n  y += more;\n}\n")
          .yaml;
  says(text, {"  - {name: volume, texture: {of: volume_data, array: true}}\n",
              "  - {name: y, surface: {of: y_data}}\n", "  - {name: x, surface: {of: x_data}}\n",
              "  - {name: volume_data, type: float, shape: [64, 64, 64], fill: {uniform: [-1, 1]}}",
              "  - {name: y_data, type: float, shape: [1024, 1024], role: inout, fill: {uniform: ",
              "  - {name: x_data, type: int, shape: [16384], fill: {integers: [0, 9]}}",
              "  y_data: {tolerance: usual}"});
}

TEST(Draft, HowOftenALoopRunsIsNoSizeOfTheProblem) {
  says(drafted("__global__ void k(float* x, int n, int repeat) {\n"
               "  int i = blockIdx.x * 64 + threadIdx.x;\n"
               "  for (int r = 0; r < repeat && i < n; ++r) x[i] += r;\n}\n")
           .yaml,
       {"{name: x, type: float32, shape: [n], ", "{name: repeat, type: int32, value: 16}"});
}

TEST(Draft, AVectorOrAFlagIsNoSizeOfTheProblem) {
  const std::string yaml =
      drafted(
          "__global__ void k(float* x, uint3 gridSize, bool rows, int n) {\n"
          "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) x[i] = gridSize.x;\n}\n")
          .yaml;
  says(yaml, {"{name: x, type: float32, shape: [n], ", "{name: gridSize, type: uint3, value: [",
              "{name: rows, type: uint8, value: 1}"});
}

TEST(Draft, ClassTemplatesOfThrustAreNumbersAndAddresses) {
  says(drafted("__global__ void k(thrust::complex<float>* z, thrust::device_ptr<const int> at,\n"
               "                  int n) {\n"
               "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) z[i] = at[i];\n}\n")
           .yaml,
       {"{name: z, type: float32, shape: [n, 2], ", "{name: at, type: int32, shape: [n], fill: "});
}

TEST(Draft, RefusesWhatNoStudyCanGive) {
  EXPECT_EQ(refusal("__global__ void k(float** p) { p[0][0] = 1; }\n"),
            "k.cu:1:1: 'p' of k has the type 'float**' (no host code shows how many pointers there "
            "are, so: init --launcher)");
  EXPECT_EQ(refusal("void f() {}\n"),
            "k.cu: there is no __global__ function (kernels that macros make are not seen, nor "
            "those in files that were not found)");
  EXPECT_EQ(refusal("__global__ void k(cudaTextureObject_t t) {}\n"),
            "k.cu:1:1: 't' of k has the type 'cudaTextureObject_t' (a study gives numbers, structs "
            "of them, and buffers; a launcher gives the rest: init --launcher)");
}

TEST(Draft, AnArrayOfStructsInAStructIsAListOfTheirValues) {
  says(drafted("struct Step { int block; float at; };\nstruct Steps { Step step[2]; int n; };\n"
               "__global__ void k(float* x, Steps all) { x[threadIdx.x] = all.step[1].at; }\n")
           .yaml,
       {"{step: [{block: 1, at: 0.5}, {block: 1, at: 0.5}], n: 64}"});
}

TEST(Draft, LoopsAreUnrolledWithoutAnEditOfTheSource) {
  const std::string body =
      "__device__ float g(float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; "
      "return s; }\n"
      "__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = g(x, n); }\n"
      "__global__ void plain(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n";
  const DraftedStudy study = drafted(body, "k");
  says(study.yaml, {"  replace: [unroll]", "  unroll: [0, 1, 2, 4, 8]  # now 0; ",
                    "  configuration: {unroll: 0"});
  lacks(drafted(body, "plain").yaml, {"unroll"});
  lacks(drafted("const int unroll = 2;\n" + body, "k").yaml, {"unroll: [0"});
  for (const DraftedKnob& knob : study.knobs) EXPECT_NE(knob.name, "unroll") << "it is not tried";
}

TEST(Draft, ABlockIsNotLargerThanTheBoundsOfTheKernel) {
  const std::string rest =
      " k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; "
      "}\n"
      "void f(float* x, int n) { k<<<(n + 127) / 128, 128>>>(x, n); }\n";
  says(drafted("#define MOST 256\n__global__ void __launch_bounds__(MOST, 2)" + rest).yaml,
       {"  - \"BLOCK <= 256\"\n"});
  lacks(drafted("__global__ void __launch_bounds__(64)" + rest).yaml, {"<= 64"});
}

TEST(Draft, ANumberOfTheLaunchIsTheKnobThatTheKernelHasForIt) {
  const DraftedStudy study = drafted(
      "#define BLOCK_DIM 16\n__global__ void k(const float* a, float* b, int w, int h) {\n"
      "  __shared__ float s[BLOCK_DIM][BLOCK_DIM];\n"
      "  int x = blockIdx.x * BLOCK_DIM + threadIdx.x, y = blockIdx.y * BLOCK_DIM + threadIdx.y;\n"
      "  if (x < w && y < h) b[y * w + x] = a[y * w + x];\n}\n"
      "void f(float* a, float* b, int w, int h) { dim3 t(16, 16); "
      "dim3 g((w + 15) / 16, (h + 15) / 16); k<<<g, t>>>(a, b, w, h); }\n");
  says(study.yaml, {"  block: [BLOCK_DIM, BLOCK_DIM]\n",
                    "  grid: [\"ceil_div(w, BLOCK_DIM)\", \"ceil_div(h, BLOCK_DIM)\"]\n"});
}

TEST(Draft, MacrosOfTheBuildArePresentValuesOrOptions) {
  DraftRequest request{
      "#ifndef TILE\n#define TILE 16\n#endif\n__global__ void k(float* x, int n) {\n"
      "  int i = blockIdx.x * TILE + threadIdx.x; if (i < n) x[i] = SCALE;\n}\n",
      "k.cu",
      "k.cu",
      {}};
  request.project.definitions = {{"TILE", "32"}, {"SCALE", "3.0f"}, {"ELSEWHERE", "1"}};
  request.project.standard = "c++20";
  const DraftedStudy study = draft_study(request);
  says(study.yaml, {"  options: [\"-DSCALE=3.0f\", \"-std=c++20\"]  # of the build\n",
                    "  TILE: [32, 64, 128, 256, 512, 1024]  # now 32; "});
  lacks(study.yaml, {"SCALE: [", "ELSEWHERE"});
}

}  // namespace
}  // namespace tuner
