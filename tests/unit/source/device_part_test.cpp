// What is cut out of a source: host code, and kernels that nobody asks for.

#include "tuner/source/device_part.h"

#include <gtest/gtest.h>

#include "tuner/source/needed_part.h"

namespace tuner {
namespace {

using Names = std::vector<std::string>;

// The text without lines of blanks, and without blanks at the ends of lines.
std::string dense(const std::string& text) {
  std::string out;
  std::string line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out += line + "\n";
    line.clear();
  }
  return out;
}

TEST(DevicePart, OfDeviceCodeIsAllOfIt) {
  const std::string source =
      "#include <cuda_fp16.h>\n#define N 4\n"
      "constexpr int twice(int a) { return 2 * a; }\n"
      "template <typename T, int B = (3 > 2)> __device__ T f(T a) { return a; }\n"
      "extern \"C\" { __global__ void k(float* a) { a[0] = f(1.0f); } }\n"
      "namespace n { struct S { int a; S() : a{1} {} int get() const { return a; } }; }\n"
      "typedef struct __builtin_align__(16) { uint4 a, b; } uint8;\n"
      "enum class E { a, b }; using Row = float[N]; typedef float real;\n"
      "__constant__ float weights[N]; __device__ int counter = 0;\n"
      "template __global__ void g<float>(float*);\n"
      "HOST_DEVICE int h(int a) { return a; }  // a macro of a header, which may say anything\n"
      "INSTANTIATE(float);\n";
  const DevicePart part = device_part(source);
  EXPECT_EQ(part.text, source);
  EXPECT_EQ(part.left_out, Names{});
}

TEST(DevicePart, TheHeaderOfAllHeadersGoes) {
  EXPECT_EQ(device_part("#include <bits/stdc++.h>\n#include <cuda_fp16.h>\n").left_out,
            Names{"<bits/stdc++.h>"});
}

TEST(DevicePart, ClassesAboutTheLaunchAndWhatUsesThemGo) {
  const std::string source =
      "struct Pair { float a, b; };\n"
      "template <typename T> class Layer {\n void forward(const std::vector<T*>& x);\n};\n"
      "template <typename T> __global__ void k(T* a) { a[0] = 1; }\n"
      "template <typename T> void Layer<T>::forward(const std::vector<T*>& x) { k<T><<<1, "
      "1>>>(x[0]); }\n"
      "template <typename T> void launch(T* a) { k<T><<<1, 1>>>(a); }\n"
      "template class Layer<float>;\n"
      "template void launch<float>(float*);\n"
      "template __global__ void k<double>(double*);\n";
  const DevicePart part = device_part(source);
  EXPECT_EQ(dense(part.text),
            "struct Pair { float a, b; };\n"
            "template <typename T> __global__ void k(T* a) { a[0] = 1; }\n"
            "template __global__ void k<double>(double*);\n");
  EXPECT_EQ(part.left_out.size(), 5U);
}

TEST(DevicePart, OfBranchesTheOneThatIsCompiledIsLookedAt) {
  const DevicePart part = device_part(
      "#ifdef NOBODY_DEFINES_THIS\nint f() { return 1; }\n#else\nint g() { return 2; }\n#endif\n"
      "#ifdef __CUDA_ARCH__\nint h() { return 3; }\n#else\nint i() { return 4; }\n#endif\n");
  EXPECT_EQ(part.left_out, (Names{"g", "h"}));
}

TEST(DevicePart, WhatAHostFunctionIncludesGoesWithIt) {
  const std::string source =
      "#include \"device.h\"\n"
      "int main() {\n  const char* files[] = {\n#include \"list.txt\"\n  };\n}\n"
      "__global__ void k(float* a) { a[0] = 1; }\n";
  EXPECT_EQ(dense(device_part(source).text),
            "#include \"device.h\"\n__global__ void k(float* a) { a[0] = 1; }\n");
}

TEST(DevicePart, HostFunctionsGoAndLinesStay) {
  const std::string source =
      "#include <vector>\n"
      "#include \"cusparse.h\"\n"
      "#include <math.h>\n"
      "static std::vector<float> kept;\n"
      "int divide(int a, int b);\n"
      "__global__ void k(float* a) {\n"
      "  a[0] = 1;\n"
      "}\n"
      "int main(int argc, char** argv) {\n"
      "  std::vector<float> x{1, 2};  // }\n"
      "#define INSIDE 3\n"
      "  const char* text = \"}\";\n"
      "  k<<<1, 32>>>(nullptr);\n"
      "}\n"
      "__device__ int last;\n";
  const DevicePart part = device_part(source);
  EXPECT_EQ(dense(part.text),
            "#include <math.h>\n__global__ void k(float* a) {\n  a[0] = 1;\n}\n"
            "#define INSIDE 3\n__device__ int last;\n");
  EXPECT_EQ(part.text.size(), source.size());
  EXPECT_EQ(part.text.find("__device__ int last"), source.find("__device__ int last"));
  EXPECT_EQ(part.left_out, (Names{"kept", "divide", "main", "<vector>", "<cusparse.h>"}));
}

TEST(DevicePart, MacrosOfTheSourceAreSeenThrough) {
  const std::string source =
      "#define DEVICE __device__ __forceinline__\n#define API extern \"C\"\n"
      "DEVICE float f(float a) { return a; }\n"
      "API void launch(float* a) { f<<<1, 2>>>(a); }\n";
  EXPECT_EQ(device_part(source).left_out, Names{"launch"});
}

TEST(DevicePart, MacrosOfHeadersAreSeenThrough) {
  const std::string header =
      "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"
      "#define DI HD inline\n#define dev_fn __device__ __forceinline__\n#define HI inline\n"
      "#define EXPORTED __attribute__((visibility(\"default\")))\n"
      "#define VIA_CUB CUB_DEVICE\n";
  const std::string source =
      "DI float a(float x) { return x; }\n"
      "HD float b(float x) { return x; }\n"
      "dev_fn float c(float x) { return x; }\n"
      "VIA_CUB float d(float x) { return x; }\n"
      "HI float host(float x) { return x; }\n"
      "EXPORTED int hosts() { return 0; }\n"
      "__global__ void k(float* y) { *y = a(b(c(d(*y)))); }\n";
  EXPECT_EQ(device_part(source, {"", header}).left_out, (Names{"host", "hosts"}));
}

TEST(DevicePart, NamesOfTheDevicesOwnStdStay) {
  const std::string source =
      "using counter = cuda::std::atomic<int>;\n"
      "using scoped = ::cuda::std::unique_ptr<int>;\n"
      "__device__ cuda::std::atomic<int>* found;\n"
      "using hosts = std::atomic<int>;\n"
      "using others = ::std::mutex;\n";
  EXPECT_EQ(dense(device_part(source).text),
            "using counter = cuda::std::atomic<int>;\n"
            "using scoped = ::cuda::std::unique_ptr<int>;\n"
            "__device__ cuda::std::atomic<int>* found;\n");
}

TEST(DevicePart, ADirectiveGoesOnBehindABackslashHoweverLinesEnd) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string source = "#define OPEN(n) \\" + end + "  for (int i = 0; i < n; ++i) { \\" +
                               end + "    ++n;" + end + "__global__ void k(int* a) { *a = 1; }" +
                               end + "int main() { return 0; }" + end;
    const DevicePart part = device_part(source);
    EXPECT_EQ(part.left_out, Names{"main"});
    EXPECT_NE(part.text.find("__global__ void k(int* a) { *a = 1; }"), std::string::npos);
  }
}

