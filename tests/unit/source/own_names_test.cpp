// The names of a source, and the constants that it leaves to others to set.

#include "tuner/source/own_names.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

// "A:1 B:3" of those that are not guarded and in a branch that is looked at.
std::string own(const std::string& source, const std::set<std::string, std::less<>>& given = {}) {
  const std::vector<Token> tokens = tokens_of(source);
  std::string out;
  for (const MacroDefinition& one : macro_definitions(tokens, given)) {
    if (one.is_guarded || one.directive->other_branch) continue;
    out += (out.empty() ? "" : " ") + std::string(one.name) + ":" +
           std::to_string(line_in(source, *one.directive));
  }
  return out;
}

TEST(MacroDefinitions, AGuardKeepsWhatTheCompilerIsTold) {
  EXPECT_EQ(own("#define A 4\n"), "A:1");
  EXPECT_EQ(own("#ifndef A\n#define A 4\n#endif\n#define B A\n"), "B:4");
  EXPECT_EQ(own("#if !defined(A) || A < 1\n# define A 4\n#endif"), "");
  EXPECT_EQ(own("#ifdef A\nint a;\n#else\n#define A 4\n#endif"), "");
  EXPECT_EQ(own("#ifndef K_H\n#define K_H\n#define A 4\n#endif"), "A:3") << "of a header";
  EXPECT_EQ(own("#ifndef A\n#endif\n#define A 4\n"), "A:3") << "behind it";
  EXPECT_EQ(own("#ifndef A  // here\n#if 1\n#define A(x) 4\n#endif\n#endif"), "");
  EXPECT_EQ(own("#if 0\n#define A 4\n#endif\n// #define A 4\n/*\n#define A 4\n*/"), "");
}

TEST(MacroDefinitions, WhatIsUndefinedIsTheSourcesOwn) {
  EXPECT_EQ(own("#undef A\n#define A 4\n"), "A:2");
  EXPECT_EQ(own("#undef A\n#ifndef A\n#define A 4\n#endif"), "A:3");
  EXPECT_EQ(own("#ifdef A\n#undef A\n#endif\n#ifndef A\n#define A 4\n#endif\n"), "A:5");
  EXPECT_EQ(own("#ifndef A\n#define A 4\n#endif\n#if A > 8\n#undef A\n#define A 8\n#endif"), "")
      << "a bound";
}

TEST(MacroDefinitions, ConditionsOnGivenNamesAreNotJudged) {
  EXPECT_EQ(own("#if WIDE\n#define A 4\n#endif", {"WIDE"}), "");
  EXPECT_EQ(own("#if WIDE\n#define A 4\n#endif", {"A"}), "A:2");
}

int line_of_declaration(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  const Token* found = declaration_of(tokens, "BLOCK");
  return found == nullptr ? 0 : line_in(source, *found);
}

TEST(Declarations, OfAVariableOrTemplateParameter) {
  EXPECT_EQ(line_of_declaration("int a;\nconst int BLOCK = 16;"), 2);
  EXPECT_EQ(line_of_declaration("static constexpr unsigned BLOCK{16};"), 1);
  EXPECT_EQ(line_of_declaration("template <int BLOCK>\nvoid f();"), 1);
  EXPECT_EQ(line_of_declaration("template <class T, int BLOCK = 4> void f();"), 1);
  EXPECT_EQ(line_of_declaration("#ifndef BLOCK\nconst int BLOCK = 16;\n#endif"), 0);
  EXPECT_EQ(line_of_declaration("int f() { return BLOCK; }"), 0);
  EXPECT_EQ(line_of_declaration("__shared__ float s[BLOCK]; if (i == BLOCK) {}"), 0);
  EXPECT_EQ(line_of_declaration("// int BLOCK = 4;\n#if 0\nint BLOCK = 4;\n#endif"), 0);
}

// ---- constants that others set ------------------------------------------------------------------

std::string found(std::string_view source) {
  std::string out;
  const std::vector<Token> code = code_of(tokens_of(source), Branches::kAll);
  for (const UnsetConstant& one : unset_constants(code)) {
    out += (out.empty() ? "" : " ") + std::string(one.name.text) + ":" +
           std::to_string(line_in(source, one.name));
  }
  return out;
}

