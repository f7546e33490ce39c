// Values that a source gives to names, and others in their place.

#include "tuner/source/replaced_values.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(ReplacedValues, AreThoseOfMacrosConstantsAndEnumerators) {
  const std::string source =
      "#define X 256  // threads\n#define X_OF(n) n\nconst int ITEMS = 4, A{2};\n"
      "constexpr int IN(3), of(int);\nenum { TILE = 8, OTHER };\nint ITEMS_NOW = 3;\n"
      "template <int N = 7> __global__ void k(int X_) {\n  constexpr unsigned LOCAL{16U};\n"
      "  static const int both = (ITEMS +\n 1) * 2;\n  for (int A_ = 0; A_ == 4;) f(A = 3);\n}\n";
  EXPECT_EQ(with_values(source, {{"X", "TUNE_X"},
                                 {"ITEMS", "1"},
                                 {"A", "TUNE_A"},
                                 {"IN", "5"},
                                 {"of", "-"},
                                 {"TILE", "9"},
                                 {"ITEMS_NOW", "-"},
                                 {"N", "-"},
                                 {"LOCAL", "L"},
                                 {"both", "B"},
                                 {"A_", "-"}}),
            "#define X TUNE_X  // threads\n#define X_OF(n) n\nconst int ITEMS = 1, A{TUNE_A};\n"
            "constexpr int IN(5), of(int);\nenum { TILE = 9, OTHER };\nint ITEMS_NOW = 3;\n"
            "template <int N = 7> __global__ void k(int X_) {\n  constexpr unsigned LOCAL{L};\n"
            "  static const int both = B\n;\n  for (int A_ = 0; A_ == 4;) f(A = 3);\n}\n");
}

TEST(ReplacedValues, UnrollIsTheFactorOfTheInnermostLoopsOfDeviceCode) {
  const std::string source =
      "int host() { for (;;) g(); }\n"
      "template <class T> __global__ void k(T* x) {\n"
      "  for (int i = 0; i < 4; ++i) {\n    if (i) for (int j = 0; j < i; ++j) x[j] = i;\n"
      "#pragma unroll\n    for (int j = 0; j < 9; ++j) x[j] = i;\n  }\n"
      "#pragma unroll 2\n  for (;;) for (;;) f();\n}\n";
  EXPECT_EQ(with_values(source, {{"unroll", "TUNE_unroll"}}),
            "int host() { for (;;) g(); }\n"
            "enum { tuner_unroll_29 = TUNE_unroll }; template <class T> __global__ void k(T* x) {\n"
            "  for (int i = 0; i < 4; ++i) {\n"
            "    if (i) _Pragma(\"unroll tuner_unroll_29\") for (int j = 0; j < i; ++j) x[j] = i;\n"
            "#pragma unroll\n    for (int j = 0; j < 9; ++j) x[j] = i;\n  }\n"
            "#pragma unroll (tuner_unroll_29 ? tuner_unroll_29 : 2)\n"
            "  for (;;) _Pragma(\"unroll tuner_unroll_29\") for (;;) f();\n}\n");
}

TEST(ReplacedValues, AValueOfTheSourceThatIsCalledUnrollIsThatOne) {
  EXPECT_EQ(with_values("const int unroll = 4;\n__device__ void f() { for (;;) g(); }\n",
                        {{"unroll", "TUNE_unroll"}}),
            "const int unroll = TUNE_unroll;\n__device__ void f() { for (;;) g(); }\n");
}

TEST(ReplacedValues, ASourceWithoutThemStaysAsItIs) {
  const std::string source = "#define X\nconst int x[] = {1, 2};\nconst T y = {3};\nX = 4;\n";
  EXPECT_EQ(with_values(source, {{"X", "1"}, {"x", "1"}, {"y", "1"}}), source);
}

}  // namespace
}  // namespace tuner
