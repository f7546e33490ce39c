#include "tuner/plugins/cuda/source_head.h"

#include <gtest/gtest.h>

namespace tuner::cuda {
namespace {

std::string names_in(const std::string& source) {
  std::string out;
  for (const LeadingInclude& one : leading_includes(source)) {
    out += one.name + "@" + std::to_string(one.lines) + " ";
  }
  return out;
}

TEST(SourceHead, IncludesBeforeAllCode) {
  EXPECT_EQ(
      names_in("// what it is\n#pragma once\n\n#include <a.h>  // why\n/* two\nlines */ # include "
               "\"b/c.h\"\n__device__ int x;\n#include <d.h>\n"),
      "a.h@4 b/c.h@6 ");
  EXPECT_EQ(names_in("#define WIDE 1\n#include NAMED\nint x;\n"), "@2 ");
  EXPECT_EQ(names_in("int x;\n#include <a.h>\n"), "");
  EXPECT_EQ(names_in(""), "");
}

TEST(SourceHead, NoneOfAnOpenIf) {
  EXPECT_EQ(names_in("#ifdef A\n#include <a.h>\n#else\n#include <b.h>\n#endif\n#include <c.h>\n"),
            "c.h@6 ");
  EXPECT_EQ(names_in("#include <a.h>\n#if A\nint x;\n#endif\n#include <b.h>\n"), "a.h@1 ");
}

TEST(SourceHead, EndsWhereALineGoesOn) {
  EXPECT_EQ(names_in("#include <a.h>\n#define A \\\n  1\n#include <b.h>\n"), "a.h@1 ");
  EXPECT_EQ(names_in("#include <a.h>\n#include <b.h> /* and\n*/ int x;\n"), "a.h@1 ");
  EXPECT_EQ(names_in("#include <a.h>\n#line 7\n#include <b.h>\n"), "a.h@1 ");
  EXPECT_EQ(names_in("#include <a.h>"), "");
}

TEST(SourceHead, WordsAreWhole) {
  const WordSet names{"TILE"};
  EXPECT_EQ(first_mention("TILES my_TILE 1TILE xTILE", names), std::string_view::npos);
  EXPECT_EQ(first_mention("int a[TILE];", names), 6U);
  EXPECT_EQ(first_mention("// TILE", names), 3U);
}

}  // namespace
}  // namespace tuner::cuda