TEST(UnsetConstants, AreFoundWithTheirLines) {
  EXPECT_EQ(found("__constant__ float mask[49];\n"), "mask:1");
  EXPECT_EQ(found("int x;\n\nstatic __constant__ const float a[N * (M + 1)], b;"), "a:3 b:3");
  EXPECT_EQ(found("float __constant__ weights[3];"), "weights:1");
  EXPECT_EQ(found("extern __constant__ int n;\n__constant__ int n;"), "n:1");
  EXPECT_EQ(found("__constant__ __align__(16) Pair<float, int> table[4][5];"), "table:1");
  EXPECT_EQ(found("__constant__ struct P { int a, b; float c[3]; } settings;"), "settings:1");
  EXPECT_EQ(found("__constant__ float* p, *const q;"), "p:1 q:1");
}

TEST(UnsetConstants, AreDeviceVariablesThatHostCodeCopiesTo) {
  const std::string device =
      "static __device__ float table[64], other[4];\n"
      "__device__ float f(float x) { return table[0] * x; }\n__device__ int count;\n";
  EXPECT_EQ(found(device), "");
  EXPECT_EQ(found(device + "void set(float* h) { cudaMemcpyToSymbol(table, h, 256); }"), "table:1");
  EXPECT_EQ(found(device + "void set(int* h) { cudaMemcpyToSymbolAsync<int>(&count, h, 4); }"),
            "count:3");
  EXPECT_EQ(found(device + "void get(int* h) { cudaMemcpyFromSymbol(h, count, 4); }"), "");
}

TEST(UnsetConstants, AreNoDeviceVariablesThatTheKernelChanges) {
  const auto found_in = [](const std::string& body) {
    return found("__device__ int count, bins[8];\n__global__ void k(int* y) { " + body +
                 " }\nvoid set(int* h) { cudaMemcpyToSymbol(count, h, 4);\n"
                 "  cudaMemcpyToSymbol(bins, h, 32); cudaMemcpyFromSymbol(h, bins, 32); }");
  };
  EXPECT_EQ(found_in("y[0] = count + bins[count] * 2 - bins[1];"), "count:1 bins:1");
  EXPECT_EQ(found_in("if (count == bins[0] && count <= 3) y[0] = 1;"), "count:1 bins:1");
  for (const char* change : {"atomicAdd(&count, 1);", "count++;", "--count;", "count = 1;",
                             "count += y[0];", "int* p = &count;"}) {
    EXPECT_EQ(found_in(change), "bins:1") << change;
  }
  for (const char* change : {"atomicAdd(&bins[y[0]], 1);", "bins[y[0]]++;", "bins[0] |= 2;",
                             "atomicAdd(bins + y[0], 1);", "reset(bins);"}) {
    EXPECT_EQ(found_in(change), "count:1") << change;
  }
}

TEST(UnsetConstants, AreNotThoseThatTheSourceSetsItself) {
  EXPECT_EQ(found("__constant__ float half = 0.5f;"), "");
  EXPECT_EQ(found("__constant__ int odd[] = {1, 3, 5}, even[3];"), "even:1");
  EXPECT_EQ(found("__constant__ int one{1};"), "");
  EXPECT_EQ(found("__constant__ int a = b, c = f(d, e), g;"), "g:1");
}

TEST(UnsetConstants, AreNotInCommentsLiteralsAndDirectives) {
  EXPECT_EQ(found("// __constant__ float a;\n/* __constant__\n float b; */"), "");
  EXPECT_EQ(found("const char* s = \"__constant__ float a;\"; char c = '\"'; int n = 1'000;\n"
                  "__constant__ int d;"),
            "d:2");
  EXPECT_EQ(found("#define MASK __constant__ \\\n  float mask\n__constant__ int d;"), "d:3");
  EXPECT_EQ(found("int my__constant__; int __constant__s;"), "");
}

TEST(UnsetConstants, OfATextThatEndsInTheMiddleAreNoFault) {
  for (const char* text : {"__constant__", "__constant__ float a[", "__constant__ A<", "/*", "\"",
                           "__constant__ int b = {", "'", "\\", "#\\\n"}) {
    found(text);
  }
}

}  // namespace
}  // namespace tuner