TEST(DevicePart, BranchesOfAnIfDoNotUnbalanceBraces) {
  const std::string source =
      "#ifdef WIDE\n__global__ void k(double* a) {\n#else\n__global__ void k(float* a) {\n#endif\n"
      "  a[0] = 1;\n}\n"
      "#if 0\nint main() {\n#else\nint run() {\n#endif\n  return 0;\n}\n"
      "__device__ int last;\n";
  const DevicePart part = device_part(source);
  EXPECT_EQ(part.left_out, Names{"run"});
  EXPECT_NE(part.text.find("__device__ int last"), std::string::npos);
  EXPECT_NE(part.text.find("#endif\n  a[0] = 1;\n}"), std::string::npos);
}

// ---- kernels that nobody asks for ---------------------------------------------------------------

const std::string kKernel =
    "extern \"C\" __global__ void __launch_bounds__(N * 2) k(float* a) {}\n";

// What is left of a source behind the kernel `k`, without blanks, when only `k` is wanted.
std::string left_of(const std::string& rest) {
  const std::string text = wanted_kernels(kKernel + rest, {"k"});
  EXPECT_EQ(text.substr(0, kKernel.size()), kKernel);
  const auto first = text.find_first_not_of(" \n", kKernel.size());
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

TEST(WantedKernels, LinesAndColumnsStayWhereTheyAre) {
  EXPECT_EQ(wanted_kernels("__global__ void r(int n) {\n  f(n);\n}  // r\n" + kKernel, {"k"}),
            "                          \n       \n   // r\n" + kKernel);
}

TEST(WantedKernels, TheReferenceIsLeftOutWithThePragmasOfItsLoops) {
  EXPECT_EQ(left_of("extern \"C\" __global__ void r(float* a) {\n"
                    "#pragma unroll\n  for (int i = 0; i < 4; ++i) a[i] = 1;\n}\n"),
            "");
}

TEST(WantedKernels, WhatAHeaderNamesStays) {
  const std::string source = kKernel + "__global__ void r(float* a) {}\n";
  EXPECT_EQ(wanted_kernels(source, {"k"}, {"k", "r", "x"}), source);
  EXPECT_NE(wanted_kernels(source, {"k"}, {"x"}), source);
}

TEST(WantedKernels, WhatIsNoPlainKernelStays) {
  for (const char* rest : {
           "__device__ float f(float a) { return a; }",
           "template <typename T> __global__ void r(T* a) {}",
           "KERNEL void r(float* a) {}",
           "REGISTER(r2) __global__ void r(float* a) {}",
           "__constant__ float r[4] = {1};",
       }) {
    EXPECT_EQ(left_of(rest), rest);
  }
}

TEST(WantedKernels, AKernelThatIsNamedTwiceStays) {
  for (const char* rest : {
           "__global__ void r(int* a) {} __device__ void* p() { return (void*)&r; }",
           "__global__ void r(int* a); __global__ void r(int* a) {}",
           "__global__ void r(int* a) {}\n#define REFERENCE r",
           "#if X\n__global__ void r(int* a) {}\n#else\n__global__ void r(char* a) {}\n#endif",
       }) {
    EXPECT_EQ(left_of(rest), rest);
  }
}

TEST(WantedKernels, AKernelWithDirectivesInItStays) {
  const char* rest = "__global__ void r(int* a) {\n#if X\n}\n#else\n}\n#endif";
  EXPECT_EQ(left_of(rest), rest);
}

TEST(WantedKernels, TheEntriesOfALaunchStayByTheirPlainNames) {
  const std::string source =
      "namespace n { __global__ void first(int* a) {} }\n"
      "template <int W> __global__ void second(int* a) {}\n"
      "__global__ void third(int* a) {}\n";
  EXPECT_EQ(wanted_kernels(source, {"n::first", "second<4>"}),
            "namespace n { __global__ void first(int* a) {} }\n"
            "template <int W> __global__ void second(int* a) {}\n"
            "                                \n");
}

TEST(WantedKernels, AllStayWhereItIsNotKnownWhichOneIsMeant) {
  const std::string source = kKernel + "__global__ void r(int* a) {}\n";
  EXPECT_EQ(wanted_kernels(source, {"{FORM}"}), source);
  EXPECT_EQ(wanted_kernels(source, {"ENTRY"}), source);  // a macro?
  EXPECT_EQ(wanted_kernels(source, {"k", "then"}), source);
  const std::string pasting = "#define NAME(a) k_##a\n" + source;
  EXPECT_EQ(wanted_kernels(pasting, {"k"}), pasting);
}

TEST(WantedKernels, InATextForPeopleTheirLinesAndCommentsGo) {
  EXPECT_EQ(only_wanted_kernels("// Of k.\n"
                                "__global__ void k(int* a) {}\n\n"
                                "// What k is\n// compared with.\n"
                                "__global__ void r(int* a) {\n\n  a[0] = 1;\n}\n\n\n",
                                {"k"}),
            "// Of k.\n__global__ void k(int* a) {}\n");
}

// ---- what kernels need --------------------------------------------------------------------------

TEST(NeededPart, OfAKernelIsWhatItsNamesReach) {
  const std::string source =
      "using namespace lib;\n"
      "#define SCALE(x) (x * factor)\n"
      "__device__ float factor = 2;\n"
      "enum Mode { kFast, kSlow };\n"
      "typedef struct { float a; } Pair;\n"
      "struct __align__(8) Row { Pair pair; __device__ float sum() const; };\n"
      "__device__ float Row::sum() const { return SCALE(pair.a); }\n"
      "__device__ Pair operator+(Pair x, Pair y) { return x; }\n"
      "template <int N> __device__ void f(Row* r) { static_assert(N == kFast, \"\"); }\n"
      "__global__ void k(Row* r) { f<0>(r); }\n";
  const std::string other =
      "texture<float, 1> gone;\n"
      "struct Options { string path; };\n"
      "bool operator<(const Options& x, const Options& y) { return true; }\n"
      "static_assert(sizeof(Options) == 8, \"\");\n"
      "__device__ float g(float a) { return __shfl(a, 0) + tex1D(gone, a); }\n"
      "__global__ void other(float* a) { *a = g(*a); }\n";
  EXPECT_EQ(dense(needed_part(other + source, {"k"})), source);
  EXPECT_EQ(needed_part(source + other, {"k"}).size(), (source + other).size());
}

TEST(NeededPart, AFileOfWhichNothingIsReachedIncludesNothing) {
  const std::string kernel = "#include <used.h>\n__global__ void k(int* a) { *a = kTwo; }\n";
  const std::string used = "#line 1 \"two.h\"\n#include \"config.h\"\nconst int kTwo = 2;\n";
  const std::string idle =
      "#line 1 \"idle.h\"\n#include \"config.h\"\nusing namespace gone;\nconst int kOne = 1;\n";
  const std::string rest = "#line 2 \"k.cu\"\n" + kernel;
  EXPECT_EQ(dense(needed_part("#include <cmath>\n" + idle + used + rest, {"k"})),
            "#include <cmath>\n#line 1 \"idle.h\"\n" + used + rest);
}

TEST(NeededPart, IsAlsoWhatAnotherBranchNames) {
  const std::string source =
      "__device__ int f() { return 1; }\n__device__ int g() { return 2; }\n"
      "#if X\n__global__ void k(int* a) { *a = f(); }\n"
      "#else\n__global__ void k(int* a) { *a = g(); }\n#endif\n";
  EXPECT_EQ(needed_part(source, {"k"}), source);
}

}  // namespace
}  // namespace tuner
