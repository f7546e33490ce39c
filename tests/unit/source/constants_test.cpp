
#include <gtest/gtest.h>

#include "tuner/source/own_names.h"

namespace tuner {
namespace {

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
