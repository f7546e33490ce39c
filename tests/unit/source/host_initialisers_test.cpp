#include "tuner/source/host_initialisers.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

using Names = std::vector<std::string>;

TEST(HostInitialisers, AreLambdasCallsAndConstructors) {
  EXPECT_EQ(host_initialisers_in("static int q = [] { return 1; }();"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("int q{[] { return 1; }()};"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("namespace { const int q = system(\"x\"); }"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("template <int N> int q = f(N);\n"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("__device__ int q = [] { return 1; }();"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("struct S { inline static int q = f(); };"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("struct S { __device__ S() {} } s;"), Names{"s"});
  EXPECT_EQ(host_initialisers_in("struct S { __device__ S() {} };\nstatic S s;"), Names{"s"});
  EXPECT_EQ(host_initialisers_in("#if 0\n#else\nstatic int q = f();\n#endif\n"), Names{"q"});
  EXPECT_EQ(host_initialisers_in("#define MAKE(name) static int name = [] { return 1; }();\n"
                                 "MAKE(q)\n"),
            Names{"MAKE"});
}

TEST(HostInitialisers, AreWhateverRunsWhenAProgramIsLoaded) {
  EXPECT_EQ(host_initialisers_in("__attribute__((constructor)) __device__ void f() {}"),
            Names{"constructor"});
  EXPECT_EQ(host_initialisers_in("[[gnu::constructor]] __device__ void f() {}"),
            Names{"constructor"});
  EXPECT_EQ(host_initialisers_in("#define EARLY __attribute__((constructor))\n"),
            Names{"constructor"});
  EXPECT_EQ(host_initialisers_in("asm(\".section .init_array\");"), Names{"asm"});
}

TEST(HostInitialisers, AreNotWhatDevicesAreGiven) {
  EXPECT_EQ(host_initialisers_in(
                "#include <cuda_fp16.h>\n"
                "#define TILE 32\n#define IDX(r, c) ((r) * TILE + (c))\n#define AT(i) a[i]\n"
                "constexpr int kTile = max(1, 2);\nstatic constexpr int kMore = kTile * f(3);\n"
                "const int kThreads = 256;\nstatic const float kScale = float(1) / 3;\n"
                "const int kBlocks = CEIL_DIV(100, TILE);\n"
                "__constant__ float table[4] = {1, 2, 3, 4};\n__device__ int counter;\n"
                "__device__ float4 zero = {0, 0, 0, 0};\nextern __shared__ float pool[];\n"
                "__device__ Pool* pools[4];\n__constant__ Params params;\n"
                "using T = float;\ntypedef struct { int a[2]; } Pair;\nenum { kA, kB = 3 };\n"
                "struct Vec { float x, y; static constexpr int kSize = 2;\n"
                "  __device__ float sum() const { auto add = [&] { return x + y; }; return add(); }"
                " };\n"
                "template <typename T> struct Id { using type = T; };\n"
                "static_assert(sizeof(Pair) == 8, \"\");\n"
                "template <int N> __device__ constexpr int twice_v = 2 * N;\n"
                "__device__ inline float twice(float x) { return x + x; }\n"
                "extern \"C\" __global__ void __launch_bounds__(256) k(float* y) {\n"
                "  asm volatile(\"bar.sync 0;\");\n  __shared__ float s[TILE];\n"
                "  const auto f = [&](int i) { return y[i]; };\n  y[0] = f(0) + twice(s[0]);\n}\n"),
            Names{});
}

}  // namespace
}  // namespace tuner
