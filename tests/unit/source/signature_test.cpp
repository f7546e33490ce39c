// What a source says that its kernels take.

#include "tuner/source/signature.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tuner {
namespace {

// "x: float32 *, n: int32" of a kernel that may be read in one way only.
std::string taken(const SignatureReader& reader, const std::string& entry,
                  const DefinedNames& defined = {}) {
  const std::vector<Signature> all = reader.of(entry, defined);
  if (all.size() != 1) return std::to_string(all.size()) + " declarations";
  std::string out;
  for (const SignatureParameter& one : all.front().parameters) {
    out += (out.empty() ? "" : ", ") + one.name + ":";
    for (const ParameterType& type : one.types) {
      const std::string lanes = type.element.lanes > 1 ? std::to_string(type.element.lanes) : "";
      out += " " + (type.element.name.empty() ? type.c_type : type.element.name + lanes) +
             std::string(static_cast<std::size_t>(type.pointers), '*');
    }
  }
  return out;
}

std::string taken(const std::string& source, const std::string& entry,
                  const DefinedNames& defined = {}) {
  return taken(SignatureReader(std::vector<SourceText>{{"k.cu", source}}), entry, defined);
}

TEST(Signature, NumbersAreThoseOfAStudy) {
  EXPECT_EQ(taken("__global__ void k(const float* __restrict__ x, float4 *y, unsigned n,\n"
                  "  long long unsigned int m, half const* h, std::uint8_t b[], bool f = true) {}",
                  "k"),
            "x: float32*, y: float324*, n: uint32, m: uint64, h: float16*, b: uint8*, f: uint8");
  EXPECT_EQ(
      taken("__global__ void k(float**, unsigned char, float *const *p, float (*t)[4]) {}", "k"),
      ": float32**, : uint8, p: float32**, t: float32*");
}

TEST(Signature, OpenClSaysWhereMemoryIsAndTheGroupsIsNotGiven) {
  EXPECT_EQ(
      taken("__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(\n"
            "  __global const float* restrict x, const __constant int* w,\n"
            "  __local float4* tile, global uchar* b, local int* t, constant half* h, uint n,\n"
            "  float16 v) {}",
            "k"),
      "x: float32*, w: int32*, b: uint8*, h: float16*, n: uint32, v: float16");
  EXPECT_EQ(taken("kernel void k(global double* y) {}", "k"), "y: float64*");
}

// Words of OpenCL are names elsewhere.
TEST(Signature, InCudaAParameterMayBeCalledLocal) {
  EXPECT_EQ(taken("__global__ void k(float* local, int global) {}", "k"),
            "local: float32*, global: int32");
}

TEST(Signature, TypedefsMacrosAndTemplateArgumentsAreSeenThrough) {
  const std::string source =
      "typedef double real;\n"
      "using Row = real*;\n"
      "#define RESTRICT __restrict__\n"
      "#define COMMON const T* RESTRICT x, int n\n"
      "namespace n { template <typename T, int B, class U = real>\n"
      "__global__ void k(COMMON, Row r, U* u, ELEMENT* e) {} }";
  EXPECT_EQ(taken(source, "n::k<half, 4>", {{"ELEMENT", "short"}}),
            "x: float16*, n: int32, r: float64*, u: float64*, e: int16*");
}

TEST(Signature, WhatBranchesMayMakeOfATypeIsAllThere) {
  EXPECT_EQ(taken("#if USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
                  "__global__ void k(real a) {}",
                  "k"),
            "a: float64 float32");
  const std::string guarded = "#ifndef T\n#define T float\n#endif\n__global__ void k(T a) {}";
  EXPECT_EQ(taken(guarded, "k"), "a: float32");
  EXPECT_EQ(taken(guarded, "k", {{"T", "double"}}), "a: float64");
}

TEST(Signature, IncludedFilesDeclareTypesAndKernels) {
  const SignatureReader reader({{"k.cu", "#include \"real.h\"\n__global__ void k(real a) {}"},
                                {"/d/real.h", "typedef float real;\n__global__ void r(int) {}"}});
  EXPECT_EQ(taken(reader, "k"), "a: float32");
  EXPECT_EQ(taken(reader, "r"), ": int32");
}

TEST(Signature, WhereMacrosOrBranchesDecideNothingIsSaid) {
  EXPECT_EQ(taken("#define K(n) __global__ void n(int a) {}\nK(k)", "k"), "0 declarations");
  EXPECT_EQ(taken("#ifdef A\n__global__ void k(int a) {}\n#else\n__global__ void k(float a) {}\n"
                  "#endif",
                  "k"),
            "0 declarations");
  EXPECT_EQ(taken("__global__ void k(int a\n#ifdef A\n, int b\n#endif\n) {}", "k"),
            "0 declarations");
  EXPECT_EQ(taken("__global__ void k(SOME_ARGUMENTS, int n) {}", "k"), "0 declarations");
  EXPECT_EQ(taken("template <class... T> __global__ void k(T... all) {}", "k<int>"),
            "0 declarations");
  EXPECT_EQ(taken("void k(int a) {}", "k"), "0 declarations");
}

TEST(Signature, StructsAreAsLargeAsTheirMembersAtLeast) {
  const SignatureReader reader(std::vector<SourceText>{
      {"k.cu",
       "struct P { float a; int n[3]; float* p; int get() { return 1; } };\n"
       "typedef struct { double d; Unknown u; } Q;\nenum E { kA };\n"
       "__global__ void k(P p, Q q, E e, cudaTextureObject_t t) {}"}});
  const std::vector<Signature> all = reader.of("k", {});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].line, 4);
  const auto& parameters = all[0].parameters;
  EXPECT_EQ(parameters[0].types[0].bytes, 24U);
  EXPECT_EQ(parameters[1].types[0].bytes, 8U);
  EXPECT_EQ(parameters[2].types[0].kind, ParameterType::Kind::kUnknown);
  EXPECT_EQ(parameters[3].types[0].kind, ParameterType::Kind::kHandle);
  EXPECT_EQ(parameters[0].text, "P p");
}

}  // namespace
}  // namespace tuner
