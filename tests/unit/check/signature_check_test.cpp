// Arguments that are not what the kernel takes, with the whole message.

#include "tuner/check/signature_check.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

struct Given {
  std::string arguments, source;
  std::string entry = "k", parameters = "B: [1, 2]", rest{};
};

// "error 3: ..." for each complaint, with the number of the argument's line.
std::string said_to(const Given& given) {
  const Study study = accepted(
      "schema: 1\nkernel: {name: k, source: k.cu, entry: \"" + given.entry +
      "\", define_prefix: \"\"}\nproblem_sizes: [{N: 64}]\nparameters: {" + given.parameters +
      "}\nlaunch: {block: 32, grid: N}\n" + given.rest + "arguments:\n" + given.arguments);
  const SignatureComplaints said = check_signatures(study, {{"/d/k.cu", given.source}}, {});
  std::string out;
  for (const auto* list : {&said.errors, &said.warnings}) {
    for (const Complaint& one : *list) {
      out += std::string(list == &said.errors ? "error" : "warning") + ": " + one.message +
             (one.suggestion.empty() ? "" : " (" + one.suggestion + ")") + "\n";
    }
  }
  return out;
}

std::string buffer(const std::string& name, const std::string& type) {
  return "  - {name: " + name + ", type: " + type + ", shape: N, role: inout, fill: zeros}\n";
}
std::string number(const std::string& name, const std::string& type) {
  return "  - {name: " + name + ", type: " + type + ", value: 1}\n";
}

TEST(SignatureCheck, ANumberOfAnotherTypeIsAnError) {
  const std::string source = "__global__ void k(float* y, float a) {}";
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "float32"), source}), "");
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "int32"), source}),
            "error: argument 'a' is int32, but parameter 2 of the kernel 'k' is 'float a' (k.cu:1) "
            "(type: float32)\n");
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "float64"), source}),
            "error: argument 'a' is float64, but parameter 2 of the kernel 'k' is 'float a' "
            "(k.cu:1) (type: float32)\n");
  EXPECT_EQ(said_to({buffer("y", "float32") + buffer("a", "float32"), source}),
            "error: argument 'a' is a buffer of float32, but parameter 2 of the kernel 'k' is "
            "'float a' (k.cu:1) (a number has a 'value')\n");
}

TEST(SignatureCheck, TexturesAreObjectsAndNoReferences) {
  const std::string view = "  - {name: t, texture: {of: x}}\n";
  const std::string source = "__global__ void k(float* x, cudaTextureObject_t t) {}";
  EXPECT_EQ(said_to({buffer("x", "float32") + view, source}), "");
  EXPECT_EQ(said_to({buffer("x", "float32") + view,
                     "__global__ void k(float* x, unsigned long long t) {}"}),
            "");
  EXPECT_EQ(said_to({buffer("x", "float32") + view, "__global__ void k(float* x, float* t) {}"}),
            "error: argument 't' is a texture, but parameter 2 of the kernel 'k' is 'float* t' "
            "(k.cu:1) (cudaTextureObject_t)\n");
  EXPECT_EQ(said_to({buffer("x", "float32") + view,
                     "__global__ void k(float* x, cudaSurfaceObject_t t) {}"}),
            "error: argument 't' is a texture, but parameter 2 of the kernel 'k' is "
            "'cudaSurfaceObject_t t' (k.cu:1) (surface: {of: BUFFER})\n");
  const std::string surface =
      "  - {name: t, surface: {of: x}}\n"
      "buffers: [{name: x, type: float, shape: [4], role: inout, fill: zeros}]\n";
  EXPECT_EQ(said_to({surface, "__global__ void k(CUsurfObject t) {}"}), "");
  EXPECT_EQ(said_to({surface, "__global__ void k(int t) {}"}),
            "error: argument 't' is a surface, but parameter 1 of the kernel 'k' is 'int t' "
            "(k.cu:1) (cudaSurfaceObject_t)\n");
  EXPECT_EQ(said_to({buffer("x", "float32"),
                     "#define N 1\ntexture<float, 1> t;\n__global__ void k(float* x) {}"}),
            "warning: the source has a texture reference (k.cu:2), which CUDA 12 has removed: no "
            "current compiler takes it (a parameter cudaTextureObject_t, and 'texture: {of: "
            "BUFFER}')\n");
}

