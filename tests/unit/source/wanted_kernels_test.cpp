// Kernels that nobody asks for are left out, and nothing else.

#include <gtest/gtest.h>

#include "tuner/source/device_part.h"

namespace tuner {
namespace {

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

}  // namespace
}  // namespace tuner