TEST(SignatureCheck, TileKernelsAreOfAnotherLanguage) {
  EXPECT_EQ(said_to({buffer("x", "float32"),
                     "#include \"cuda_tile.h\"\n__tile_global__ void k(float* x) {}"}),
            "warning: the source has a kernel of CUDA Tile C++ (__tile_global__), which CUDA 13.3 "
            "and later compile if asked to: no compiler is asked to here (a kernel of threads, "
            "__global__)\n");
  EXPECT_EQ(said_to({buffer("x", "float32"),
                     "// as __tile_global__ does\n__global__ void k(float* x) {}"}),
            "");
}

TEST(SignatureCheck, InOpenClLocalMemoryIsNoArgumentOfTheStudy) {
  const std::string source = "__kernel void k(__global float* y, __local float* t, float a) {}";
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "float32"), source}), "");
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "int32"), source}),
            "error: argument 'a' is int32, but parameter 2 of the kernel 'k' is 'float a' (k.cu:1) "
            "(type: float32)\n");
}

TEST(SignatureCheck, SwappedBuffersAreErrors) {
  EXPECT_EQ(said_to({buffer("x", "int32") + buffer("i", "float32"),
                     "extern \"C\" __global__ void\nk(const float *x, const int *i) {}"}),
            "error: argument 'x' is a buffer of int32, but parameter 1 of the kernel 'k' is 'const "
            "float *x' (k.cu:1) (type: float32)\n"
            "error: argument 'i' is a buffer of float32, but parameter 2 of the kernel 'k' is "
            "'const int *i' (k.cu:1) (type: int32)\n");
}

TEST(SignatureCheck, TooFewAndTooManyAreErrors) {
  const std::string source = "__global__ void k(float* y, float a, int n) {}";
  EXPECT_EQ(
      said_to({buffer("y", "float32") + number("n", "int32"), source}),
      "error: the kernel 'k' takes 3 arguments, not 2: none is given for 'float a' (k.cu:1)\n");
  EXPECT_EQ(said_to({buffer("y", "float32") + number("a", "float32") + number("n", "int32") +
                         number("m", "int32"),
                     source}),
            "error: the kernel 'k' takes 3 arguments, not 4 (k.cu:1)\n");
}

TEST(SignatureCheck, TablesTexturesAndStructsAreErrors) {
  EXPECT_EQ(said_to({buffer("y", "float32"), "__global__ void k(float** y) {}"}),
            "error: argument 'y' is a buffer of float32, but parameter 1 of the kernel 'k' is "
            "'float** y' (k.cu:1) (a table of addresses is 'pointers: [a, b]')\n");
  EXPECT_EQ(said_to({buffer("y", "float32"), "__global__ void k(cudaTextureObject_t y) {}"}),
            "error: argument 'y' is a buffer of float32, but parameter 1 of the kernel 'k' is "
            "'cudaTextureObject_t y' (k.cu:1) (texture: {of: BUFFER})\n");
  EXPECT_EQ(
      said_to({number("p", "float32"), "struct P { float a, b; };\n__global__ void k(P p) {}"}),
      "error: argument 'p' is float32, but parameter 1 of the kernel 'k' is 'P p' (k.cu:2) (a "
      "struct's members are said in 'types')\n");
}

TEST(SignatureCheck, WhatKernelsDoOnPurposeFits) {
  const auto fits = [](const std::string& argument, const std::string& parameter) {
    EXPECT_EQ(said_to({argument, "struct P;\nstruct W { float x; };\n__global__ void k(" +
                                     parameter + ") {}"}),
              "")
        << parameter;
  };
  for (const std::string type :
       {"float4* x", "float2* x", "void* x", "char* x", "const unsigned char* x", "std::byte* x",
        "W* x", "P* x", "uint4* x", "thrust::complex<float>* x", "unsigned long long x",
        "cufftComplex* x", "T* x"}) {
    fits(buffer("x", "float32"), type);
  }
  fits(buffer("x", "float16"), "half2* x");
  fits(buffer("x", "float16"), "const unsigned short* x");
  fits(buffer("x", "float16"), "float4* x");
  fits(buffer("x", "uint32"), "int* x");
  fits(buffer("x", "uint8"), "bool* x");
  fits(number("x", "uint64"), "float** x");
  fits(number("x", "int64"), "size_t x");
  fits(number("x", "uint32"), "int x");
  fits(number("x", "uint32"), "uchar4 x");
  fits(number("x", "int32"), "Mode x");
}

TEST(SignatureCheck, WhatTheKernelMayLookAtSoIsAWarning) {
  EXPECT_EQ(said_to({buffer("x", "float32"),
                     "__global__ void k(int* x) { x[0] = __float_as_int(1.0f); }"}),
            "warning: argument 'x' is a buffer of float32, but parameter 1 of the kernel 'k' is "
            "'int* x' (k.cu:1) (right only if the kernel looks at them so)\n");
  EXPECT_EQ(said_to({buffer("x", "int8"), "__global__ void k(const int* x) {}"}),
            "warning: argument 'x' is a buffer of int8, but parameter 1 of the kernel 'k' is "
            "'const int* x' (k.cu:1) (right only if the kernel takes several of them at once)\n");
}

TEST(SignatureCheck, TypesFollowTheEntryTheOptionsAndTheParameters) {
  const std::string source = "template <typename T> __global__ void k(T* x) {}";
  EXPECT_EQ(said_to({buffer("x", "float32"), source, "k<float>"}), "");
  EXPECT_EQ(said_to({buffer("x", "float32"), source, "k<double>"}),
            "error: argument 'x' is a buffer of float32, but parameter 1 of the kernel 'k' is 'T* "
            "x', that is double* (k.cu:1) (type: float64)\n");
  EXPECT_EQ(
      said_to({buffer("x", "float32"), source, "k<{E}>", "E: [float, double]"}),
      "warning: argument 'x' is a buffer of float32, but parameter 1 of the kernel 'k' is 'T* "
      "x', that is double* (k.cu:1), where E=double (type: float64)\n");
  EXPECT_EQ(said_to({buffer("x", "float64"), "__global__ void k(E* x) {}", "k", "E: [float]"}),
            "error: argument 'x' is a buffer of float64, but parameter 1 of the kernel 'k' is 'E* "
            "x', that is float* (k.cu:1) (type: float32)\n");
}

TEST(SignatureCheck, ThoseThatFollowAndTheReferenceAreLookedAtToo) {
  const std::string source =
      "__global__ void k(float* x, float* y) {}\n__global__ void s(float* y, int n) {}\n"
      "__global__ void r(float* x, double* y) {}";
  EXPECT_EQ(said_to({buffer("x", "float32") + buffer("y", "float32"), source, "k", "B: [1, 2]",
                     "reference: {entry: r, block: 1, grid: 1}\n"}),
            "error: argument 'y' is a buffer of float32, but parameter 2 of the reference 'r' is "
            "'double* y' (k.cu:3) (type: float64)\n");
  const std::string then =
      "  - {name: n, type: int32, shape: N, role: scratch}\n"
      "verify: none\n";
  EXPECT_EQ(said_to({buffer("y", "float32") + then,
                     "__global__ void k(float* y, int* n) {}\n__global__ void s(float* y) {}", "k",
                     "B: [1, 2]"}),
            "");
}

}  // namespace
}  // namespace tuner::testing
